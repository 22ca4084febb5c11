/**
 * Readers of the embedded log: from the tail in memory if it reaches back far enough, else from disk.
 *
 * Records from memory are the appended objects themselves, shared by all readers, which must not change them.
 * Partitions take turns: each poll continues after the partition of the last one, so none starves behind a long
 * backlog.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { Clock } from '../clock.ts';
import type { StateStore } from '../store/store.ts';
import type { LogReader, LogRecord, PollOptions } from './log.ts';
import { logLimits } from './log-limits.ts';
import { type Partition, partitionOf, type Topics } from './partitions.ts';
import * as rows from './rows.ts';
import { recordOverheadBytes, tailStart } from './tail.ts';

const news = Symbol('news');

/** Damaged records that the reader skips: `from` to `to`, without `to`. */
export interface LostRecords {
  readonly partition: Pick<Partition, 'topic' | 'partition'>;
  readonly from: number;
  readonly to: number;
}
export type OnLost = (lost: LostRecords) => void;

interface Assignment {
  readonly partition: Partition;
  position: number;
  paused: boolean;
}

/** Records read of a partition. */
interface Part {
  readonly assignment: Assignment;
  readonly records: readonly LogRecord[];
}

/** Its public acts are fields, since callers wrap a reader by spreading it: `{ ...reader, poll }`. */
export class EmbeddedReader implements LogReader {
  readonly #store: StateStore;
  readonly #clock: Clock;
  readonly #topics: Topics;
  readonly #onClose: () => void;
  readonly #onLost: OnLost | undefined;
  readonly #assigned = new Map<Partition, Assignment>();
  /** Assignments in the order they take turns. */
  #turns: Assignment[] = [];
  #turn = 0;
  #polling = false;
  #isOpen = true;
  #woken = false;
  #wakeUp: (() => void) | undefined;

  constructor(store: StateStore, clock: Clock, topics: Topics, onClose: () => void, onLost?: OnLost) {
    this.#store = store;
    this.#clock = clock;
    this.#topics = topics;
    this.#onClose = onClose;
    this.#onLost = onLost;
  }

  readonly #isReady = (a: Assignment) => !a.paused && a.position !== a.partition.durableEnd;

  /** Records that are there now, up to about `maxBytes`. */
  async #take(maxBytes: number): Promise<LogRecord[]> {
    const parts: Part[] = [];
    let left = maxBytes;
    const round = this.#turns.length;
    for (let i = 0; i < round && left > 0; i++) {
      const assignment = this.#turns[this.#turn % this.#turns.length];
      if (!assignment) break;
      this.#turn = (this.#turn + 1) % this.#turns.length;
      if (!this.#isReady(assignment)) continue;
      try {
        const { partition, position } = assignment;
        checkRange(partition, position);
        if (position >= tailStart(partition)) {
          const records: LogRecord[] = [];
          left -= takeTail(assignment, records, left);
          parts.push({ assignment, records });
          continue;
        }
        const read = this.#onLost === undefined ? readStored : readWhole;
        const { records, bytes } = await read(this.#store, partition, position, left);
        // There was a seek, a drop or a pause while the disk was read: the records are not wanted any more.
        if (this.#assigned.get(partition) !== assignment || assignment.paused) continue;
        if (records.length === 0) {
          assignment.position = await nextWhole(this.#store, partition, position);
          this.#onLost?.({ partition, from: position, to: assignment.position });
          continue;
        }
        assignment.position += records.length;
        parts.push({ assignment, records });
        left -= bytes;
      } catch (error) {
        // An error at a position that was left meanwhile, such as a trim beyond it.
        if (this.#assigned.get(assignment.partition) !== assignment || assignment.paused) continue;
        // Records of the other partitions were not returned: a later poll returns them.
        for (const part of parts) part.assignment.position -= part.records.length;
        throw error;
      }
    }
    return parts.flatMap(this.#wanted);
  }

  /** A partition that was read may have been sought or dropped while another was. */
  readonly #wanted = ({ assignment, records }: Part): readonly LogRecord[] =>
    this.#assigned.get(assignment.partition) === assignment ? records : [];

  async #waitForNews(waitMs: number) {
    const done = new AbortController();
    // With its own reason: the usual one is an error with a stack, for each wait.
    this.#wakeUp = () => done.abort(news);
    await this.#clock.sleepUntil(this.#clock.nowMs() + waitMs, done.signal);
    this.#wakeUp = undefined;
  }

  async #poll({ maxBytes, waitMs }: PollOptions): Promise<LogRecord[]> {
    const untilMs = this.#clock.nowMs() + waitMs;
    for (;;) {
      const taken = await this.#take(Math.max(1, maxBytes));
      const leftMs = untilMs - this.#clock.nowMs();
      if (taken.length > 0 || leftMs <= 0 || this.#woken || !this.#isOpen) {
        this.#woken = false;
        return taken;
      }
      if (!this.#turns.some(this.#isReady)) await this.#waitForNews(leftMs);
    }
  }

  readonly seek: LogReader['seek'] = (topic, number, offset) => {
    const partition = partitionOf(this.#topics, topic, number);
    const old = this.#assigned.get(partition);
    const fresh: Assignment = { partition, position: offset, paused: old?.paused ?? false };
    this.#assigned.set(partition, fresh);
    this.#turns = [...this.#assigned.values()];
    this.#wakeUp?.();
  };

  readonly drop: LogReader['drop'] = (topic, number) => {
    this.#assigned.delete(partitionOf(this.#topics, topic, number));
    this.#turns = [...this.#assigned.values()];
  };

  readonly pause: LogReader['pause'] = (topic, number) => {
    const assignment = this.#assigned.get(partitionOf(this.#topics, topic, number));
    if (assignment) assignment.paused = true;
  };

  readonly resume: LogReader['resume'] = (topic, number) => {
    const assignment = this.#assigned.get(partitionOf(this.#topics, topic, number));
    if (!assignment) return;
    assignment.paused = false;
    this.#wakeUp?.();
  };

  readonly poll: LogReader['poll'] = async (options) => {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the reader is closed');
    if (this.#polling) throw new Error('one poll at a time: the previous poll has not returned');
    this.#polling = true;
    try {
      return await this.#poll(options);
    } finally {
      this.#polling = false;
    }
  };

  readonly wake: LogReader['wake'] = () => {
    this.#woken = true;
    this.#wakeUp?.();
  };

  readonly close: LogReader['close'] = async () => {
    this.#isOpen = false;
    this.#wakeUp?.();
    this.#onClose();
  };

  /** Called by the log when these partitions have new records. */
  readonly notify = (partitions: Iterable<Partition>): void => {
    if (!this.#wakeUp) return;
    for (const partition of partitions) {
      const assignment = this.#assigned.get(partition);
      if (assignment && this.#isReady(assignment)) return this.#wakeUp();
    }
  };
}

function takeTail(assignment: Assignment, taken: LogRecord[], bytesMax: number): number {
  const { tail, tailHead } = assignment.partition;
  let at = tailHead + assignment.position - tailStart(assignment.partition);
  let bytes = 0;
  for (; at < tail.length && bytes < bytesMax; at++) {
    const record = tail[at] as LogRecord;
    taken.push(record);
    bytes += record.value.length + recordOverheadBytes;
    assignment.position++;
  }
  return bytes;
}

/** Records of a partition from the store, from `position` on: at least one, as many as begin below `bytesMax`. */
export async function readStored(store: StateStore, partition: Partition, position: number, bytesMax: number) {
  const records: LogRecord[] = [];
  const end = partition.durableEnd;
  let bytes = 0;
  const holder = partition.segments.findLastIndex((s) => s.first <= position);
  // The current segments: a trim removes others from the list while this waits for the disk.
  for (const { segment } of partition.segments.slice(Math.max(0, holder))) {
    if (bytes >= bytesMax) break;
    const from = position + records.length;
    for await (const [key, value] of store.scan(
      rows.recordRange(segment, partition.topicId, partition.partition, from, end),
    )) {
      records.push(rows.recordOf(partition.topic, key, value));
      bytes += value.length + recordOverheadBytes;
      if (bytes >= bytesMax) break;
    }
  }
  const first = records[0];
  if (first?.offset !== position || records.at(-1)?.offset !== position + records.length - 1) {
    // Either it was trimmed while it was read, or the folder was damaged.
    checkRange(partition, position);
    const message = `${partition.topic}/${partition.partition} lacks record ${position}: the data folder is damaged; pages, export, audit and recheck read the intact part with --skip-damaged`;
    throw new CrawlstreamError('STORE_FAILED', message);
  }
  return { records, bytes };
}

/** The same for a damaged store: returns no record if the one at `position` is unreadable. */
async function readWhole(store: StateStore, partition: Partition, position: number, bytesMax: number) {
  for (let bytes = bytesMax; ; bytes = Math.floor(bytes / logLimits.damagedReadShare)) {
    try {
      return await readStored(store, partition, position, Math.max(1, bytes));
    } catch (error) {
      if (!(error instanceof CrawlstreamError) || error.code !== 'STORE_FAILED') throw error;
      if (bytes <= 1) return { records: [], bytes: 0 };
    }
  }
}

/**
 * Returns the offset of the first readable record after `position`; the end if there is none. All damaged records
 * count as one range.
 */
async function nextWhole(store: StateStore, partition: Partition, position: number): Promise<number> {
  const end = partition.durableEnd;
  let lost = position;
  let whole = end;
  for (let step = 1; lost + step < end; step *= 2) {
    const found = await firstFrom(store, partition, lost + step);
    if (found !== undefined) {
      whole = found;
      break;
    }
    lost += step;
  }
  while (whole - lost > 1) {
    const half = lost + Math.floor((whole - lost) / 2);
    const found = await firstFrom(store, partition, half);
    if (found === undefined || found >= whole) lost = half;
    else whole = found;
  }
  return whole;
}

/** Returns the offset of the first record from `offset` on; undefined: there is none, or it cannot be read. */
async function firstFrom(store: StateStore, partition: Partition, offset: number): Promise<number | undefined> {
  const { topicId, partition: number, durableEnd, segments, topic } = partition;
  const holder = segments.findLastIndex((one) => one.first <= offset);
  try {
    for (const { segment } of segments.slice(Math.max(0, holder))) {
      const range = rows.recordRange(segment, topicId, number, offset, durableEnd);
      for await (const [key, value] of store.scan({ ...range, limit: 1 }))
        return rows.recordOf(topic, key, value).offset;
    }
  } catch (error) {
    if (!(error instanceof CrawlstreamError) || error.code !== 'STORE_FAILED') throw error;
  }
  return undefined;
}

/** Throws OFFSET_OUT_OF_RANGE, which says what to do. */
export function checkRange({ topic, partition, start, durableEnd }: Partition, position: number): void {
  if (position >= start && position <= durableEnd) return;
  const message =
    `position ${position} of ${topic}/${partition} is outside its range ${start} to ${durableEnd}: ` +
    'restore the topic or rebuild the state that holds this position; it is never reset automatically';
  throw new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
}
