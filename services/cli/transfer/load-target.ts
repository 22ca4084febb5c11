/** Where a dump is loaded into: a data folder with its log and states, or a crawl on Kafka and scratch folders. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { crawlLimits, seenLimits } from '../../../topology/limits.ts';
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { KeyMode } from '../../../topology/url/host-key.ts';
import { type LoaderOptions, PartitionLoader } from '../../frontier/transfer/partition-loader.ts';
import { openCodec, type RecordCodec } from '../../runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../runtime/avro/schema-registry.ts';
import type { Clock } from '../../runtime/clock.ts';
import { adoptDataFolder, type DataFolder, openDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { openEmbeddedLog } from '../../runtime/log/embedded-log.ts';
import type { Log } from '../../runtime/log/log.ts';
import { openRocksdbStore } from '../../runtime/store/rocksdb-store.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { fingerprintKeyOf, logFolder, stateFolder } from '../connect/crawl-folder.ts';
import { withKafka } from '../connect/kafka-connection.ts';
import { newCrawl } from '../connect/new-crawl.ts';
import { needCrawl } from '../connect/send-request.ts';
import type { KafkaFlags } from '../flags/kafka-flags.ts';
import { printRestore } from '../terminal/restore-text.ts';
import { productVersion } from '../terminal/version.ts';

/** What a new crawl is made with where the flags do not say. */
export interface NewCrawl {
  readonly partitions?: number | undefined;
  readonly keyMode?: KeyMode | undefined;
  readonly fingerprintKey?: string | undefined;
}

export interface LoadTarget {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly manifest: Manifest;
  /** Of every partition, claimed. */
  readonly loaders: readonly PartitionLoader[];
  /** null: the crawl is on Kafka. */
  readonly folder: DataFolder | null;
}

/** `source`: what is loaded, by name; null: known URLs, into any crawl. */
export async function withTarget(
  flags: KafkaFlags,
  clock: Clock,
  fresh: NewCrawl,
  source: string | null,
  act: (target: LoadTarget) => Promise<void>,
): Promise<void> {
  const stores: StateStore[] = [];
  const open = async (path: string) => {
    await mkdir(path, { recursive: true });
    const store = await openRocksdbStore(path);
    stores.push(store);
    return store;
  };
  const withLoaders = async (
    crawl: Omit<LoadTarget, 'loaders' | 'folder'>,
    folder: DataFolder | null,
    pathOf: (n: number) => string,
  ) => {
    const { manifest } = crawl;
    const loaders: PartitionLoader[] = [];
    for (let partition = 0; partition < manifest.partitions; partition++) {
      const identity = { crawl: manifest.crawl, partition, partitions: manifest.partitions };
      const store = await open(pathOf(partition));
      const key = fingerprintKeyOf(manifest);
      const seen = seenOf(manifest.partitions);
      const options: LoaderOptions = { ...crawl, clock, identity, key, store, source, seen, onProgress: printRestore };
      loaders.push(await PartitionLoader.open(options));
    }
    await act({ ...crawl, loaders, folder });
  };
  try {
    if (flags.brokers !== undefined) {
      await withKafka(flags, clock, fresh, async (crawl) => {
        const kept = flags.data === undefined ? null : await adoptDataFolder(flags.data, crawl.manifest);
        const scratch = kept === null ? await mkdtemp(join(tmpdir(), 'crawlstream-load-')) : '';
        try {
          await withLoaders(crawl, null, (n) => (kept === null ? join(scratch, `${n}`) : stateFolder(kept, n)));
        } finally {
          for (const store of stores.splice(0)) await store.close();
          if (scratch !== '') await rm(scratch, { recursive: true, force: true });
        }
      });
      return;
    }
    const folder = await openFolder(flags, clock, fresh);
    const store = await open(logFolder(folder));
    const log = await openEmbeddedLog(store, clock, { groupIntervalMs: crawlLimits.groupIntervalMs });
    try {
      const { crawl, partitions } = folder.manifest;
      await log.createTopics(topicsOfCrawl(crawl, partitions));
      const codec = await openCodec(createEmbeddedRegistry(store), crawl);
      await withLoaders({ log, codec, manifest: folder.manifest }, folder, (n) => stateFolder(folder, n));
    } finally {
      await log.close();
    }
  } finally {
    for (const store of stores) await store.close();
  }
}

function openFolder(flags: KafkaFlags, clock: Clock, fresh: NewCrawl): Promise<DataFolder> {
  const { partitions = fresh.partitions ?? 1 } = flags;
  const { keyMode, fingerprintKey } = fresh;
  const usual = newCrawl(flags.crawl, partitions);
  const wanted = {
    ...(flags.partitions !== undefined && { partitions }),
    ...(keyMode !== undefined && { keyMode }),
  };
  return openDataFolder(needCrawl(flags), wanted, {
    defaults: usual,
    createdBy: productVersion,
    clock,
    fingerprintKey,
  });
}

function seenOf(partitions: number): SeenConfig {
  return {
    kind: 'exact',
    memoryBytes: Math.ceil((crawlLimits.seenMemoryMb * 2 ** 20) / partitions),
    bloomUrls: Math.ceil(seenLimits.bloomUrls / partitions),
    bloomErrors: seenLimits.bloomErrors,
  };
}
