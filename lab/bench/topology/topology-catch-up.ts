/** One frontier process that catches up with a filled `discovered`: the cost of all of its threads until it has. */
import { join } from 'node:path';
import { createApplication } from '../../../services/application/application.ts';
import { createNoRegistry } from '../../../services/runtime/avro/no-registry.ts';
import { openCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openKafkaLog } from '../../../services/runtime/log/kafka/kafka-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import { sumCounters } from '../../../topology/frontier/changes/counters.ts';
import type { BenchOptions } from '../bench-options.ts';
import { benchKey } from '../frontier/bench-partition.ts';
import { profileStages } from '../frontier/frontier-stages.ts';
import { peakRssBytes, startCost } from '../process/process-cost.ts';
import { type ThreadCpu, threadCpu } from '../process/thread-cpu.ts';

export interface CaughtUp {
  readonly admitted: number;
  readonly tasks: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly threads: ThreadCpu | undefined;
  readonly rssBytes: number;
}

/** Time between two checks of its progress. */
const lookMs = 20;

export async function catchUp(
  { brokers, crawl, partitions, urls, compression, profile }: BenchOptions,
  folder: string,
): Promise<CaughtUp> {
  const clock = new SystemClock();
  const log = await openKafkaLog({ brokers: brokers.split(','), clientId: 'frontier', compression });
  try {
    const codec = await openCodec(createNoRegistry(), crawl);
    const endProfile = profile === undefined ? undefined : await profileStages(profile);
    const [before, cost] = [threadCpu(), startCost()];
    const manifest = { crawl, partitions, keyMode: 'host' } as const;
    const group = await createApplication({ log, codec, clock, manifest }).frontierMember({
      key: benchKey,
      endsLeases: false,
      leasesPerPartition: 10_000,
      openStore: (partition) => openStateStore(join(folder, `${partition}`)),
      onFailure: (error) => {
        throw error;
      },
    });
    const counters = () => sumCounters([...group.committed().values()].flatMap((one) => (one ? [one.counters] : [])));
    while (counters().discovered < urls) await clock.sleepUntil(clock.nowMs() + lookMs);
    const { admitted, leases } = counters();
    await group.stop();
    const spent = cost();
    const threads = since(before, threadCpu());
    await endProfile?.();
    return { admitted, tasks: leases, ...spent, threads, rssBytes: peakRssBytes() };
  } finally {
    await log.close();
  }
}

function since(before: ThreadCpu | undefined, now: ThreadCpu | undefined): ThreadCpu | undefined {
  if (before === undefined || now === undefined) return undefined;
  return {
    mainMs: now.mainMs - before.mainMs,
    rocksdbMs: now.rocksdbMs - before.rocksdbMs,
    helperMs: now.helperMs - before.helperMs,
  };
}
