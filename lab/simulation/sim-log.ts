/**
 * The log port over the simulated cluster, as one process sees it.
 *
 * It promises what services/runtime/log/log.ts promises and no more. Appends of one process to one partition land in
 * order; each lands or not before its ack, and a failed append may have landed all the same. A reader gets some of the
 * records, sooner or later. A commit is refused if the group has a newer generation.
 */
import type {
  AppendOptions,
  AppendRecord,
  GroupOptions,
  Log,
  LogReader,
  LogRecord,
  PollOptions,
  ReadBefore,
} from '../../services/runtime/log/log.ts';
import { LogTruncated } from '../../services/runtime/log/log-truncated.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Cluster, Partition } from './cluster.ts';
import type { Groups } from './groups.ts';
import type { SimProcess } from './process.ts';
import type { Scheduler } from './scheduler.ts';

/** Faults of one append. */
export type AppendFault = 'lost' | 'ackLost' | 'landsTwice' | 'late' | 'diskFull';

/** The fate of a killed process's pending sends. */
export type Landing = 'all' | 'none' | 'some';

export interface SimLog extends Log {
  /** The process is killed: of its records in flight, all land, none, or the first of each partition. */
  cutOff(landing: Landing): void;
  /** The process can't reach the cluster before this time. */
  awayUntilMs: number;
}

export interface SimLogOptions {
  readonly cluster: Cluster;
  readonly groups: Groups;
  readonly scheduler: Scheduler;
  readonly process: SimProcess;
  /** An append is all or nothing, and there are no groups: the log is in this process. */
  readonly embedded: boolean;
  /** Asked at each append. */
  readonly faultOf: (topics: readonly string[]) => AppendFault | undefined;
}

/** How long a producer tries before it gives up, ms: much shorter than Kafka's, so that runs stay short. */
const deliveryTimeoutMs = 3_000;

export function createSimLog(options: SimLogOptions): SimLog {
  const { cluster, groups, scheduler, process, embedded } = options;
  const { chance } = process;
  /** When the last record sent to a partition lands. */
  const lastLanding = new Map<Partition, number>();
  /**
   * The first and last appends of the process, by partition: brokers know a producer by the records that they hold of
   * it.
   */
  const own = new Map<Partition, { readonly first: LogRecord; readonly last: LogRecord }>();
  /** Batches are numbered: one that does not follow the last one of its producer in the log is refused. */
  const hasLostOwn = (partition: Partition) => {
    const { first, last } = own.get(partition) ?? {};
    const holds = (record: LogRecord | undefined) =>
      record !== undefined && partition.records[record.offset] === record;
    return holds(first) && !holds(last);
  };
  /** In flight, in the order sent. */
  const onTheWay = new Set<{ readonly partition: Partition; cancelled: boolean }>();
  const awayUntilMs = () => Math.max(cluster.awayUntilMs, log.awayUntilMs);

  /** Sends records of one partition (or, embedded, all of them), and returns when they have landed. */
  const send = (
    records: readonly AppendRecord[],
    fault: AppendFault | undefined,
    landed: (offsets: number[]) => void,
    refused?: () => void,
  ) => {
    const partitions = records.map((record) => cluster.partition(record.topic, record.partition));
    const previousMs = Math.max(...partitions.map((partition) => lastLanding.get(partition) ?? 0));
    const delayMs = fault === 'late' ? chance.between(100, chance.pick([1_000, 20_000])) : chance.between(1, 8);
    // One ms apart, because the order within one ms is drawn.
    const atMs = Math.max(scheduler.nowMs() + delayMs, awayUntilMs(), previousMs + 1);
    for (const partition of partitions) lastLanding.set(partition, atMs);
    const sending = { partition: partitions[0]!, cancelled: false };
    onTheWay.add(sending);
    scheduler.at(atMs, () => {
      onTheWay.delete(sending);
      if (sending.cancelled) return;
      if (refused !== undefined && hasLostOwn(partitions[0]!)) return refused();
      const land = () =>
        records.map((record, index) => {
          const there = cluster.land(landedForm(record));
          const partition = partitions[index]!;
          own.set(partition, { first: own.get(partition)?.first ?? there, last: there });
          return there.offset;
        });
      const offsets = land();
      landed(fault === 'landsTwice' ? land() : offsets);
    });
  };

  const append = async (records: readonly AppendRecord[], { leads = false }: AppendOptions = {}): Promise<number[]> => {
    if (records.length === 0) return [];
    const topics = [...new Set(records.map(({ topic }) => topic))];
    await process.step(`append ${topics.join(' ')}`);
    const fault = options.faultOf(topics);
    if (fault !== undefined) scheduler.note(`fault: append ${fault} ${topics.join(' ')}`);
    const offsets = new Array<number>(records.length);
    const groupsOfRecords = embedded ? [records.map((_, index) => index)] : indexesByPartition(records);
    return new Promise((resolve, reject) => {
      const later = (waitMs: number, act: () => void) => scheduler.at(scheduler.nowMs() + waitMs, act, process);
      const fail = (error: CrawlstreamError, waitMs: number) => later(waitMs, () => reject(error));
      if (fault === 'diskFull') return void fail(diskFull(), 2);
      if (fault === 'lost') return void fail(unreachable(), deliveryTimeoutMs);
      let left = groupsOfRecords.length;
      for (const indexes of groupsOfRecords) {
        const landed = (got: readonly number[]) => {
          indexes.forEach((index, i) => {
            offsets[index] = got[i]!;
          });
          left -= 1;
          if (left > 0) return;
          if (fault === 'ackLost') fail(unreachable(), deliveryTimeoutMs);
          else later(chance.between(1, 6), () => resolve(offsets));
        };
        send(
          indexes.map((index) => records[index]!),
          fault,
          landed,
          leads && !embedded ? () => fail(unreachable(), 1) : undefined,
        );
      }
    });
  };

  const ask = <T>(what: string, act: () => T): Promise<T> =>
    process.call(what, act, Math.max(0, awayUntilMs() - scheduler.nowMs()) + chance.between(0, 4));

  /** As on Kafka (services/runtime/log/kafka/membership.ts). */
  const sharedOf = ({ topics, partitions: wanted }: GroupOptions): number => {
    const counts = topics.map((topic) => cluster.partitionsOf(topic));
    if (wanted !== undefined && counts.every((count) => count >= wanted)) return wanted;
    if (counts.every((count) => count === (wanted ?? counts[0]))) return counts[0]!;
    throw new CrawlstreamError('TOPIC_MISMATCH', `topics of one group have ${counts.join(', ')} partitions`);
  };

  const log: SimLog = {
    append,
    ...(embedded && { isAtomic: true as const }),
    awayUntilMs: 0,
    cutOff(landing) {
      const cut = new Set<Partition>();
      for (const sending of onTheWay) {
        const { partition } = sending;
        if (landing === 'none' || (landing === 'some' && chance.happens(0.5))) cut.add(partition);
        sending.cancelled = cut.has(partition);
      }
    },
    createTopics: async (specs) => {
      for (const { name, partitions } of specs) cluster.create(name, partitions);
    },
    partitionsOf: (topic) => ask('partitionsOf', () => cluster.partitionsOf(topic)),
    reader: () => createSimReader(options, awayUntilMs),
    offsets: (topic, partition) =>
      ask('offsets', () => ({ start: 0, end: cluster.partition(topic, partition).records.length })),
    last: (topic, partition) => ask('last', () => cluster.partition(topic, partition).records.at(-1)),
    offsetAt: (topic, partition, atMs) =>
      ask('offsetAt', () => {
        const { records } = cluster.partition(topic, partition);
        const index = records.findIndex(({ timestampMs }) => timestampMs >= atMs);
        return index < 0 ? records.length : index;
      }),
    trim: () => Promise.reject(new Error('nothing trims in a simulation')),
    commit: (group, positions) => {
      const held = positions.map(({ partition }) => groups.heldSince(process, group, partition));
      return ask(`commit ${group}`, () => {
        const isHeld = (partition: number, index: number) => groups.holds(process, group, partition, held[index]);
        const lost = positions.find(({ partition }, index) => !embedded && !isHeld(partition, index));
        if (lost !== undefined) {
          throw new CrawlstreamError('OWNERSHIP_LOST', `${group} has moved ${lost.topic}/${lost.partition} on`);
        }
        for (const { topic, partition, offset } of positions) {
          cluster.commits.set(`${group} ${topic} ${partition}`, offset);
        }
      });
    },
    committed: (group, topic, partition) =>
      ask('committed', () => cluster.commits.get(`${group} ${topic} ${partition}`)),
    committedAll: (group, topic, partitions) =>
      ask('committedAll', () => {
        const found = new Map<number, number>();
        for (const partition of partitions) {
          const offset = cluster.commits.get(`${group} ${topic} ${partition}`);
          if (offset !== undefined) found.set(partition, offset);
        }
        return found;
      }),
    groups: () => Promise.reject(new Error('nothing asks for groups in a simulation')),
    forgetGroup: () => Promise.reject(new Error('nothing forgets groups in a simulation')),
    async join(joined) {
      await groups.join(process, joined, sharedOf(joined));
      return {
        name: process.name,
        get members() {
          return groups.membersOf(joined.group);
        },
        leave: () => ask('leave', () => groups.leave(process, joined.group)),
      };
    },
    membersOf: (group) => ask(`membersOf ${group}`, () => groups.members(group)),
    close: async () => {},
  };
  return log;
}

function landedForm({
  topic,
  partition,
  key,
  value,
  headers,
}: AppendRecord): Omit<LogRecord, 'offset' | 'timestampMs'> {
  return {
    topic,
    partition,
    key: key === null ? null : Buffer.from(key),
    value: Buffer.from(value),
    headers: headers ?? {},
  };
}

function indexesByPartition(records: readonly AppendRecord[]): number[][] {
  const by = new Map<string, number[]>();
  records.forEach(({ topic, partition }, index) => {
    const name = `${topic}/${partition}`;
    const indexes = by.get(name);
    if (indexes === undefined) by.set(name, [index]);
    else indexes.push(index);
  });
  return [...by.values()];
}

function unreachable(): CrawlstreamError {
  return new CrawlstreamError('BROKER_UNREACHABLE', 'planned: no ack came in time');
}

function diskFull(): CrawlstreamError {
  return new CrawlstreamError('DISK_FULL', 'planned: no room');
}

interface Assignment {
  position: number;
  paused: boolean;
  before: ReadBefore | undefined;
}

function createSimReader({ cluster, scheduler, process }: SimLogOptions, awayUntilMs: () => number): LogReader {
  const { chance } = process;
  const assigned = new Map<Partition, Assignment>();
  let wakeUp: (() => void) | undefined;
  let woken = false;
  let isOpen = true;

  const isReady = () =>
    [...assigned].some(
      ([partition, assignment]) =>
        !assignment.paused &&
        (assignment.position !== partition.records.length || cutOf(partition, assignment) !== undefined),
    );

  /** As in KIP-320, a broker says so to each fetch: the records that one leader wrote end before those that were read. */
  const cutOf = ({ topic, partition, epochs }: Partition, { before }: Assignment): LogTruncated | undefined => {
    if (before === undefined || before.leaderEpoch === epochs.length - 1) return undefined;
    const end = epochs[before.leaderEpoch + 1]!;
    return end < before.end ? new LogTruncated(topic, partition, before, end) : undefined;
  };

  const take = (maxBytes: number): LogRecord[] => {
    const taken: LogRecord[] = [];
    // Nothing is taken along with an error.
    for (const [partition, assignment] of assigned) {
      const cut = cutOf(partition, assignment);
      if (cut !== undefined) throw cut;
    }
    for (const [partition, assignment] of assigned) {
      const { records } = partition;
      if (assignment.position > records.length || assignment.position < 0) {
        const message = `${partition.topic}/${partition.partition} has no position ${assignment.position}`;
        throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
      }
      if (assignment.paused) continue;
      let left = chance.happens(0.3) ? chance.between(1, 3) : Number.POSITIVE_INFINITY;
      let bytes = 0;
      for (; assignment.position < records.length && left > 0 && bytes < maxBytes; assignment.position++, left--) {
        const record = records[assignment.position]!;
        bytes += record.value.length;
        taken.push(record);
        assignment.before = { end: record.offset + 1, leaderEpoch: record.leaderEpoch! };
      }
    }
    return taken;
  };

  const news = (waitMs: number): Promise<void> =>
    new Promise((resolve) => {
      const watched = [...assigned.keys()];
      let heard = false;
      const done = () => {
        cancel();
        wakeUp = undefined;
        for (const { waiting } of watched) waiting.delete(hear);
        resolve();
      };
      // News take a moment to arrive, and a sleeping process gets none.
      const hear = () => {
        if (heard) return;
        heard = true;
        scheduler.at(Math.max(scheduler.nowMs() + chance.between(1, 5), awayUntilMs()), done, process);
      };
      for (const { waiting } of watched) waiting.add(hear);
      const cancel = scheduler.at(scheduler.nowMs() + waitMs, done, process);
      wakeUp = done;
    });

  const poll = async ({ maxBytes, waitMs }: PollOptions): Promise<LogRecord[]> => {
    const untilMs = scheduler.nowMs() + waitMs;
    await process.step('poll');
    for (;;) {
      if (isReady()) {
        const records = await process.call(
          'take',
          () => take(maxBytes),
          Math.max(1, awayUntilMs() - scheduler.nowMs()),
        );
        if (records.length > 0) return records;
      }
      const leftMs = untilMs - scheduler.nowMs();
      if (leftMs <= 0 || woken || !isOpen) {
        woken = false;
        return [];
      }
      await news(leftMs);
    }
  };

  const find = (topic: string, partition: number) => cluster.partition(topic, partition);
  return {
    seek(topic, partition, offset, before) {
      const paused = assigned.get(find(topic, partition))?.paused ?? false;
      assigned.set(find(topic, partition), { position: offset, paused, before });
      wakeUp?.();
    },
    drop: (topic, partition) => void assigned.delete(find(topic, partition)),
    pause(topic, partition) {
      const assignment = assigned.get(find(topic, partition));
      if (assignment !== undefined) assignment.paused = true;
    },
    resume(topic, partition) {
      const assignment = assigned.get(find(topic, partition));
      if (assignment === undefined || !assignment.paused) return;
      assignment.paused = false;
      wakeUp?.();
    },
    poll,
    wake() {
      woken = true;
      wakeUp?.();
    },
    close: async () => {
      isOpen = false;
      wakeUp?.();
    },
  };
}
