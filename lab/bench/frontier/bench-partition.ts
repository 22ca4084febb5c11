/**
 * One partition as `crawl` runs it: its owner over the embedded log and a state store, both on RocksDB, with inputs
 * from a bench. Closing keeps the folder, so that it can be opened again or weighed.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PartitionOwner } from '../../../services/frontier/own/partition-owner.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { createEmbeddedRegistry } from '../../../services/runtime/avro/schema-registry.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords } from '../../../services/runtime/crawl/requests.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { crawlLimits } from '../../../topology/policy/crawl-limits.ts';
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { topicNames, topics } from '../../../topology/topics.ts';
import type { PlayedLog, Player } from './played-log.ts';
import { playedLog } from './played-log.ts';

export const benchCrawl = 'bench';
export const benchKey = { hi: 0x1234_5678, lo: 0x9abc_def0 };
const crawl = benchCrawl;
const clock = new SystemClock();

export interface BenchPartition {
  readonly owner: PartitionOwner;
  readonly played: PlayedLog;
  /** Works until `owner.stop()`; then every decision is durable and the checkpoint is written. */
  run(): Promise<void>;
  close(): Promise<void>;
}

export interface BenchPartitionOptions {
  readonly folder: string;
  readonly player: Player;
  readonly policy?: Partial<PolicyConfig>;
  readonly seen?: SeenConfig;
  /** Most leases at once; asked at each turn. Absent: none. */
  readonly leasesMax?: () => number;
}

export async function openBenchPartition(options: BenchPartitionOptions): Promise<BenchPartition> {
  const { folder, player, policy = {}, seen, leasesMax = () => 0 } = options;
  const logStore = await openStore(logFolder(folder));
  const store = await openStore(stateFolder(folder));
  const log = await openEmbeddedLog(logStore, clock, { groupIntervalMs: crawlLimits.groupIntervalMs });
  await log.createTopics(
    topicNames.map((name) => ({ name: `${crawl}.${name}`, partitions: 1, retention: topics[name].retention })),
  );
  const codec = await openCodec(createEmbeddedRegistry(logStore), crawl);
  const config = { ...defaultPolicy(), queuedMax: Number.MAX_SAFE_INTEGER, ...policy };
  const { end } = await log.offsets(`${crawl}.control`, 0);
  if (end === 0) {
    const manifest = { crawl, partitions: 1, keyMode: 'host' } as const;
    await log.append(policyRecords(codec, manifest, config, 'bench', clock.nowMs()));
  }
  const played = playedLog(log, codec, crawl, player);
  const owner = new PartitionOwner({
    log: played.log,
    codec: played.codec,
    clock,
    store,
    identity: { crawl, partition: 0, partitions: 1 },
    key: benchKey,
    seen,
    endsLeases: true,
    get leasesMax() {
      return leasesMax();
    },
    onReopen: (error) => {
      throw error;
    },
  });
  return {
    owner,
    played,
    run: () => owner.run(),
    close: async () => {
      await log.close();
      await logStore.close();
      await store.close();
    },
  };
}

/** Folder of the partition's state, without its log. */
export function stateFolder(folder: string): string {
  return join(folder, 'state');
}

/** Folder of its log. */
export function logFolder(folder: string): string {
  return join(folder, 'log');
}

async function openStore(folder: string) {
  await mkdir(folder, { recursive: true });
  return openStateStore(folder);
}
