/**
 * Opens the log of a data folder for writing: no other process may use the folder, nor may consumers of a killed one
 * still run.
 */
import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import { awaitConsumersGone, consumersPart } from '../../application/workers/consumers-lock.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { createEmbeddedRegistry, type SchemaRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import { crawlsNear, type DataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { EmbeddedLog, EmbeddedLogOptions } from '../../runtime/log/embedded-log.ts';
import { openEmbeddedLog } from '../../runtime/log/embedded-log.ts';
import type { Log } from '../../runtime/log/log.ts';
import { logLimits } from '../../runtime/log/log-limits.ts';
import { type Journal, leaveJournal } from '../../runtime/store/journal/journal.ts';
import type { StateStore, StoreOptions } from '../../runtime/store/store.ts';
import { refuseLogDamage } from '../../runtime/store/write-ahead-log.ts';
import { logFolder } from './crawl-folder.ts';
import { withStores } from './stores.ts';

export interface FolderLog {
  readonly log: EmbeddedLog;
  readonly codec: RecordCodec;
  /** The codec's requests. */
  readonly registry: SchemaRegistry;
}

/** The log of a crawl that one process runs as a whole, wherever it is kept. */
export interface WholeLog {
  readonly log: Log & Partial<Pick<EmbeddedLog, 'expire'>>;
  readonly codec: RecordCodec;
  /** The registry for processes that fetch beside this one. Absent: there are none. */
  readonly registry?: SchemaRegistry | undefined;
}

export interface FolderLogOptions extends Pick<EmbeddedLogOptions, 'groupIntervalMs' | 'tailBytes'> {
  readonly store?: StoreOptions | undefined;
  /** Syncs this log's appends to disk together with those of other logs. Absent: the log syncs alone. */
  readonly journal?: Pick<Journal, 'store'> | undefined;
}

/** The crawl's topics exist afterwards. */
export function withFolderLog<T>(
  folder: DataFolder,
  clock: Clock,
  act: (opened: FolderLog) => Promise<T>,
  { store: storeOptions = {}, journal, ...options }: FolderLogOptions = {},
): Promise<T> {
  return withStores(async (open) => {
    await refuseLogDamage(logFolder(folder));
    const own = await open(logFolder(folder), storeOptions);
    await readThroughTables(own, logFolder(folder));
    await awaitConsumersGone(folder.part(consumersPart));
    if (journal === undefined) await leaveJournal(own);
    const store = (await journal?.store(own)) ?? own;
    const log = await openEmbeddedLog(store, clock, options).catch(async (error) => {
      await store.close();
      throw error;
    });
    try {
      const { crawl, partitions } = folder.manifest;
      await log.createTopics(topicsOfCrawl(crawl, partitions));
      for (let partition = 0; partition < partitions; partition++) {
        const decided = await log.last(`${crawl}.frontier-changelog`, partition);
        if (decided !== undefined) clock.goOnFrom?.(decided.timestampMs);
      }
      const registry = createEmbeddedRegistry(store);
      return await act({ log, codec: await openCodec(registry, crawl), registry });
    } finally {
      await log.close();
      await store.close();
    }
  });
}

/** Returns the data folder of a command. Throws INVALID_ARGUMENT if none is named, and lists those nearby. */
export async function needData({ data }: { readonly data?: string | undefined }): Promise<string> {
  if (data !== undefined) return data;
  const here = await crawlsNear(resolve('crawl-data'));
  throw missingData(here.map((folder) => relative('', folder) || '.'));
}

export function missingData(here: readonly string[] = []): CrawlstreamError {
  const hint = process.env['CRAWLSTREAM_DATA'] === '' ? ' (CRAWLSTREAM_DATA is set, but empty)' : '';
  const such = here.length === 0 ? '' : `, such as ${here.join(' or ')}`;
  const message = `--data is missing${hint}: name the data folder of the crawl${such}, or its --brokers`;
  return new CrawlstreamError('INVALID_ARGUMENT', message);
}

/** Reads all tables, which have checksums, so that a damaged one fails here, and not after pages were stored. */
async function readThroughTables(store: StateStore, folder: string): Promise<void> {
  const tables = (await readdir(folder)).filter((name) => /\.(sst|ldb)$/.test(name));
  const sizes = await Promise.all(
    tables.map(async (name) => (await stat(join(folder, name)).catch(() => null))?.size ?? 0),
  );
  if (sizes.reduce((sum, size) => sum + size, 0) > logLimits.checkedTablesBytesMax) return;
  for await (const _ of store.scan({ gte: Buffer.alloc(0), lt: Buffer.alloc(1, 0xff) }));
}
