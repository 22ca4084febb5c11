/** `crawlstream state snapshot` and `state snapshots`: take snapshots beside the owners, and list them. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { FrontierState } from '../../../topology/frontier/state/state.ts';
import { changelogTopic } from '../../frontier/restore/restore.ts';
import type { SnapshotManifest } from '../../frontier/snapshots/manifest.ts';
import type { SnapshotRepository } from '../../frontier/snapshots/snapshot-repository.ts';
import { takeSnapshot } from '../../frontier/snapshots/take.ts';
import { type Trimmed, trimBelowSnapshots } from '../../frontier/snapshots/trim.ts';
import { printNotice } from '../../hosting/progress/restore-text.ts';
import { createWorkBar } from '../../hosting/progress/work-bar.ts';
import { withCurrentState } from '../../hosting/state/current-state.ts';
import { withSnapshotRepository } from '../../hosting/state/open-snapshot-repository.ts';
import { identityOf, partitionsOf, type StateFlags, type StateSource } from '../../hosting/state/state-source.ts';
import { toStdout } from '../../runtime/logging/door.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { productVersion } from '../../runtime/version.ts';

export interface SnapshotFlags extends Omit<StateFlags, 'partition'> {
  /** Absent: every partition. */
  readonly partition?: readonly number[];
  /** A folder, or `s3://bucket/prefix`. Absent: `snapshots/` in the data folder. */
  readonly to?: string;
  /** Snapshots kept of each partition. Absent: all are kept. */
  readonly keep?: number;
  /** Trim what no kept snapshot needs. */
  readonly trim?: boolean;
}

export interface SnapshotsFlags extends StateFlags, Pick<SnapshotFlags, 'to' | 'keep'> {
  readonly verify?: boolean;
}

export async function runSnapshot(source: StateSource, flags: SnapshotFlags): Promise<void> {
  if (flags.trim === true && source.brokersLog === null) {
    const message = '--trim works only on Kafka: for a data folder, use crawlstream crawl --keep';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  await withSnapshotRepository(source, flags.to, async (repository) => {
    const numbers = flags.partition ?? partitionsOf(source, {});
    const partitions = [];
    const bar = createWorkBar('partitions taken', numbers.length);
    for (const partition of numbers) {
      partitionsOf(source, { partition });
      const beganMs = source.clock.nowMs();
      const { manifest, taken } = await snapshotOf(source, partition, repository);
      if (flags.keep !== undefined)
        await repository.prune(identityOf(source, partition), flags.keep, source.clock.nowMs());
      const trimmed = flags.trim === true ? await trim(source, partition, repository, flags.keep) : [];
      const seconds = (source.clock.nowMs() - beganMs) / 1000;
      const one = { taken, seconds, ...(manifest && summary(manifest)), trimmed };
      partitions.push({ partition, ...one });
      bar.end();
      if (!flags.json) toStdout(`${snapshotText(partition, one)}\n`);
      bar.add(1);
    }
    bar.end();
    if (flags.json) toStdout(`${JSON.stringify({ to: repository.objects.place, partitions })}\n`);
  });
}

export async function runSnapshots(source: StateSource, flags: SnapshotsFlags): Promise<void> {
  await withSnapshotRepository(source, flags.to, async (repository) => {
    const snapshots = [];
    for (const partition of partitionsOf(source, flags)) {
      const identity = identityOf(source, partition);
      if (flags.keep !== undefined) await repository.prune(identity, flags.keep, source.clock.nowMs());
      for (const { folder, manifest, error } of await repository.list(identity)) {
        const problem = error ?? (flags.verify === true ? await problemOf(repository, manifest!) : undefined);
        const one = manifest === undefined ? { snapshot: folder } : summary(manifest);
        snapshots.push({ partition, ...one, damage: problem?.message ?? null });
        if (flags.json) continue;
        const says = problem?.message ?? snapshotText(partition, { taken: true, ...summary(manifest!) });
        toStdout(`${says}\n`);
      }
    }
    if (flags.json) toStdout(`${JSON.stringify({ to: repository.objects.place, snapshots })}\n`);
    else if (snapshots.length === 0)
      toStdout(`no snapshots of crawl ${source.manifest.crawl} in ${repository.objects.place}\n`);
    if (snapshots.some(({ damage }) => damage !== null)) process.exitCode = 1;
  });
}

function trim(
  { brokersLog, ...source }: StateSource,
  partition: number,
  repository: SnapshotRepository,
  kept = Number.POSITIVE_INFINITY,
): Promise<Trimmed[]> {
  const identity = identityOf(source, partition);
  return trimBelowSnapshots({ ...source, log: brokersLog!, identity, repository, kept, onNotice: printNotice });
}

interface Taken {
  /** Undefined: the partition has no state yet. */
  readonly manifest: SnapshotManifest | undefined;
  /** False: there is one of this very position. */
  readonly taken: boolean;
}

async function snapshotOf(source: StateSource, partition: number, repository: SnapshotRepository): Promise<Taken> {
  const identity = identityOf(source, partition);
  await source.refresh();
  const { end } = await source.log.offsets(changelogTopic(identity.crawl), partition);
  if (end === 0) return { manifest: undefined, taken: false };
  const newest = (await repository.list(identity)).find(({ manifest }) => manifest !== undefined)?.manifest;
  if (newest?.position === end) return { manifest: newest, taken: false };
  const take = { identity, repository, clock: source.clock, takenBy: productVersion };
  const act = (state: FrontierState, store: StateStore) => takeSnapshot({ ...take, state, store });
  return { manifest: await withCurrentState(source, partition, act, repository), taken: true };
}

async function problemOf(
  repository: SnapshotRepository,
  manifest: SnapshotManifest,
): Promise<CrawlstreamError | undefined> {
  try {
    await repository.verify(manifest);
    return undefined;
  } catch (error) {
    if (error instanceof CrawlstreamError && error.code === 'SNAPSHOT_DAMAGED') return error;
    throw error;
  }
}

function summary(manifest: SnapshotManifest) {
  const { folder, position, epoch, seq, digest, urls, policyVersion, takenAt, files } = manifest;
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return { snapshot: folder, position, epoch, seq, digest, urls, policyVersion, takenAt, files: files.length, bytes };
}

interface Summary extends Partial<ReturnType<typeof summary>> {
  readonly taken: boolean;
  readonly seconds?: number;
  readonly trimmed?: readonly Trimmed[];
}

function snapshotText(partition: number, { taken, seconds, ...one }: Summary): string {
  if (one.snapshot === undefined) return `partition ${partition}: nothing to take yet`;
  const size = `${one.urls} URLs, ${(one.bytes! / 2 ** 20).toFixed(1)} MB`;
  const { trimmed = [] } = one;
  const how = seconds === undefined ? `of ${one.takenAt}` : taken ? `in ${seconds.toFixed(1)} s` : 'there already';
  const gone = trimmed.map(({ topic, start }) => `; ${topic} begins at ${start}`).join('');
  return `partition ${partition}: ${one.digest} at ${one.position}, ${size}, ${how}: ${one.snapshot}${gone}`;
}
