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

/** Its public acts are fields, since callers wrap a reader by spreading it: `{ ...reader, poll }`. */
export class FoldedReader implements LogReader {
  readonly #log: Pick<Log, 'reader' | 'offsets'>;
  readonly #pump: FlowPump;
  readonly #placeOf: (topic: string) => Place | null;
  readonly #onClose: () => void;
  readonly #all = new Map<string, Assigned>();
  /** Topics outside flows that are not paused. */
  readonly #plain = new Map<string, boolean>();
  #plainReader: LogReader | undefined;
  #turn = 0;
  #isOpen = true;
  #isWoken = false;
  #isPolling = false;
  #news: (() => void) | undefined;
  /** Reader that waits now. */
  #waiting: LogReader | undefined;

  constructor(
    log: Pick<Log, 'reader' | 'offsets'>,
    pump: FlowPump,
    placeOf: (topic: string) => Place | null,
    onClose: () => void,
  ) {
    this.#log = log;
    this.#pump = pump;
    this.#placeOf = placeOf;
    this.#onClose = onClose;
  }

  readonly #notify = () => {
    this.#news?.();
    this.#waiting?.wake();
  };

  #plainOne() {
    return (this.#plainReader ??= this.#log.reader());
  }

  #leaveOwn(one: Assigned) {
    const { own } = one;
    one.own = undefined;
    void own?.close();
  }

  #leave(one: Assigned) {
    one.unlisten();
    this.#leaveOwn(one);
  }

  async #tailOf(one: Assigned): Promise<FlowTail> {
    if (one.tail !== undefined && !one.tail.isClosed) return one.tail;
    const tail = await this.#pump.tail(one.flow, one.partition);
    one.unlisten();
    [one.tail, one.failures, one.unlisten] = [tail, tail.failures, tail.listen(this.#notify)];
    return tail;
  }

  /** Throws the flow's error, in terms of the topic. */
  async #expect(one: Assigned, tail: FlowTail) {
    if (tail.failures > one.failures) {
      one.failures = tail.failures;
      throw withTopic(one, tail.failure);
    }
    if (one.position >= tail.start && one.position <= tail.knownEnd) return;
    const range = await this.#log.offsets(one.flow, one.partition);
    if (one.position >= range.start && one.position <= range.end) return;
    throw outside(one, range.start, Math.max(range.start, tail.endOf(one.name)));
  }

  #giveHeld(one: Assigned, tail: FlowTail, maxBytes: number): LogRecord[] {
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
  }

  async #giveBehind(one: Assigned, tail: FlowTail, maxBytes: number, waitMs: number): Promise<LogRecord[]> {
    if (one.own === undefined) {
      one.own = this.#log.reader();
      one.own.seek(one.flow, one.partition, one.position, one.before);
    }
    const { own } = one;
    this.#waiting = own;
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
      // The topic was sought or dropped meanwhile: the error is about its old position.
      if (one.own !== own) return [];
      one.own = undefined;
      await own.close();
      throw withTopic(one, error);
    } finally {
      this.#waiting = undefined;
    }
  }

  /** One round over the assigned topics, each in its turn. `isSure`: more records are known to exist. */
  async #round(parts: Part[], maxBytes: number, leftMs: number): Promise<boolean> {
    let taken = 0;
    let isSure = false;
    const ones = [...this.#all.values()];
    this.#turn++;
    for (let at = 0; at < ones.length; at++) {
      const one = ones[(this.#turn + at) % ones.length]!;
      const isCurrent = () => this.#all.get(keyOf(one.topic, one.partition)) === one && !one.paused;
      if (!isCurrent()) continue;
      const tail = await this.#tailOf(one);
      try {
        await this.#expect(one, tail);
      } catch (error) {
        if (isCurrent()) throw error;
      }
      if (!isCurrent()) continue;
      const left = maxBytes - taken;
      if (left <= 0) break;
      const { position, before } = one;
      let records: LogRecord[];
      if (one.position >= tail.from) {
        if (one.own !== undefined) this.#leaveOwn(one);
        records = this.#giveHeld(one, tail, left);
      } else records = await this.#giveBehind(one, tail, left, taken > 0 ? 0 : leftMs);
      if (records.length > 0) parts.push({ one, records, position, before });
      taken = records.reduce((sum, { value }) => sum + value.length + recordOverheadBytes, taken);
      isSure ||= one.position < tail.from || one.position < tail.endOf(one.name);
    }
    return isSure;
  }

  /** A topic that was sought or dropped since the read no longer needs the records. */
  readonly #wanted = ({ one, records }: Part): readonly LogRecord[] =>
    this.#all.get(keyOf(one.topic, one.partition)) === one ? records : [];
  /** Nothing of it was returned, so a later poll returns it. */
  #giveBack({ one, position, before }: Part) {
    [one.position, one.before] = [position, before];
    this.#leaveOwn(one);
  }

  async #pollPlain(maxBytes: number, waitMs: number): Promise<LogRecord[]> {
    if (this.#plainReader === undefined || ![...this.#plain.values()].some((reads) => reads)) return [];
    this.#waiting = this.#plainReader;
    try {
      return await this.#plainReader.poll({ maxBytes, waitMs });
    } finally {
      this.#waiting = undefined;
    }
  }

  #sleep(ms: number) {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#news = () => {
        clearTimeout(timer);
        resolve();
      };
    }).finally(() => {
      this.#news = undefined;
    });
  }

  async #poll({ maxBytes, waitMs }: PollOptions): Promise<LogRecord[]> {
    const untilMs = performance.now() + waitMs;
    for (;;) {
      // News during the round must not be missed by the sleep.
      let isNews = false;
      this.#news = () => {
        isNews = true;
      };
      const parts: Part[] = [];
      const isMixed = this.#all.size > 0;
      let isSure: boolean;
      let plainRecords: readonly LogRecord[] = [];
      try {
        // A poll that was woken before it waits does not wait.
        const leftMs = () => (isNews || this.#isWoken ? 0 : Math.max(0, untilMs - performance.now()));
        isSure = await this.#round(parts, Math.max(1, maxBytes), leftMs());
        if (parts.length === 0 || this.#plain.size > 0)
          plainRecords = await this.#pollPlain(maxBytes, parts.length > 0 || isMixed ? 0 : leftMs());
      } catch (error) {
        for (const part of parts) this.#giveBack(part);
        throw error;
      }
      const records = [...parts.flatMap(this.#wanted), ...plainRecords];
      if (records.length > 0 || this.#isWoken || !this.#isOpen) {
        this.#isWoken = false;
        return records;
      }
      const now = performance.now();
      const endMs = isSure ? untilMs + foldedLimits.knownWaitMs : untilMs;
      if (now >= endMs) return [];
      if (isNews) continue;
      const isPlainToo = [...this.#plain.values()].some((reads) => reads);
      await this.#sleep(Math.min(endMs - now, isPlainToo && isMixed ? 50 : 60_000));
      if (this.#isWoken || !this.#isOpen) {
        this.#isWoken = false;
        return [];
      }
    }
  }

  readonly seek: LogReader['seek'] = (topic, partition, offset, before) => {
    if (!this.#isOpen) return;
    const place = this.#placeOf(topic);
    const key = keyOf(topic, partition);
    if (place === null) {
      this.#plain.set(key, this.#plain.get(key) ?? true);
      this.#plainOne().seek(topic, partition, offset, before);
      return;
    }
    const known = this.#all.get(key);
    if (known !== undefined) this.#leave(known);
    const { tail, failures } = known ?? { tail: undefined, failures: 0 };
    const one: Assigned = {
      ...{ topic, partition, ...place, position: offset, before, paused: known?.paused ?? false },
      ...{ tail, failures, unlisten: tail?.listen(this.#notify) ?? (() => {}), own: undefined },
    };
    // Its earlier data may be gone: the log reports that to a separate reader.
    this.#all.set(key, one);
    this.#notify();
  };

  readonly drop: LogReader['drop'] = (topic, partition) => {
    const key = keyOf(topic, partition);
    if (this.#plain.delete(key)) this.#plainReader?.drop(topic, partition);
    const one = this.#all.get(key);
    if (one !== undefined) this.#leave(one);
    this.#all.delete(key);
  };

  readonly pause: LogReader['pause'] = (topic, partition) => {
    const key = keyOf(topic, partition);
    const one = this.#all.get(key);
    if (one !== undefined) one.paused = true;
    if (this.#plain.has(key)) {
      this.#plain.set(key, false);
      this.#plainReader?.pause(topic, partition);
    }
  };

  readonly resume: LogReader['resume'] = (topic, partition) => {
    const key = keyOf(topic, partition);
    const one = this.#all.get(key);
    if (one !== undefined) one.paused = false;
    if (this.#plain.has(key)) {
      this.#plain.set(key, true);
      this.#plainReader?.resume(topic, partition);
    }
    this.#notify();
  };

  readonly poll: LogReader['poll'] = async (options) => {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the reader is closed');
    if (this.#isPolling) throw new Error('one poll at a time: the previous poll has not returned');
    this.#isPolling = true;
    try {
      return await this.#poll(options);
    } catch (error) {
      // The reader was closed meanwhile, with the readers that it uses.
      if (!this.#isOpen) return [];
      throw error;
    } finally {
      this.#isPolling = false;
    }
  };

  readonly wake: LogReader['wake'] = () => {
    this.#isWoken = true;
    this.#notify();
  };

  readonly close: LogReader['close'] = async () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    for (const one of this.#all.values()) this.#leave(one);
    this.#all.clear();
    this.#notify();
    await this.#plainReader?.close();
    this.#onClose();
  };
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
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
