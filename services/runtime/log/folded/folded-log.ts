/**
 * A log that stores most topics of a crawl in one (fold.ts), so that two hundred small crawls have six hundred
 * partitions instead of two thousand. Users of the log port see no difference.
 *
 * A group that reads several topics of a flow has a position in each, but brokers keep only one for a group and
 * partition. So these positions are kept under separate groups (fold.ts), and the group's own position in the flow is
 * the furthest of them.
 *
 * It cannot delete the records of one topic of a flow (`trim`).
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type {
  AppendOptions,
  AppendRecord,
  Log,
  LogReader,
  LogRecord,
  LogTopic,
  OffsetRange,
  Position,
} from '../log.ts';
import { recordsOf } from '../records-of.ts';
import { FlowPump } from './flow-pump.ts';
import type { FlowTail } from './flow-tail.ts';
import {
  flowName,
  fold,
  folding,
  heldBy as heldIn,
  isOfFolded,
  type Place,
  placeOf as placeIn,
  topicsHolding,
  unfold,
} from './fold.ts';
import { foldedLimits } from './folded-limits.ts';
import { FoldedReader } from './folded-reader.ts';

export interface FoldOptions {
  /**
   * True: other processes append too, and each call must see their records, so each call asks the brokers. False: this
   * process's records are seen at once, and those of others a moment later.
   */
  readonly isExact: boolean;
  readonly tailBytes?: number;
  /** As in `setApart`. */
  readonly apart?: readonly string[];
}

export interface FoldedLog extends Log {
  /** Stops reading the flow of a crawl, until it is requested again. */
  release(crawl: string): void;
  /** Moves a topic out of its flow (true), or into it. Call it before the topic is used. */
  setApart(topic: string, isApart: boolean): void;
}

/** Closes `log` when it is closed. */
export function foldLog(log: Log, options: FoldOptions): FoldedLog {
  const folds = new Folds(log, options);
  return {
    ...log,
    createTopics: (specs) => folds.createTopics(specs),
    partitionsOf: (topic) => log.partitionsOf(folds.heldBy(topic)),
    append: (records, how) => folds.append(records, how),
    reader: () => folds.reader(),
    offsets: (topic, partition) => folds.offsets(topic, partition),
    offsetAt: (topic, partition, timeMs) => folds.offsetAt(topic, partition, timeMs),
    last: (topic, partition) => folds.last(topic, partition),
    trim: (topic, partition, before) => folds.trim(topic, partition, before),
    commit: (group, positions) => folds.commit(group, positions),
    committed: (group, topic, partition) => log.committed(folds.groupOf(group, topic), folds.heldBy(topic), partition),
    committedAll: (group, topic, partitions) =>
      log.committedAll(folds.groupOf(group, topic), folds.heldBy(topic), partitions),
    groups: async (prefix) => (await log.groups(prefix)).filter(({ group }) => !isOfFolded(group)),
    async forgetGroup(group) {
      await log.forgetGroup(group);
      // A group that only begins with the same name is another group.
      for (const one of await log.groups(folding(group)))
        if (isOfFolded(one.group) && one.group.lastIndexOf('@') === group.length) await log.forgetGroup(one.group);
    },
    join: async (wish) => {
      for (const topic of wish.topics) if (folds.placeOf(topic)?.name === 'responses') throw notKept(topic);
      return log.join({ ...wish, topics: [...new Set(wish.topics.map((topic) => folds.heldBy(topic)))] });
    },
    ...(log.risks && {
      risks: (topics) => log.risks!([...new Set(topics.map(({ name }) => folds.heldBy(name)))].map(sharedTopic)),
    }),
    release: (crawl) => folds.release(crawl),
    setApart: (topic, isApart) => folds.setApart(topic, isApart),
    close: () => folds.close(),
  };
}

/** The topics of a log that are stored in flows, and the tails of these flows. */
class Folds {
  readonly #log: Log;
  readonly #isExact: boolean;
  readonly #apart: Set<string>;
  readonly #pump: FlowPump;
  readonly #readers = new Set<LogReader>();
  readonly #atEnd = new WeakSet<FlowTail>();

  constructor(log: Log, { isExact, tailBytes = foldedLimits.tailBytes, apart }: FoldOptions) {
    this.#log = log;
    this.#isExact = isExact;
    this.#apart = new Set(apart);
    this.#pump = new FlowPump(log, tailBytes);
  }

  placeOf(topic: string): Place | null {
    return placeIn(topic, this.#apart);
  }

  heldBy(topic: string): string {
    return heldIn(topic, this.#apart);
  }

  /** Under which its position in the topic is kept. */
  groupOf(group: string, topic: string): string {
    const place = this.placeOf(topic);
    return place === null ? group : `${folding(group)}${place.name}`;
  }

  /** Returns the tail after it has read to the current end of the flow. */
  async #tailAtEnd(flow: string, partition: number): Promise<FlowTail> {
    for (;;) {
      const known = this.#pump.known(flow, partition);
      const tail = known ?? (await this.#pump.tail(flow, partition));
      if (this.#isExact || known === undefined || !this.#atEnd.has(tail)) {
        const { end } = await this.#log.offsets(flow, partition);
        await tail.reached(end);
        if (tail.isClosed) continue;
        this.#atEnd.add(tail);
      }
      return tail;
    }
  }

  async offsets(topic: string, partition: number): Promise<OffsetRange> {
    const place = this.placeOf(topic);
    if (place === null) return this.#log.offsets(topic, partition);
    const tail = await this.#tailAtEnd(place.flow, partition).catch((error) => {
      throw inTermsOf(error, place.flow, topic);
    });
    return { start: tail.start, end: tail.endOf(place.name) };
  }

  async createTopics(specs: readonly LogTopic[]): Promise<void> {
    const flows = new Map<string, number>();
    for (const { name, partitions } of specs) {
      const flow = this.placeOf(name)?.flow;
      if (flow === undefined) continue;
      if (!flows.has(flow)) flows.set(flow, await this.#log.partitionsOf(flow));
      const there = flows.get(flow)!;
      if (there === 0 || there >= partitions) continue;
      const message = `topic ${name} is stored in topic ${flow}, which has ${there} partitions, not ${partitions}: start with --partitions ${there}, or another crawl name`;
      throw new CrawlstreamError('TOPIC_MISMATCH', message);
    }
    await this.#log.createTopics(topicsHolding(specs, this.#apart));
  }

  async append(records: readonly AppendRecord[], options?: AppendOptions): Promise<number[]> {
    const landed = await this.#log.append(
      records.map((record) => fold(record, this.#apart)),
      options,
    );
    for (const [at, { topic, partition }] of records.entries()) {
      const place = this.placeOf(topic);
      if (place !== null) this.#pump.known(place.flow, partition)?.appended(place.name, landed[at]!);
    }
    return landed;
  }

  reader(): LogReader {
    const placeOf = (topic: string) => this.placeOf(topic);
    const reader: LogReader = new FoldedReader(this.#log, this.#pump, placeOf, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }

  async offsetAt(topic: string, partition: number, timeMs: number): Promise<number> {
    const place = this.placeOf(topic);
    if (place === null) return this.#log.offsetAt(topic, partition, timeMs);
    const { end } = await this.offsets(topic, partition);
    const from = await this.#log.offsetAt(place.flow, partition, timeMs);
    for await (const record of recordsOf(this.#log, place.flow, partition, from, end))
      if (unfold(record)?.name === place.name) return record.offset;
    return end;
  }

  async last(topic: string, partition: number): Promise<LogRecord | undefined> {
    const place = this.placeOf(topic);
    if (place === null) return this.#log.last(topic, partition);
    const { start, end } = await this.offsets(topic, partition);
    if (start >= end) return undefined;
    for await (const record of recordsOf(this.#log, place.flow, partition, end - 1, end)) return unfold(record)?.record;
    return undefined;
  }

  async trim(topic: string, partition: number, before: number): Promise<void> {
    const place = this.placeOf(topic);
    if (place === null) return this.#log.trim(topic, partition, before);
    const message = `records of ${topic} are stored with others in ${place.flow}, and cannot be dropped alone`;
    throw new CrawlstreamError('UNSUPPORTED', message);
  }

  async commit(group: string, positions: readonly Position[]): Promise<void> {
    const own = new Map<string, Position>();
    const folded = new Map<string, Position[]>();
    for (const { topic, partition, offset } of positions) {
      const held = this.heldBy(topic);
      const key = `${held} ${partition}`;
      own.set(key, { topic: held, partition, offset: Math.max(offset, own.get(key)?.offset ?? 0) });
      const kept = this.groupOf(group, topic);
      if (kept === group) continue;
      if (!folded.has(kept)) folded.set(kept, []);
      folded.get(kept)!.push({ topic: held, partition, offset });
    }
    // This comes first, because the brokers refuse it to former members of the group.
    await this.#log.commit(group, [...own.values()]);
    for (const [one, its] of folded) await this.#log.commit(one, its);
  }

  release(crawl: string): void {
    this.#pump.release(`${crawl}.${flowName}`);
  }

  setApart(topic: string, isApart: boolean): void {
    if (isApart) this.#apart.add(topic);
    else this.#apart.delete(topic);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#readers].map((reader) => reader.close()));
    await this.#pump.close();
    await this.#log.close();
  }
}

function inTermsOf(error: unknown, flow: string, topic: string): unknown {
  if (!(error instanceof CrawlstreamError) || error.message.includes(topic)) return error;
  return new CrawlstreamError(error.code, error.message.replaceAll(flow, `${topic} (in ${flow})`), error);
}

/** The error for a topic that is not stored. Without it, a reader would wait for ever. */
function notKept(topic: string): CrawlstreamError {
  const crawl = topic.slice(0, topic.lastIndexOf('.'));
  const message = `crawl ${crawl} has no stored responses: create the crawl with output.warc to store them`;
  return new CrawlstreamError('UNSUPPORTED', message);
}

/** The settings of topics that a fleet's crawls share are unknown here; only their replication is checked. */
function sharedTopic(name: string): LogTopic {
  return { name, partitions: 1, retention: 'time', settings: { 'cleanup.policy': 'compact' } };
}
