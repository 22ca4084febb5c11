/**
 * A crawl's log in memory. Nothing is ever restored from it, so it drops records that the frontier has decided, or that
 * have no reader.
 */
import { topicNames, topicsOfCrawl } from '../../topology/topics.ts';
import { createMemoryRegistry } from '../runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../runtime/log/embedded-log.ts';
import { createMemoryStore } from '../runtime/store/memory-store.ts';

export interface MemoryLog {
  readonly log: EmbeddedLog;
  readonly codec: RecordCodec;
}

/** Recent records are in the store anyway; readers that keep up take them from here. */
const tailBytes = 4 * 1024 * 1024;
const forgetEveryMs = 250;

export async function openMemoryLog(crawl: string, partitions: number, clock: Clock): Promise<MemoryLog> {
  const log = await openEmbeddedLog(createMemoryStore(), clock, { tailBytes });
  await log.createTopics(topicsOfCrawl(crawl, partitions));
  return { log, codec: await openCodec(createMemoryRegistry(), crawl) };
}

/** The read position in the single partition of each topic; undefined: unknown yet. */
export type ReadFrom = () => Readonly<Record<'results' | 'discovered' | 'tasks', number>> | undefined;

/** Drops old records from now on, until `stop`. `control` stays: it is small, and read from its beginning. */
export function forgetRegularly({ log }: MemoryLog, crawl: string, clock: Clock, readFrom: ReadFrom) {
  const stopping = new AbortController();
  const forget = async () => {
    while (!stopping.signal.aborted) {
      const from: Partial<Record<string, number>> | undefined = readFrom();
      for (const topic of topicNames) {
        if (from === undefined || topic === 'control') continue;
        const name = `${crawl}.${topic}`;
        const { end } = await log.offsets(name, 0);
        await log.trim(name, 0, Math.min(end, from[topic] ?? end));
      }
      await clock.sleepUntil(clock.nowMs() + forgetEveryMs, stopping.signal);
    }
  };
  const forgetting = forget();
  const failed = new Promise<never>((_, reject) => {
    forgetting.catch(reject);
  });
  failed.catch(() => {});
  return {
    failed,
    async stop() {
      stopping.abort();
      await Promise.allSettled([forgetting]);
    },
  };
}
