/** Opens a crawl for the `state` commands: its topics, and the folder with checkpoints of some or all partitions. */
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decide/decision.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state/state.ts';
import { SystemClock } from '../../runtime/clock.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { withScratchFolder } from '../../runtime/disk/scratch-folder.ts';
import { openStateStore } from '../../runtime/store/open-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { fingerprintKeyOf, stateFolder } from '../connect/crawl-folder.ts';
import { type ReadableCrawl, withCrawl } from '../connect/open-crawl.ts';
import { namedFolder } from '../connect/own-folder.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';

export interface StateFlags extends KafkaFlags {
  readonly partition?: number;
  readonly json?: boolean;
}

export interface StateSource extends Omit<ReadableCrawl, 'topics'> {
  readonly clock: SystemClock;
  readonly manifest: Manifest;
  readonly key: FingerprintKey;
}

export async function withStates<T>(flags: KafkaFlags, act: (source: StateSource) => Promise<T>): Promise<T> {
  const clock = new SystemClock();
  return withCrawl(flags, async ({ topics: manifest, ...crawl }) => {
    const folder = crawl.folder ?? (await namedFolder(flags, manifest));
    return act({ ...crawl, clock, manifest, key: fingerprintKeyOf(manifest), folder });
  });
}

export function identityOf({ manifest }: Pick<StateSource, 'manifest'>, partition: number): PartitionIdentity {
  return { crawl: manifest.crawl, partition, partitions: manifest.partitions, keyMode: manifest.keyMode };
}

/**
 * Calls `act` with a copy of the checkpoint in the folder, which another process may be writing; undefined: there is no
 * checkpoint.
 */
export async function withCheckpoint<T>(
  { folder, refresh }: Pick<StateSource, 'folder' | 'refresh'>,
  partition: number,
  act: (store: StateStore | undefined) => Promise<T>,
): Promise<T> {
  const path = folder === null ? undefined : stateFolder(folder, partition);
  const isThere = path !== undefined && (await stat(join(path, 'CURRENT')).catch(() => undefined)) !== undefined;
  if (!isThere) return act(undefined);
  const store = await openStateStore(path, { readOnly: true });
  try {
    // A checkpoint is never ahead of its changelog, but the log may have been opened before it was written.
    await refresh();
    return await act(store);
  } finally {
    await store.close();
  }
}

/** A store that is deleted afterwards. */
export function withScratch<T>(act: (store: StateStore) => Promise<T>): Promise<T> {
  return withScratchFolder(tmpdir(), 'crawlstream-state-', async (path) => {
    const store = await openStateStore(path);
    try {
      return await act(store);
    } finally {
      await store.close();
    }
  });
}

/** The partitions asked for: one, or all. */
export function partitionsOf({ manifest }: StateSource, { partition }: Pick<StateFlags, 'partition'>): number[] {
  if (partition === undefined) return Array.from({ length: manifest.partitions }, (_, number) => number);
  if (partition < manifest.partitions) return [partition];
  const message = `--partition ${partition}: the crawl has partitions 0 to ${manifest.partitions - 1}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

/** Returns the position of a state, and its digest. */
export function statusOf(partition: number, state: FrontierState) {
  const { offset, epoch, seq } = state.changelog;
  return { partition, position: offset, epoch, seq, urls: state.counters.admitted, digest: digest(state) };
}
