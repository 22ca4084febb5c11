/** Owners of one partition over an embedded log in memory, with a log and stores that can be made to fail. */

import type { Task } from '../../../schemas/types.ts';
import { type OwnerOptions, PartitionOwner } from '../../../services/frontier/own/partition-owner.ts';
import { createMemoryRegistry } from '../../../services/runtime/avro/memory-registry.ts';
import { openCodec, type RecordCodec } from '../../../services/runtime/avro/record-codec.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { policyRecords, seedRecords } from '../../../services/runtime/crawl/requests.ts';
import { type EmbeddedLog, openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import type { AppendRecord, Log } from '../../../services/runtime/log/log.ts';
import { recordsOf } from '../../../services/runtime/log/records-of.ts';
import { createMemoryStore } from '../../../services/runtime/store/memory-store.ts';
import { type Claim, type Commit, decodeChangelog } from '../../../topology/frontier/changes/changelog.ts';
import { replay } from '../../../topology/frontier/replay.ts';
import { FrontierState } from '../../../topology/frontier/state/state.ts';
import { defaultPolicy } from '../../../topology/policy/policy.ts';
import { topicNames, topics } from '../../../topology/topics.ts';

export const clock = new SystemClock();
export const key = { hi: 0x1234_5678, lo: 0x9abc_def0 };
export const identity = { crawl: 't', partition: 0, partitions: 1 };
export const changelog = 't.frontier-changelog';

export interface Harness {
  readonly log: EmbeddedLog;
  readonly codec: RecordCodec;
  /** Links to so many new hosts arrive, with paths of so many characters. */
  discover(hosts: number, pathChars?: number): Promise<void>;
  /** Links to these URLs arrive. */
  discoverUrls(urls: readonly string[]): Promise<void>;
  owner(options?: Partial<OwnerOptions>): PartitionOwner;
  tasks(): Promise<Task[]>;
  records(): Promise<readonly (readonly [offset: number, record: Claim | Commit])[]>;
  /** What a reader of the whole changelog comes to, and the leases it saw granted, as `epoch/id`. */
  replayed(): Promise<{ readonly state: FrontierState; readonly granted: ReadonlySet<string> }>;
}

export async function startHarness(): Promise<Harness> {
  const log = await openEmbeddedLog(createMemoryStore(), clock);
  await log.createTopics(
    topicNames.map((name) => ({ name: `t.${name}`, partitions: 1, retention: topics[name].retention })),
  );
  const codec = await openCodec(createMemoryRegistry(), 't');
  const crawlTopics = { crawl: 't', partitions: 1, keyMode: 'host' } as const;
  await log.append(policyRecords(codec, crawlTopics, defaultPolicy(), 'test', clock.nowMs()));
  let hostsSoFar = 0;

  /** A message each. */
  const discoverUrls = async (urls: readonly string[]) => {
    await log.append(urls.flatMap((url) => seedRecords(codec, crawlTopics, [url], clock.nowMs())));
  };
  const all = async (topic: string) => {
    const records = [];
    const { end } = await log.offsets(topic, 0);
    for await (const record of recordsOf(log, topic, 0, 0, end)) records.push(record);
    return records;
  };
  const records: Harness['records'] = async () =>
    (await all(changelog)).map(({ offset, value }) => [offset, decodeChangelog(value)] as const);
  return {
    log,
    codec,
    discover(hosts, pathChars = 0) {
      const path = 'x'.repeat(pathChars);
      return discoverUrls(Array.from({ length: hosts }, () => `http://h${hostsSoFar++}.test/${path}`));
    },
    discoverUrls,
    owner: (options = {}) =>
      new PartitionOwner({
        log,
        codec,
        clock,
        store: createMemoryStore(),
        identity,
        key,
        endsLeases: false,
        leasesMax: 10_000,
        ...options,
      }),
    tasks: async () => (await all('t.tasks')).map(({ value }) => codec.decode('tasks', value)),
    records,
    async replayed() {
      const state = new FrontierState(key);
      const granted = new Set<string>();
      for (const [offset, record] of await records()) {
        const before = new Set(state.leases.keys());
        replay(state, offset, record);
        for (const id of state.leases.keys()) if (!before.has(id)) granted.add(`${state.changelog.epoch}/${id}`);
      }
      return { state, granted };
    },
  };
}

/** The log, with something done to appends of one topic before they are made. */
export function intercept(log: Log, topic: string, before: (records: readonly AppendRecord[]) => Promise<void>): Log {
  return {
    ...log,
    append: async (records) => {
      if (records.some((record) => record.topic === topic)) await before(records);
      return log.append(records);
    },
  };
}

export { until } from '../until.ts';
