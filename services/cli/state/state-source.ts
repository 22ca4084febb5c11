/** Where the `state` commands find a crawl: its topics, and the folder with the views of some or all partitions. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { PartitionIdentity } from '../../../topology/frontier/decision.ts';
import { digest } from '../../../topology/frontier/digest.ts';
import type { FingerprintKey, FrontierState } from '../../../topology/frontier/state.ts';
import { openCodec, type RecordCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { type DataFolder, readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Log } from '../../runtime/log/log.ts';
import { openReadOnlyLog } from '../../runtime/log/read-only.ts';
import { openRocksdbStore } from '../../runtime/store/rocksdb-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { fingerprintKeyOf, logFolder, stateFolder } from '../connect/crawl-folder.ts';
import { withKafka } from '../connect/kafka-connection.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';

export interface StateFlags extends KafkaFlags {
  readonly partition?: number;
  readonly json?: boolean;
}

export interface StateSource {
  readonly log: Pick<Log, 'committed' | 'offsetAt' | 'offsets' | 'reader'>;
  /** null: the log is in the data folder, and whoever crawls there holds it. */
  readonly brokersLog: Log | null;
  /** Sees what was written up to now: a data folder's log is of one moment. */
  refresh(): Promise<void>;
  readonly codec: RecordCodec;
  readonly clock: SystemClock;
  readonly manifest: Manifest;
  readonly key: FingerprintKey;
  /** null: only the topics are known. */
  readonly folder: DataFolder | null;
}

export async function withStates(flags: KafkaFlags, act: (source: StateSource) => Promise<void>): Promise<void> {
  const clock = new SystemClock();
  if (flags.brokers !== undefined) {
    return withKafka(flags, clock, false, async ({ log, codec, manifest }) => {
      const folder = flags.data === undefined ? null : await readDataFolder(flags.data);
      if (folder !== null && folder.manifest.fingerprintKey !== manifest.fingerprintKey) {
        const message = `--data ${folder.path} belongs to another crawl (${folder.manifest.crawl}): name one of ${manifest.crawl}`;
        throw new CrawlstreamError('DATA_FOLDER_FOREIGN', message);
      }
      const refresh = async () => {};
      await act({ log, brokersLog: log, refresh, codec, clock, manifest, key: fingerprintKeyOf(manifest), folder });
    });
  }
  if (flags.data === undefined) {
    const message = '--data is missing: name the data folder of the crawl, or its --brokers';
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const folder = await readDataFolder(flags.data);
  const { manifest } = folder;
  const log = await openReadOnlyLog(logFolder(folder), clock);
  try {
    const codec = await openCodec(log.registry, manifest.crawl);
    const { refresh } = log;
    await act({ log, brokersLog: null, refresh, codec, clock, manifest, key: fingerprintKeyOf(manifest), folder });
  } finally {
    await log.close();
  }
}

export function identityOf({ manifest }: Pick<StateSource, 'manifest'>, partition: number): PartitionIdentity {
  return { crawl: manifest.crawl, partition, partitions: manifest.partitions };
}

/** The view in the folder, as it stands, also beside the process that writes it; undefined where there is none. */
export async function withView<T>(
  { folder, refresh }: Pick<StateSource, 'folder' | 'refresh'>,
  partition: number,
  act: (store: StateStore | undefined) => Promise<T>,
): Promise<T> {
  const path = folder === null ? undefined : stateFolder(folder, partition);
  const isThere = path !== undefined && (await stat(join(path, 'CURRENT')).catch(() => undefined)) !== undefined;
  if (!isThere) return act(undefined);
  const store = await openRocksdbStore(path, { readOnly: true });
  try {
    // A view is never ahead of its changelog, but may be of a log that was opened before it.
    await refresh();
    return await act(store);
  } finally {
    await store.close();
  }
}

/** A store that is gone afterwards. */
export async function withScratch<T>(act: (store: StateStore) => Promise<T>): Promise<T> {
  const path = await mkdtemp(join(tmpdir(), 'crawlstream-state-'));
  try {
    const store = await openRocksdbStore(path);
    try {
      return await act(store);
    } finally {
      await store.close();
    }
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}

/** Those asked for: one, or all. */
export function partitionsOf({ manifest }: StateSource, { partition }: Pick<StateFlags, 'partition'>): number[] {
  if (partition === undefined) return Array.from({ length: manifest.partitions }, (_, number) => number);
  if (partition < manifest.partitions) return [partition];
  const message = `--partition ${partition}: the crawl has partitions 0 to ${manifest.partitions - 1}`;
  throw new CrawlstreamError('INVALID_ARGUMENT', message);
}

/** Where a state stands, and its digest. */
export function standing(partition: number, state: FrontierState) {
  const { offset, epoch, seq } = state.changelog;
  return { partition, position: offset, epoch, seq, urls: state.counters.admitted, digest: digest(state) };
}
