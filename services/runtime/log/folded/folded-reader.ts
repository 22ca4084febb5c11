/**
 * A reader of topics, some of which are in flows. It takes their records from the process's tail of the flow
 * (flow-pump.ts). A reader that is further behind reads the flow itself until it has caught up. Topics outside flows
 * are read as usual.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log, LogReader, LogRecord, PollOptions, ReadBefore } from '../log.ts';
import { LogTruncated } from '../log-truncated.ts';
import type { FlowPump } from './flow-pump.ts';
import type { FlowTail } from './flow-tail.ts';
import { type Place, unfold } from './fold.ts';
import { foldedLimits } from './folded-limits.ts';

interface Assigned extends Place {
  readonly topic: string;
  readonly partition: number;
  position: number;
  before: ReadBefore | undefined;
  paused: boolean;
  /** The tail it was last found on, and its reported failures. */
  tail: FlowTail | undefined;
  failures: number;
  unlisten: () => void;
  /** Reader of the flow while this topic is behind. */
  own: LogReader | undefined;
}

/** Records read of a topic, and its earlier position. */
interface Part {
  readonly one: Assigned;
  readonly records: readonly LogRecord[];
  readonly position: number;
  readonly before: ReadBefore | undefined;
}

const recordOverheadBytes = 64;

export function createFoldedReader(
  log: Pick<Log, 'reader' | 'offsets'>,
  pump: FlowPump,
  placeOf: (topic: string) => Place | null,
  onClose: () => void,
): LogReader {
  const all = new Map<string, Assigned>();
  /** Topics outside flows that are not paused. */
  const plain = new Map<string, boolean>();
  let plainReader: LogReader | undefined;
  let turn = 0;
  let isOpen = true;
  let isWoken = false;
  let isPolling = false;
  let news: (() => void) | undefined;
  /** Reader that waits now. */
  let waiting: LogReader | undefined;

  const notify = () => {
    news?.();
    waiting?.wake();
  };
  const keyOf = (topic: string, partition: number) => `${topic}/${partition}`;
  const plainOne = () => (plainReader ??= log.reader());

  const leaveOwn = (one: Assigned) => {
    const { own } = one;
    one.own = undefined;
    void own?.close();
  };
  const leave = (one: Assigned) => {
    one.unlisten();
    leaveOwn(one);
  };

  const tailOf = async (one: Assigned): Promise<FlowTail> => {
    if (one.tail !== undefined && !one.tail.isClosed) return one.tail;
    const tail = await pump.tail(one.flow, one.partition);
    one.unlisten();
    [one.tail, one.failures, one.unlisten] = [tail, tail.failures, tail.listen(notify)];
    return tail;
  };

  /** Throws the flow's error, in terms of the topic. */
  const expect = async (one: Assigned, tail: FlowTail) => {
    if (tail.failures > one.failures) {
      one.failures = tail.failures;
      throw withTopic(one, tail.failure);
    }
    if (one.position >= tail.start && one.position <= tail.knownEnd) return;
    const range = await log.offsets(one.flow, one.partition);
    if (one.position >= range.start && one.position <= range.end) return;
    throw outside(one, range.start, Math.max(range.start, tail.endOf(one.name)));
  };

  const giveHeld = (one: Assigned, tail: FlowTail, maxBytes: number): LogRecord[] => {
    const records: LogRecord[] = [];
    let left = maxBytes;
    for (const record of tail.since(one.name, one.position)) {
      if (left <= 0) return records;
      records.push(record);
      left -= record.value.length + recordOverheadBytes;
      one.position = record.offset + 1;
      remember(one, record);
    }
    // Records in between belong to other topics, and need not be read again.
    one.position = Math.max(one.position, tail.readTo);
    return records;
  };

  const giveBehind = async (one: Assigned, tail: FlowTail, maxBytes: number, waitMs: number): Promise<LogRecord[]> => {
    if (one.own === undefined) {
      one.own = log.reader();
      one.own.seek(one.flow, one.partition, one.position, one.before);
    }
    const { own } = one;
    waiting = own;
    try {
      const found = await own.poll({ maxBytes, waitMs: Math.min(waitMs, foldedLimits.behindWaitMs) });
      if (one.own !== own) return [];
      const records: LogRecord[] = [];
      for (const record of found) {
        one.position = record.offset + 1;
        remember(one, record);
        const held = unfold(record);
        if (held?.name === one.name) records.push(held.record);
      }
      if (one.position >= tail.from) {
        one.own = undefined;
        await own.close();
      }
      return records;
    } catch (error) {
      one.own = undefined;
      await own.close();
      throw withTopic(one, error);
    } finally {
      waiting = undefined;
    }
  };

  /** One round over the assigned topics, each in its turn. `isSure`: more records are known to exist. */
  const round = async (parts: Part[], maxBytes: number, leftMs: number): Promise<boolean> => {
    let taken = 0;
    let isSure = false;
    const ones = [...all.values()];
    turn++;
    for (let at = 0; at < ones.length; at++) {
      const one = ones[(turn + at) % ones.length]!;
      const isCurrent = () => all.get(keyOf(one.topic, one.partition)) === one && !one.paused;
      if (!isCurrent()) continue;
      const tail = await tailOf(one);
      await expect(one, tail);
      if (!isCurrent()) continue;
      const left = maxBytes - taken;
      if (left <= 0) break;
      const { position, before } = one;
      let records: LogRecord[];
      if (one.position >= tail.from) {
        if (one.own !== undefined) leaveOwn(one);
        records = giveHeld(one, tail, left);
      } else records = await giveBehind(one, tail, left, taken > 0 ? 0 : leftMs);
      if (records.length > 0) parts.push({ one, records, position, before });
      taken = records.reduce((sum, { value }) => sum + value.length + recordOverheadBytes, taken);
      isSure ||= one.position < tail.from || one.position < tail.endOf(one.name);
    }
    return isSure;
  };

  /** A topic that was sought or dropped since the read no longer needs the records. */
  const wanted = ({ one, records }: Part): readonly LogRecord[] =>
    all.get(keyOf(one.topic, one.partition)) === one ? records : [];
  /** Nothing of it was returned, so a later poll returns it. */
  const giveBack = ({ one, position, before }: Part) => {
    [one.position, one.before] = [position, before];
    leaveOwn(one);
  };

  const pollPlain = async (maxBytes: number, waitMs: number): Promise<LogRecord[]> => {
    if (plainReader === undefined || ![...plain.values()].some((reads) => reads)) return [];
    waiting = plainReader;
    try {
      return await plainReader.poll({ maxBytes, waitMs });
    } finally {
      waiting = undefined;
    }
  };

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      news = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => {
      news = undefined;
    });

  const poll = async ({ maxBytes, waitMs }: PollOptions): Promise<LogRecord[]> => {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      // News during the round must not be missed by the sleep.
      let isNews = false;
      news = () => {
        isNews = true;
      };
      const parts: Part[] = [];
      const isMixed = all.size > 0;
      let isSure: boolean;
      let plainRecords: readonly LogRecord[] = [];
      try {
        isSure = await round(parts, Math.max(1, maxBytes), Math.max(0, untilMs - performance.now()));
        const leftMs = untilMs - performance.now();
        if (parts.length === 0 || plain.size > 0)
          plainRecords = await pollPlain(maxBytes, parts.length > 0 || isMixed ? 0 : Math.max(0, leftMs));
      } catch (error) {
        for (const part of parts) giveBack(part);
        throw error;
      }
      const records = [...parts.flatMap(wanted), ...plainRecords];
      if (records.length > 0 || isWoken || !isOpen) {
        isWoken = false;
        return records;
      }
      const now = performance.now();
      const endMs = isSure ? untilMs + foldedLimits.knownWaitMs : untilMs;
      if (now >= endMs) return [];
      if (isNews) continue;
      const isPlainToo = [...plain.values()].some((reads) => reads);
      await sleep(Math.min(endMs - now, isPlainToo && isMixed ? 50 : 60_000));
      if (isWoken || !isOpen) {
        isWoken = false;
        return [];
      }
    }
  };

  return {
    seek(topic, partition, offset, before) {
      if (!isOpen) return;
      const place = placeOf(topic);
      const key = keyOf(topic, partition);
      if (place === null) {
        plain.set(key, plain.get(key) ?? true);
        plainOne().seek(topic, partition, offset, before);
        return;
      }
      const known = all.get(key);
      if (known !== undefined) leave(known);
      const { tail, failures } = known ?? { tail: undefined, failures: 0 };
      const one: Assigned = {
        ...{ topic, partition, ...place, position: offset, before, paused: known?.paused ?? false },
        ...{ tail, failures, unlisten: tail?.listen(notify) ?? (() => {}), own: undefined },
      };
      // Its earlier data may be gone: the log reports that to a separate reader.
      all.set(key, one);
      notify();
    },
    drop(topic, partition) {
      const key = keyOf(topic, partition);
      if (plain.delete(key)) plainReader?.drop(topic, partition);
      const one = all.get(key);
      if (one !== undefined) leave(one);
      all.delete(key);
    },
    pause(topic, partition) {
      const key = keyOf(topic, partition);
      const one = all.get(key);
      if (one !== undefined) one.paused = true;
      if (plain.has(key)) {
        plain.set(key, false);
        plainReader?.pause(topic, partition);
      }
    },
    resume(topic, partition) {
      const key = keyOf(topic, partition);
      const one = all.get(key);
      if (one !== undefined) one.paused = false;
      if (plain.has(key)) {
        plain.set(key, true);
        plainReader?.resume(topic, partition);
      }
      notify();
    },
    async poll(options) {
      if (!isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the reader is closed');
      if (isPolling) throw new Error('one poll at a time: the previous poll has not returned');
      isPolling = true;
      try {
        return await poll(options);
      } catch (error) {
        // The reader was closed meanwhile, with the readers that it uses.
        if (!isOpen) return [];
        throw error;
      } finally {
        isPolling = false;
      }
    },
    wake() {
      isWoken = true;
      notify();
    },
    async close() {
      if (!isOpen) return;
      isOpen = false;
      for (const one of all.values()) leave(one);
      all.clear();
      notify();
      await plainReader?.close();
      onClose();
    },
  };
}

function remember(one: Assigned, { offset, leaderEpoch }: LogRecord): void {
  if (leaderEpoch !== undefined && leaderEpoch >= 0) one.before = { end: offset + 1, leaderEpoch };
}

function withTopic(one: Assigned, error: unknown): unknown {
  if (!(error instanceof LogTruncated) || error.topic !== one.flow) return error;
  const { end, leaderEpoch } = error;
  return new LogTruncated(one.topic, one.partition, one.before ?? { end, leaderEpoch }, end);
}

function outside({ topic, partition, position }: Assigned, start: number, end: number): CrawlstreamError {
  const message =
    `position ${position} of ${topic}/${partition} is outside its range ${start} to ${end}: ` +
    'restore the topic or rebuild the state that holds this position; it is never reset automatically';
  return new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
}
