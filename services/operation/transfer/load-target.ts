/** The targets of a loaded dump: a data folder with its log and states, or a crawl on Kafka with scratch folders. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { seenLimits } from '../../../topology/frontier/seen/seen-limits.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import { PartitionLoader } from '../../frontier/transfer/partition-loader.ts';
import { fingerprintKeyOf, stateFolder } from '../../hosting/connect/crawl-folder.ts';
import { type FolderLog, missingData, withFolderLog } from '../../hosting/connect/folder-log.ts';
import { withKafka } from '../../hosting/connect/kafka-connection.ts';
import { type NewCrawl, newCrawl } from '../../hosting/connect/new-crawl.ts';
import { withStores } from '../../hosting/connect/stores.ts';
import type { KafkaFlags } from '../../hosting/options/crawl-place.ts';
import { printRestore } from '../../hosting/progress/restore-text.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Clock } from '../../runtime/clock.ts';
import { adoptDataFolder, type DataFolder, openDataFolder } from '../../runtime/data-folder/data-folder.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import { withScratchFolder } from '../../runtime/disk/scratch-folder.ts';
import type { Log } from '../../runtime/log/log.ts';
import { productVersion } from '../../runtime/version.ts';
import { refuseMembers } from './refuse-members.ts';

export interface LoadTarget {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly manifest: Manifest;
  /** The loader of every partition, which has claimed it. */
  readonly loaders: readonly PartitionLoader[];
  /** null: the crawl is on Kafka. */
  readonly folder: DataFolder | null;
}

/** `source`: the name of the loaded dump; null: known URLs, into any crawl. */
export async function withTarget(
  flags: KafkaFlags,
  clock: Clock,
  fresh: NewCrawl,
  source: string | null,
  act: (target: LoadTarget) => Promise<void>,
): Promise<void> {
  const withLoaders = (
    crawl: Omit<LoadTarget, 'loaders' | 'folder'>,
    folder: DataFolder | null,
    pathOf: (partition: number) => string,
  ) =>
    withStores(async (open) => {
      const { crawl: name, partitions } = crawl.manifest;
      const key = fingerprintKeyOf(crawl.manifest);
      const shared = { ...crawl, clock, key, source, seen: seenOf(partitions), onProgress: printRestore };
      const loaders: PartitionLoader[] = [];
      for (let partition = 0; partition < partitions; partition++) {
        const identity = { crawl: name, partition, partitions };
        loaders.push(await PartitionLoader.open({ ...shared, identity, store: await open(pathOf(partition)) }));
      }
      await act({ ...crawl, loaders, folder });
    });
  if (flags.brokers !== undefined) {
    await withKafka(flags, clock, fresh, async (crawl) => {
      await refuseMembers(crawl.log, crawl.manifest.crawl, 'load');
      if (flags.data !== undefined) {
        const kept = await adoptDataFolder(flags.data, crawl.manifest);
        return withLoaders(crawl, null, (partition) => stateFolder(kept, partition));
      }
      await withScratchFolder(tmpdir(), 'crawlstream-load-', (scratch) =>
        withLoaders(crawl, null, (partition) => join(scratch, `${partition}`)),
      );
    });
    return;
  }
  const folder = await openFolder(flags, clock, fresh);
  const { manifest } = folder;
  const pathOf = (partition: number) => stateFolder(folder, partition);
  const load = (opened: FolderLog) => withLoaders({ ...opened, manifest }, folder, pathOf);
  await withFolderLog(folder, clock, load, { groupIntervalMs: crawlLimits.groupIntervalMs });
}

function openFolder(flags: KafkaFlags, clock: Clock, fresh: NewCrawl): Promise<DataFolder> {
  const { partitions = fresh.partitions ?? 1 } = flags;
  const { keyMode, fingerprintKey } = fresh;
  const usual = newCrawl(flags.crawl, partitions);
  const wanted = {
    ...(flags.partitions !== undefined && { partitions }),
    ...(keyMode !== undefined && { keyMode }),
  };
  if (flags.data === undefined) throw missingData();
  return openDataFolder(flags.data, wanted, {
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
