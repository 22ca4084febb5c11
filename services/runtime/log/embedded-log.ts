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
import { EmbeddedReader, type OnLost, readStored } from './embedded-reader.ts';
import { eraseRecords } from './erase.ts';
import { GroupCommit } from './group-commit.ts';
import type { Log, LogTopic } from './log.ts';
import { logLimits } from './log-limits.ts';
import { addTopic, partitionOf, recoverTopics, type Topics } from './partitions.ts';
import * as rows from './rows.ts';
import { createTail, type Tail } from './tail.ts';
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
  return new StoredLog(store, clock, await recoverTopics(store), options);
}

/** Its public acts are fields, since callers wrap a log by spreading it: `{ ...log, append }`. */
class StoredLog implements EmbeddedLog {
  readonly isAtomic = true;
  readonly #store: StateStore;
  readonly #clock: Clock;
  readonly #options: EmbeddedLogOptions;
  readonly #topics: Topics;
  readonly #tail: Tail;
  readonly #groups: GroupCommit;
  readonly #readers = new Set<EmbeddedReader>();
  readonly #commits = new Map<string, number>();
  /** Changes of topics and trims run one at a time. */
  #changes: Promise<unknown> = Promise.resolve();
  #isOpen = true;
  #hasErased = false;

  constructor(store: StateStore, clock: Clock, topics: Topics, options: EmbeddedLogOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#options = options;
    this.#topics = topics;
    this.#tail = createTail(options.tailBytes ?? logLimits.tailBytes);
    const limits = {
      segmentBytes: options.segmentBytes ?? logLimits.segmentBytes,
      groupIntervalMs: options.groupIntervalMs ?? 0,
    };
    this.#groups = new GroupCommit(store, clock, topics, limits, (entries, bytes) => {
      this.#tail.add(entries, bytes);
      const partitions = entries.map((entry) => entry.partition);
      for (const reader of this.#readers) reader.notify(partitions);
    });
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(act);
    this.#changes = done.catch(() => {});
    return done;
  }

  #find(topic: string, partition: number) {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
    return partitionOf(this.#topics, topic, partition);
  }

  readonly committed: EmbeddedLog['committed'] = async (group, topic, partition) => {
    this.#find(topic, partition);
    const key = rows.commitKey(group, topic, partition);
    const value = this.#commits.get(key.toString('latin1'));
    if (value !== undefined) return value;
    const stored = await this.#store.get(key);
    return stored && rows.readOffset(stored);
  };

  readonly createTopics: EmbeddedLog['createTopics'] = (specs) =>
    this.#inTurn(() => createTopics(this.#store, this.#topics, specs));
  readonly partitionsOf: EmbeddedLog['partitionsOf'] = async (topic) => this.#topics.byName.get(topic)?.length ?? 0;
  readonly append: EmbeddedLog['append'] = (records) => this.#groups.append(records);
  readonly reader: EmbeddedLog['reader'] = () => {
    const reader: EmbeddedReader = new EmbeddedReader(
      this.#store,
      this.#clock,
      this.#topics,
      () => this.#readers.delete(reader),
      this.#options.onLost,
    );
    this.#readers.add(reader);
    return reader;
  };

  readonly offsets: EmbeddedLog['offsets'] = async (topic, partition) => {
    const { start, durableEnd } = this.#find(topic, partition);
    return { start, end: durableEnd };
  };

  readonly offsetAt: EmbeddedLog['offsetAt'] = async (topic, partition, timeMs) =>
    offsetAt(this.#store, this.#find(topic, partition), timeMs);
  readonly last: EmbeddedLog['last'] = async (topic, partition) => {
    const p = this.#find(topic, partition);
    if (p.durableEnd === p.start) return undefined;
    const held = p.tail.length > p.tailHead ? p.tail.at(-1) : undefined;
    if (held !== undefined) return held;
    const at = p.durableEnd - 1;
    try {
      return (await readStored(this.#store, p, at, 1)).records[0];
    } catch (error) {
      // It was trimmed meanwhile.
      if (at < p.start) return undefined;
      throw error;
    }
  };

  readonly trim: EmbeddedLog['trim'] = (topic, partition, before) =>
    this.#inTurn(async () => trimPartition(this.#store, this.#topics, this.#find(topic, partition), before));

  readonly expire: EmbeddedLog['expire'] = (topic, partition, beforeMs) =>
    this.#inTurn(async () => {
      const p = this.#find(topic, partition);
      if (p.retention !== 'time') {
        throw new CrawlstreamError('INVALID_ARGUMENT', `${topic} is trimmed by snapshots, not by age`);
      }
      await trimPartition(this.#store, this.#topics, p, await offsetAt(this.#store, p, beforeMs));
      return p.start;
    });

  readonly erase: EmbeddedLog['erase'] = (topic, partition, offsets) =>
    this.#inTurn(async () => {
      const p = this.#find(topic, partition);
      if (p.retention !== 'time') {
        throw new CrawlstreamError('INVALID_ARGUMENT', `${topic} is state: its records are trimmed, never erased`);
      }
      if (offsets.length > 0) this.#hasErased = true;
      await eraseRecords(this.#store, p, offsets);
    });

  readonly commit: EmbeddedLog['commit'] = async (group, positions) => {
    const ops = positions.map(({ topic, partition, offset }) => {
      this.#find(topic, partition);
      const key = rows.commitKey(group, topic, partition);
      this.#commits.set(key.toString('latin1'), offset);
      return { key, value: rows.offsetsValue(offset) };
    });
    await this.#store.write(ops);
  };

  readonly committedAll: EmbeddedLog['committedAll'] = async (group, topic, partitions) => {
    const found = new Map<number, number>();
    for (const partition of partitions) {
      const offset = await this.committed(group, topic, partition);
      if (offset !== undefined) found.set(partition, offset);
    }
    return found;
  };

  readonly groups: EmbeddedLog['groups'] = async (prefix) => {
    const names = new Set<string>();
    for await (const [key] of this.#store.scan(rows.commitRange(prefix))) names.add(rows.groupOfKey(key));
    return [...names].map((group) => ({ group, members: 0 }));
  };

  readonly forgetGroup: EmbeddedLog['forgetGroup'] = async (group) => {
    const ops = [];
    for await (const [key] of this.#store.scan(rows.commitRange(`${group}\0`))) {
      this.#commits.delete(key.toString('latin1'));
      ops.push({ key, value: null });
    }
    await this.#store.write(ops);
  };

  // In one process, all partitions belong to this member, from the start and for good.
  readonly join: EmbeddedLog['join'] = async ({ topics: [first = ''], onAssigned }) => {
    const partitions = this.#topics.byName.get(first)?.length ?? 0;
    const owned = Array.from({ length: partitions }, (_, partition) => partition);
    onAssigned(owned, []);
    return { name: 'this process', members: 1, leave: async () => {} };
  };

  readonly membersOf: EmbeddedLog['membersOf'] = async () => [];
  readonly topics: EmbeddedLog['topics'] = () =>
    [...this.#topics.byName].map(([name, partitions]) => ({
      name,
      partitions: partitions.length,
      retention: partitions[0]?.retention ?? 'state',
    }));

  readonly close: EmbeddedLog['close'] = async () => {
    this.#isOpen = false;
    await this.#groups.close();
    await this.#changes;
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    if (this.#hasErased) await this.#store.rewrite?.();
    this.#hasErased = false;
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
