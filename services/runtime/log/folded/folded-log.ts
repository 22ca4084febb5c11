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
import type { Log, LogReader, LogRecord, LogTopic, OffsetRange, Position } from '../log.ts';
import { recordsOf } from '../records-of.ts';
import { FlowPump } from './flow-pump.ts';
import type { FlowTail } from './flow-tail.ts';
import {
  flowName,
  fold,
  folding,
  heldBy as heldIn,
  isOfFolded,
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
  const { isExact, tailBytes = foldedLimits.tailBytes } = options;
  const apart = new Set(options.apart);
  const placeOf = (topic: string) => placeIn(topic, apart);
  const heldBy = (topic: string) => heldIn(topic, apart);
  /** Under which its position in the topic is kept. */
  const groupOf = (group: string, topic: string) => {
    const place = placeOf(topic);
    return place === null ? group : `${folding(group)}${place.name}`;
  };
  const pump = new FlowPump(log, tailBytes);
  const readers = new Set<LogReader>();

  const atEnd = new WeakSet<FlowTail>();

  /** Returns the tail after it has read to the current end of the flow. */
  const tailAtEnd = async (flow: string, partition: number): Promise<FlowTail> => {
    for (;;) {
      const known = pump.known(flow, partition);
      const tail = known ?? (await pump.tail(flow, partition));
      if (isExact || known === undefined || !atEnd.has(tail)) {
        const { end } = await log.offsets(flow, partition);
        await tail.reached(end);
        if (tail.isClosed) continue;
        atEnd.add(tail);
      }
      return tail;
    }
  };
  const offsets = async (topic: string, partition: number): Promise<OffsetRange> => {
    const place = placeOf(topic);
    if (place === null) return log.offsets(topic, partition);
    const tail = await tailAtEnd(place.flow, partition).catch((error) => {
      throw inTermsOf(error, place.flow, topic);
    });
    return { start: tail.start, end: tail.endOf(place.name) };
  };

  const createTopics = async (specs: readonly LogTopic[]) => {
    const flows = new Map<string, number>();
    for (const { name, partitions } of specs) {
      const flow = placeOf(name)?.flow;
      if (flow === undefined) continue;
      if (!flows.has(flow)) flows.set(flow, await log.partitionsOf(flow));
      const there = flows.get(flow)!;
      if (there === 0 || there >= partitions) continue;
      const message = `topic ${name} is stored in topic ${flow}, which has ${there} partitions, not ${partitions}: start with --partitions ${there}, or another crawl name`;
      throw new CrawlstreamError('TOPIC_MISMATCH', message);
    }
    await log.createTopics(topicsHolding(specs, apart));
  };

  return {
    ...log,
    createTopics,
    partitionsOf: (topic) => log.partitionsOf(heldBy(topic)),
    async append(records, options) {
      const landed = await log.append(
        records.map((record) => fold(record, apart)),
        options,
      );
      for (const [at, { topic, partition }] of records.entries()) {
        const place = placeOf(topic);
        if (place !== null) pump.known(place.flow, partition)?.appended(place.name, landed[at]!);
      }
      return landed;
    },
    reader() {
      const reader: LogReader = new FoldedReader(log, pump, placeOf, () => readers.delete(reader));
      readers.add(reader);
      return reader;
    },
    offsets,
    async offsetAt(topic, partition, timeMs) {
      const place = placeOf(topic);
      if (place === null) return log.offsetAt(topic, partition, timeMs);
      const { end } = await offsets(topic, partition);
      const from = await log.offsetAt(place.flow, partition, timeMs);
      for await (const record of recordsOf(log, place.flow, partition, from, end))
        if (unfold(record)?.name === place.name) return record.offset;
      return end;
    },
    async last(topic, partition): Promise<LogRecord | undefined> {
      const place = placeOf(topic);
      if (place === null) return log.last(topic, partition);
      const { start, end } = await offsets(topic, partition);
      if (start >= end) return undefined;
      for await (const record of recordsOf(log, place.flow, partition, end - 1, end)) return unfold(record)?.record;
      return undefined;
    },
    async trim(topic, partition, before) {
      const place = placeOf(topic);
      if (place === null) return log.trim(topic, partition, before);
      const message = `records of ${topic} are stored with others in ${place.flow}, and cannot be dropped alone`;
      throw new CrawlstreamError('UNSUPPORTED', message);
    },
    async commit(group, positions) {
      const own = new Map<string, Position>();
      const folded = new Map<string, Position[]>();
      for (const { topic, partition, offset } of positions) {
        const [held, key] = [heldBy(topic), `${heldBy(topic)} ${partition}`];
        own.set(key, { topic: held, partition, offset: Math.max(offset, own.get(key)?.offset ?? 0) });
        const kept = groupOf(group, topic);
        if (kept === group) continue;
        if (!folded.has(kept)) folded.set(kept, []);
        folded.get(kept)!.push({ topic: held, partition, offset });
      }
      // This comes first, because the brokers refuse it to former members of the group.
      await log.commit(group, [...own.values()]);
      for (const [one, its] of folded) await log.commit(one, its);
    },
    committed: (group, topic, partition) => log.committed(groupOf(group, topic), heldBy(topic), partition),
    committedAll: (group, topic, partitions) => log.committedAll(groupOf(group, topic), heldBy(topic), partitions),
    groups: async (prefix) => (await log.groups(prefix)).filter(({ group }) => !isOfFolded(group)),
    async forgetGroup(group) {
      await log.forgetGroup(group);
      // A group that only begins with the same name is another group.
      for (const one of await log.groups(folding(group)))
        if (isOfFolded(one.group) && one.group.lastIndexOf('@') === group.length) await log.forgetGroup(one.group);
    },
    async join(options) {
      for (const topic of options.topics) if (placeOf(topic)?.name === 'responses') throw notKept(topic);
      return log.join({ ...options, topics: [...new Set(options.topics.map(heldBy))] });
    },
    ...(log.risks && {
      risks: (topics) => log.risks!([...new Set(topics.map(({ name }) => heldBy(name)))].map(sharedTopic)),
    }),
    release: (crawl) => pump.release(`${crawl}.${flowName}`),
    setApart(topic, isApart) {
      if (isApart) apart.add(topic);
      else apart.delete(topic);
    },
    async close() {
      await Promise.all([...readers].map((reader) => reader.close()));
      await pump.close();
      await log.close();
    },
  };
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
