/**
 * `npm run bench -- snapshot [--urls N] [--hosts N] [--seen exact|drum] [--memory MB] [--runs N] [--data FOLDER]
 * [--json]`
 *
 * The cost of a snapshot of a partition beside its owner (checkpoint read, brought to the changelog's end, packed,
 * hashed, read back), and the time to restore a lost partition from it, compared with its whole changelog. In CPU time,
 * as the three run one after another in separate processes. `npm run bench -- snapshot-pause` measures the effect on
 * the owner.
 */
import { join } from 'node:path';
import { bringUp } from '../../../services/frontier/open/bring-up.ts';
import { rebuild } from '../../../services/frontier/open/rebuild.ts';
import { keptCheckpoint } from '../../../services/frontier/open/starting-states.ts';
import { changelogTopic } from '../../../services/frontier/restore/restore.ts';
import { crawlIdOf, type SnapshotManifest } from '../../../services/frontier/snapshots/manifest.ts';
import {
  createSnapshotRepository,
  type SnapshotRepository,
} from '../../../services/frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../../services/frontier/snapshots/take.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openReadOnlyLog } from '../../../services/runtime/log/read-only.ts';
import { createFolderObjects } from '../../../services/runtime/objects/folder-objects.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import { createOverlayStore } from '../../../services/runtime/store/overlay-store.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { costOf, peakRssBytes } from '../process/process-cost.ts';
import { benchCrawl, benchKey, logFolder, stateFolder } from './bench-partition.ts';
import { runOnKept } from './kept-partition.ts';

export interface Snapshotted {
  readonly urls: number;
  readonly megabytes: number;
  readonly takeCpuSeconds: number;
  readonly restoreCpuSeconds: number;
  readonly rebuildCpuSeconds: number;
  /** Figures of the process that took the snapshot. */
  readonly rssBytes: number;
}

const clock = new SystemClock();
const identity = { crawl: benchCrawl, partition: 0, partitions: 1 };

export function run(args: readonly string[]): Promise<void> {
  return runOnKept(args, {
    name: 'snapshot',
    defaults: { urls: 1_000_000, hosts: 100_000 },
    measure,
    secondsOf: ({ takeCpuSeconds }) => takeCpuSeconds,
  });
}

async function measure(data: string, into: string, seen: SeenConfig): Promise<Snapshotted> {
  const repository = shelfIn(into);
  const log = await openReadOnlyLog(logFolder(data), clock);
  const { end: to } = await log.offsets(changelogTopic(benchCrawl), 0);
  const given = { log, identity, key: benchKey, seen, clock, repository };
  const take = await costOf(() => takeBeside(data, into, seen));
  const rssBytes = peakRssBytes();
  const restored = async (folder: string, from: Partial<typeof given>) => {
    const store = await openStateStore(join(into, folder));
    const { repository: _, ...alone } = given;
    const cost = await costOf(() => rebuild({ ...alone, ...from, store, to }));
    await store.close();
    return cost.cpuSeconds;
  };
  const restoreCpuSeconds = await restored('from-snapshot', given);
  const rebuildCpuSeconds = await restored('from-changelog', {});
  await log.close();
  const bytes = take.value.files.reduce((sum, file) => sum + file.bytes, 0);
  return {
    urls: take.value.urls,
    megabytes: Number((bytes / 2 ** 20).toFixed(1)),
    takeCpuSeconds: take.cpuSeconds,
    restoreCpuSeconds,
    rebuildCpuSeconds,
    rssBytes,
  };
}

/** Takes it as `state snapshot` does from a data folder, while its owner may run. */
export async function takeBeside(data: string, into: string, seen: SeenConfig): Promise<SnapshotManifest> {
  const base = await openStateStore(stateFolder(data), { readOnly: true });
  const log = await openReadOnlyLog(logFolder(data), clock);
  const { end: to } = await log.offsets(changelogTopic(benchCrawl), 0);
  const given = { log, identity, key: benchKey, seen, clock };
  const store = createOverlayStore(base);
  const { state } = await keptCheckpoint({ ...given, store });
  const saveBytes = Number.POSITIVE_INFINITY;
  const there = await bringUp(state!, nothing(), { ...given, store, to, saveBytes });
  const manifest = await takeSnapshot({ ...given, repository: shelfIn(into), state: there!, store, takenBy: 'bench' });
  await Promise.all([base.close(), log.close()]);
  return manifest;
}

function shelfIn(into: string): SnapshotRepository {
  return createSnapshotRepository(createFolderObjects(join(into, 'snapshots')), crawlIdOf(benchKey));
}

async function* nothing(): AsyncGenerator<never> {}
