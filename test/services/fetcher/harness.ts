/** A whole fetcher on a log in memory: grants leases, reads back what it published. */

import type { TestContext } from 'node:test';
import { blankTask } from '../../../schemas/blank.ts';
import type { DeadLetter, LinkGroup, Outcome, Page, Request, Result, Task } from '../../../schemas/types.ts';
import { parseResolveOverride } from '../../../services/fetcher/connect/resolve-override.ts';
import { type Fetcher, startFetcher } from '../../../services/fetcher/fetcher.ts';
import type { FetcherConfig } from '../../../services/fetcher/fetcher-config.ts';
import type { FetcherOptions } from '../../../services/fetcher/fetcher-options.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import type { AppendRecord, Log } from '../../../services/runtime/log/log.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { type AvroTopic, topicNames, topics } from '../../../topology/topics.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';

export const clock = new SystemClock();

export interface LeaseOutput {
  readonly results: readonly Result[];
  readonly outcomes: readonly Outcome[];
  readonly requests: readonly Request[];
}

export interface Harness {
  readonly log: Log;
  readonly codec: RecordCodec;
  readonly fetcher: Fetcher;
  /** Every append as it was issued (`asked`) and as it was acked. */
  readonly appends: { readonly asked: string[]; readonly acked: string[] };
  /** Grants a lease and waits for its last result. */
  lease(task: Partial<Task> & { readonly urls: Task['urls'] }): Promise<LeaseOutput>;
  grant(task: Partial<Task> & { readonly urls: Task['urls'] }): Promise<Task>;
  ended(leaseId: number): Promise<LeaseOutput>;
  pages(): Promise<Page[]>;
  groups(): Promise<LinkGroup[]>;
  links(): Promise<string[]>;
  deadLetters(): Promise<DeadLetter[]>;
  all(topic: AvroTopic): Promise<unknown[]>;
}

export interface HarnessOptions extends Partial<Pick<FetcherOptions, 'dnsLookup' | 'crawlPace'>> {
  readonly config?: Partial<FetcherConfig>;
  /** ms that each append takes. */
  readonly appendMs?: number;
  /** Stands in for the commit of tasks' offsets. */
  readonly commit?: Log['commit'];
  /** Of every topic; the first is the one that leases are granted on and read back from. Absent: 1. */
  readonly partitions?: number;
}

export function taskUrls(...urls: string[]): Task['urls'] {
  return urls.map((url) => ({
    url,
    depth: 1,
    hop: 0,
    attempt: 0,
    etag: '',
    lastModified: '',
    cash: 0,
    traceparent: '',
    payload: '',
    normal: '',
    unsigned: false,
    tags: [],
  }));
}

export async function startHarness(test: TestContext, options: HarnessOptions = {}): Promise<Harness> {
  const partitions = options.partitions ?? 1;
  const memory = await openEmbeddedLog(createMemoryStore(), clock);
  await memory.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions, retention: topics[name].retention })),
  );
  const appends = { asked: [] as string[], acked: [] as string[] };
  const { isAtomic: _, ...oneByOne } = memory;
  const log: Log = {
    // A log over a network takes the records of an append one by one.
    ...(options.appendMs === undefined ? memory : oneByOne),
    ...(options.commit !== undefined && { commit: options.commit }),
    async append(records: readonly AppendRecord[]) {
      for (const { topic } of records) appends.asked.push(topic);
      if (options.appendMs !== undefined) await new Promise((resolve) => setTimeout(resolve, options.appendMs));
      const offsets = await memory.append(records);
      for (const { topic } of records) appends.acked.push(topic);
      return offsets;
    },
  };
  const codec = await openCodec(createMemoryRegistry(), 't');
  const failures: unknown[] = [];
  const fetcher = startFetcher({
    log,
    codec,
    clock,
    crawl: 't',
    partitions,
    keyMode: 'host',
    fetcherId: 'f1',
    normalize: compileNormalizer(),
    group: 't.fetchers',
    positions: [{ partition: 0, offset: 0 }],
    onFailure: (error) => failures.push(error),
    ...(options.dnsLookup === undefined ? {} : { dnsLookup: options.dnsLookup }),
    ...(options.crawlPace === undefined ? {} : { crawlPace: options.crawlPace }),
    config: {
      version: '0.0.0',
      contact: 'https://example.org/bot',
      allowPrivate: true,
      resolve: [parseResolveOverride('*:127.0.0.1')],
      addressDelayMs: 0,
      groupSize: () => 1,
      linksMax: 1_000,
      ...options.config,
    },
  });
  test.after(async () => {
    await fetcher.stop(0);
    await memory.close();
    if (failures.length > 0) throw failures[0];
  });

  let lastLeaseId = 0;
  const all = async (topic: AvroTopic) => {
    const { start, end } = await memory.offsets(`t.${topic}`, 0);
    if (start === end) return [];
    const reader = memory.reader();
    reader.seek(`t.${topic}`, 0, start);
    const records: unknown[] = [];
    while (records.length < end - start) {
      for (const { value } of await reader.poll({ maxBytes: 1e9, waitMs: 100 }))
        records.push(codec.decode(topic, value));
    }
    await reader.close();
    return records;
  };

  const harness: Harness = {
    log,
    codec,
    fetcher,
    appends,
    all,
    async grant(task) {
      const nowMs = clock.nowMs();
      const full: Task = {
        ...blankTask,
        epoch: 1,
        leaseId: ++lastLeaseId,
        hostKey: task.urls[0] === undefined ? '' : new URL(task.urls[0].url).host,
        grantedAtMs: nowMs,
        deadlineMs: nowMs + 60_000,
        crawlDelayCapMs: 10_000,
        policyVersion: 1,
        ...task,
      };
      await memory.append([{ topic: 't.tasks', partition: 0, key: null, value: codec.encode('tasks', full) }]);
      return full;
    },
    async ended(leaseId) {
      for (;;) {
        const results = ((await all('results')) as Result[]).filter((result) => result.leaseId === leaseId);
        if (results.some((result) => result.last)) {
          return {
            results,
            outcomes: results.flatMap((result) => result.outcomes).sort((a, b) => a.index - b.index),
            requests: results.flatMap((result) => result.requests),
          };
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async lease(task) {
      const { leaseId } = await harness.grant(task);
      return harness.ended(leaseId);
    },
    pages: async () => (await all('pages')) as Page[],
    groups: async () => ((await all('discovered')) as { groups: LinkGroup[] }[]).flatMap((one) => one.groups),
    links: async () => (await harness.groups()).flatMap((group) => group.links.map((link) => link.url)),
    deadLetters: async () => (await all('dead-letters')) as DeadLetter[],
  };
  return harness;
}
