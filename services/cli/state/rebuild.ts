/** `crawlstream state rebuild`: builds a folder of states again, on which a frontier can be started. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { rebuild } from '../../frontier/open/rebuild.ts';
import { rebuildFromInputs } from '../../frontier/open/rebuild-from-inputs.ts';
import { loadCheckpoint } from '../../frontier/restore/load-checkpoint.ts';
import { stateFolder } from '../../hosting/connect/crawl-folder.ts';
import { refuseServed } from '../../hosting/connect/refuse-served.ts';
import { printRestore } from '../../hosting/progress/restore-text.ts';
import { withSnapshots } from '../../hosting/state/open-snapshot-repository.ts';
import {
  identityOf,
  partitionsOf,
  type StateFlags,
  type StateSource,
  statusOf,
} from '../../hosting/state/state-source.ts';
import { counted } from '../../runtime/counted.ts';
import { adoptDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';

export interface RebuildFlags extends StateFlags {
  readonly into: string;
  readonly all?: boolean;
  readonly fromInputs?: boolean;
  readonly snapshots?: string;
}

export async function runRebuild(source: StateSource, flags: RebuildFlags): Promise<void> {
  if ((flags.partition === undefined) === (flags.all === undefined)) {
    throw new CrawlstreamError('INVALID_ARGUMENT', 'no partition is selected: give --partition N, or --all');
  }
  if (flags.fromInputs === true) {
    refuseServed(
      source.manifest,
      '--from-inputs',
      'no topic has the calls of its clients: rebuild it from the changelog instead',
    );
  }
  const wanted = partitionsOf(source, flags);
  const into = await adoptDataFolder(flags.into, source.manifest, '--into');
  const partitions = [];
  for (const partition of wanted) {
    const store = await openStateStore(stateFolder(into, partition));
    try {
      const beganMs = source.clock.nowMs();
      const state = await build(source, partition, store, flags);
      const seconds = Math.max(1, source.clock.nowMs() - beganMs) / 1000;
      const one = { ...statusOf(partition, state), seconds };
      partitions.push(one);
      if (flags.json) continue;
      toStdout(
        `partition ${partition}: ${one.digest} at ${one.position}, ${counted(one.urls, 'URL')} in ${seconds.toFixed(1)} s\n`,
      );
    } finally {
      await store.close();
    }
  }
  if (flags.json) toStdout(`${JSON.stringify({ into: into.path, partitions })}\n`);
}

async function build(
  source: StateSource,
  partition: number,
  store: StateStore,
  { into, fromInputs, snapshots }: RebuildFlags,
): Promise<FrontierState> {
  if ((await loadCheckpoint(store, source.key)) !== undefined) {
    const message = `--into ${into} already has a state of partition ${partition}: choose a new folder`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const options = { ...source, identity: identityOf(source, partition), store };
  if (fromInputs) return rebuildFromInputs({ ...options, leasesOutlive: source.brokersLog !== null });
  return withSnapshots(source, partition, snapshots, (found) =>
    rebuild({ ...options, ...found, onProgress: printRestore }),
  );
}
