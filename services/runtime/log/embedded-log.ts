/**
 * The embedded log: every topic of a crawl in one state store, in one process.
 *
 * Over RocksDB it is durable: an append resolves after its group's synced write. Over the memory store it is the twin
 * for tests and the simulator. No holes in offsets, appends are atomic, and `offsets().end` counts durable records only.
 * The log does not own its store: close the log first, then the store.
 */

import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../clock.ts';
import type { StateStore } from '../store/store.ts';
import { createReader, type EmbeddedReader, type OnLost, readStored } from './embedded-reader.ts';
import { eraseRecords } from './erase.ts';
import { createGroupCommit } from './group-commit.ts';
import type { Log, LogTopic } from './log.ts';
import { logLimits } from './log-limits.ts';
import { addTopic, partitionOf, recoverTopics, type Topics } from './partitions.ts';
import * as rows from './rows.ts';
import { createTail } from './tail.ts';
import { offsetAt, trimPartition } from './trim.ts';

export interface EmbeddedLog extends Log {
  /** Every topic there is, by name. */
  topics(): LogTopic[];
  /**
   * Retention by age: forgets records of a `time` topic appended before `beforeMs` (ms since the Unix epoch) and
   * returns the partition's new start. Throws INVALID_ARGUMENT for a `state` topic, which only snapshots may trim.
   */
  expire(topic: string, partition: number, beforeMs: number): Promise<number>;
  /**
   * Removes key, headers and value of these records; their offsets stay. Throws INVALID_ARGUMENT for a `state` topic,
   * because its state would change. The bytes leave the disk when the log is closed or, after a kill, with
   * `rewriteStore`.
   */
  erase(topic: string, partition: number, offsets: readonly number[]): Promise<void>;
}

export interface EmbeddedLogOptions {
  /** Recent records kept in memory, bytes over all partitions. */
  readonly tailBytes?: number;
  /** Bytes after which records go to a new segment on disk. */
  readonly segmentBytes?: number;
  /**
   * Shortest time between two synced writes while little is waiting, ms. Default 0: write at once. 2 to 5 suits a
   * crawl: a write costs about 150 µs of CPU, and a fast disk would take thousands of small ones a second.
   */
  readonly groupIntervalMs?: number;
  /** Readers skip damaged records, and call this. Absent: they fail there. */
  readonly onLost?: OnLost;
}

export async function openEmbeddedLog(
  store: StateStore,
  clock: Clock,
  options: EmbeddedLogOptions = {},
): Promise<EmbeddedLog> {
  const topics = await recoverTopics(store);
  const tail = createTail(options.tailBytes ?? logLimits.tailBytes);
  const readers = new Set<EmbeddedReader>();
  const commits = new Map<string, number>();
  /** Changes of topics and trims run one at a time. */
  let changes: Promise<unknown> = Promise.resolve();
  let isOpen = true;
  let hasErased = false;

  const limits = {
    segmentBytes: options.segmentBytes ?? logLimits.segmentBytes,
    groupIntervalMs: options.groupIntervalMs ?? 0,
  };
  const groups = createGroupCommit(store, clock, topics, limits, (entries, bytes) => {
    tail.add(entries, bytes);
    const partitions = entries.map((entry) => entry.partition);
    for (const reader of readers) reader.notify(partitions);
  });

  const inTurn = <T>(act: () => Promise<T>): Promise<T> => {
    const done = changes.then(act);
    changes = done.catch(() => {});
    return done;
  };
  const find = (topic: string, partition: number) => {
    if (!isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
    return partitionOf(topics, topic, partition);
  };
  const committed: EmbeddedLog['committed'] = async (group, topic, partition) => {
    find(topic, partition);
    const key = rows.commitKey(group, topic, partition);
    const value = commits.get(key.toString('latin1'));
    if (value !== undefined) return value;
    const stored = await store.get(key);
    return stored && rows.readOffset(stored);
  };

  return {
    createTopics: (specs) => inTurn(() => createTopics(store, topics, specs)),
    partitionsOf: async (topic) => topics.byName.get(topic)?.length ?? 0,
    append: groups.append,
    reader: () => {
      const reader = createReader(store, clock, topics, () => readers.delete(reader), options.onLost);
      readers.add(reader);
      return reader;
    },
    offsets: async (topic, partition) => {
      const { start, durableEnd } = find(topic, partition);
      return { start, end: durableEnd };
    },
    offsetAt: async (topic, partition, timeMs) => offsetAt(store, find(topic, partition), timeMs),
    last: async (topic, partition) => {
      const p = find(topic, partition);
      if (p.durableEnd === p.start) return undefined;
      const held = p.tail.length > p.tailHead ? p.tail.at(-1) : undefined;
      if (held !== undefined) return held;
      const at = p.durableEnd - 1;
      try {
        return (await readStored(store, p, at, 1)).records[0];
      } catch (error) {
        // It was trimmed meanwhile.
        if (at < p.start) return undefined;
        throw error;
      }
    },
    trim: (topic, partition, before) =>
      inTurn(async () => trimPartition(store, topics, find(topic, partition), before)),
    expire: (topic, partition, beforeMs) =>
      inTurn(async () => {
        const p = find(topic, partition);
        if (p.retention !== 'time') {
          throw new CrawlstreamError('INVALID_ARGUMENT', `${topic} is trimmed by snapshots, not by age`);
        }
        await trimPartition(store, topics, p, await offsetAt(store, p, beforeMs));
        return p.start;
      }),
    erase: (topic, partition, offsets) =>
      inTurn(async () => {
        const p = find(topic, partition);
        if (p.retention !== 'time') {
          throw new CrawlstreamError('INVALID_ARGUMENT', `${topic} is state: its records are trimmed, never erased`);
        }
        if (offsets.length > 0) hasErased = true;
        await eraseRecords(store, p, offsets);
      }),
    commit: async (group, positions) => {
      const ops = positions.map(({ topic, partition, offset }) => {
        find(topic, partition);
        const key = rows.commitKey(group, topic, partition);
        commits.set(key.toString('latin1'), offset);
        return { key, value: rows.offsetsValue(offset) };
      });
      await store.write(ops);
    },
    committed,
    committedAll: async (group, topic, partitions) => {
      const found = new Map<number, number>();
      for (const partition of partitions) {
        const offset = await committed(group, topic, partition);
        if (offset !== undefined) found.set(partition, offset);
      }
      return found;
    },
    groups: async (prefix) => {
      const names = new Set<string>();
      for await (const [key] of store.scan(rows.commitRange(prefix))) names.add(rows.groupOfKey(key));
      return [...names].map((group) => ({ group, members: 0 }));
    },
    forgetGroup: async (group) => {
      const ops = [];
      for await (const [key] of store.scan(rows.commitRange(`${group}\0`))) {
        commits.delete(key.toString('latin1'));
        ops.push({ key, value: null });
      }
      await store.write(ops);
    },
    // In one process, all partitions belong to this member, from the start and for good.
    join: async ({ topics: [first = ''], onAssigned }) => {
      const partitions = topics.byName.get(first)?.length ?? 0;
      const owned = Array.from({ length: partitions }, (_, partition) => partition);
      onAssigned(owned, []);
      return { name: 'this process', members: 1, leave: async () => {} };
    },
    membersOf: async () => [],
    topics: () =>
      [...topics.byName].map(([name, partitions]) => ({
        name,
        partitions: partitions.length,
        retention: partitions[0]?.retention ?? 'state',
      })),
    close: async () => {
      isOpen = false;
      await groups.close();
      await changes;
      await Promise.all([...readers].map((reader) => reader.close()));
      if (hasErased) await store.rewrite?.();
      hasErased = false;
    },
  };
}

async function createTopics(store: StateStore, topics: Topics, specs: readonly LogTopic[]): Promise<void> {
  for (const { name, partitions } of specs) {
    const there = topics.byName.get(name)?.length;
    if (there !== undefined && there !== partitions) {
      const message = `topic ${name} has ${there} partitions, not ${partitions}: start with --partitions ${there}, or with a new data folder`;
      throw new CrawlstreamError('TOPIC_MISMATCH', message);
    }
    if (!Number.isInteger(partitions) || partitions < 1 || partitions > logLimits.partitionsMax) {
      throw new CrawlstreamError(
        'INVALID_ARGUMENT',
        `topic ${name}: partitions must be 1 to ${logLimits.partitionsMax}, not ${partitions}`,
      );
    }
  }
  const missing = specs.filter(
    ({ name }, i) => !topics.byName.has(name) && specs.findIndex((s) => s.name === name) === i,
  );
  if (missing.length === 0) return;
  const firstId = topics.all.reduce((highest, p) => Math.max(highest, p.topicId), 0) + 1;
  const ops = missing.map(({ name, partitions, retention }, i) => ({
    key: rows.topicKey(name),
    value: Buffer.from(JSON.stringify({ id: firstId + i, partitions, retention })),
  }));
  await store.write(ops, { sync: true });
  missing.forEach((spec, i) => {
    addTopic(topics, spec.name, firstId + i, spec);
  });
}
