/**
 * Readers: Fetch requests from exact positions, one step ahead of `poll`.
 *
 * A partition is in one fetch at a time, and only while none of its records are buffered. So memory is bounded by one
 * response per broker, and decompressed data by `inflatedBytesMax` a partition. A fetch that waits at the broker
 * covers the partitions with which it was sent; partitions that are sought or resumed meanwhile go into a second one.
 * `poll` returns empty only after each partition has been requested since its position was set, or its broker is
 * away. A response that no longer fits a partition's position is dropped.
 *
 * Only `seek` and returned records move positions: a position out of range is an error each time, never a reset. If a
 * new leader has appended, it is asked whether it has its predecessor's records as far as they were read (KIP-320):
 * records after a position are returned only if those before it still exist.
 */
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { LogReader, LogRecord, OffsetRange, PollOptions, ReadBefore } from '../log.ts';
import { LogTruncated } from '../log-truncated.ts';
import type { Cluster } from './cluster.ts';
import { isTransient, throwFor, transient } from './errors.ts';
import { type FetchedPart, type FetchResponse, fetchRequest } from './fetch-request.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf } from './kafkajs-wire.ts';
import { readBatches } from './record-batch.ts';

interface Assignment {
  readonly topic: string;
  readonly partition: number;
  /** Fetched records. Those from `head` on are not returned yet. */
  buffer: LogRecord[];
  head: number;
  /** Position of the next fetch, once the buffer is empty: beyond the last record if records are missing. */
  next: number;
  paused: boolean;
  /** End and leader epoch of the records read; undefined: none known. */
  before: ReadBefore | undefined;
  /** The leader has confirmed that it has these records. */
  stands: boolean;
  /** True while a running fetch includes the partition. */
  fetching: boolean;
  /** The brokers have answered for this position. */
  asked: boolean;
  /** Earliest time of the next fetch after a failure; monotonic, ms. */
  notBefore: number;
  /** Since when every fetch has failed; monotonic, ms. */
  failingSince: number | undefined;
  failure: unknown;
  /** The replica that the leader has named for our rack, and until when to read from it, or from the leader instead. */
  replica: number | undefined;
  replicaUntil: number;
}

/** Partitions of one request. `rack`: empty if the requested broker is to serve them. */
interface Due {
  readonly node: number;
  readonly rack: string;
  readonly parts: Assignment[];
}

/** Approximate memory of a record in addition to its value. */
const recordOverheadBytes = 64;

let readerCount = 0;

/** Its public acts are fields, since callers wrap a reader by spreading it: `{ ...reader, poll }`. */
export class KafkaReader implements LogReader {
  readonly #cluster: Cluster;
  readonly #rangeOf: (topic: string, partition: number) => Promise<OffsetRange>;
  readonly #epochEndOf: (topic: string, partition: number, leaderEpoch: number) => Promise<number | undefined>;
  readonly #giveUpMs: number;
  readonly #onClose: () => void;
  readonly #rack: string;
  readonly #purposes: readonly string[];
  readonly #assigned = new Map<string, Assignment>();
  #turns: Assignment[] = [];
  #turn = 0;
  /** Links in use, as `broker/purpose`. */
  readonly #inUse = new Set<string>();
  #bytesWanted: number = kafkaLimits.fetchBytes;
  #polling = false;
  #isOpen = true;
  #woken = false;
  #news: (() => void) | undefined;

  constructor(
    cluster: Cluster,
    rangeOf: (topic: string, partition: number) => Promise<OffsetRange>,
    epochEndOf: (topic: string, partition: number, leaderEpoch: number) => Promise<number | undefined>,
    giveUpMs: number,
    onClose: () => void,
    rack = '',
  ) {
    this.#cluster = cluster;
    this.#rangeOf = rangeOf;
    this.#epochEndOf = epochEndOf;
    this.#giveUpMs = giveUpMs;
    this.#onClose = onClose;
    this.#rack = rack;
    this.#purposes = Array.from({ length: kafkaLimits.fetchesMax }, (_, i) => `fetch-${readerCount}-${i}`);
    readerCount++;
  }

  #notify() {
    this.#news?.();
  }

  #find(topic: string, partition: number) {
    return this.#assigned.get(`${topic}/${partition}`);
  }

  /** Starts the fetches that are due. */
  #fetchDue() {
    const now = performance.now();
    const due = new Map<string, Due>();
    // Brokers serve the first partitions of a request first, so partitions take turns at the front.
    for (let i = 0; i < this.#turns.length; i++) {
      const a = this.#turns[(this.#turn + i) % this.#turns.length] as Assignment;
      if (a.paused || a.fetching || a.failure !== undefined || a.head < a.buffer.length || a.notBefore > now) continue;
      const leader = this.#cluster.knownLeaderOf(a.topic, a.partition);
      if (leader === undefined) {
        this.#findLeader(a);
        continue;
      }
      if (a.replicaUntil <= now) a.replica = undefined;
      const node = a.replica ?? leader;
      // A leader that has redirected us to a failed replica may not redirect again for a while.
      const asks = a.replica === undefined && a.replicaUntil <= now ? this.#rack : '';
      const there = due.get(`${node} ${asks}`);
      if (there) there.parts.push(a);
      else due.set(`${node} ${asks}`, { node, rack: asks, parts: [a] });
    }
    for (const one of due.values()) {
      const purpose = this.#purposes.find((each) => !this.#inUse.has(`${one.node}/${each}`));
      if (purpose !== undefined) this.#fetchFrom(one, purpose);
    }
  }

  #findLeader(a: Assignment) {
    a.fetching = true;
    this.#cluster
      .leaderOf(a.topic, a.partition)
      .catch((error) => this.#failed([a], error))
      .finally(() => {
        a.fetching = false;
        this.#notify();
      });
  }

  async #fetchFrom({ node, rack: asks, parts }: Due, purpose: string) {
    const slot = `${node}/${purpose}`;
    this.#inUse.add(slot);
    const from = parts.map((a) => {
      a.fetching = true;
      return a.next;
    });
    try {
      const maxBytes = Math.max(this.#bytesWanted, kafkaLimits.fetchBytes);
      const request = fetchRequest(
        parts.map(({ topic, partition, next: offset }) => ({
          ...{ topic, partition, offset },
          leaderEpoch: this.#cluster.epochOf(topic, partition),
        })),
        {
          // A poll that has returned nothing yet is answered at once.
          maxWaitMs: parts.every(({ asked }) => asked) ? kafkaLimits.fetchWaitMs : 0,
          maxBytes,
          partitionBytes: maxBytes,
          requestTimeoutMs: kafkaLimits.requestTimeoutMs,
          rack: asks,
        },
      );
      const link = await this.#cluster.link(node, purpose);
      const response = await link.send<FetchResponse>(request);
      throwFor(response.errorCode, 'reading');
      for (const part of response.parts) {
        const i = parts.findIndex((a) => a.partition === part.partition && a.topic === part.topic);
        const a = parts[i];
        if (a && this.#isCurrent(a) && a.next === from[i]) await this.#take(a, part);
      }
    } catch (error) {
      this.#failed(parts.filter(this.#isCurrent), error);
    } finally {
      this.#inUse.delete(slot);
      for (const a of parts) a.fetching = false;
      this.#notify();
    }
  }

  readonly #isCurrent = (a: Assignment) => this.#find(a.topic, a.partition) === a;

  async #take(a: Assignment, part: FetchedPart) {
    const { topic, partition } = a;
    if (part.errorCode === 0 && part.preferredReplica >= 0) {
      a.replica = part.preferredReplica;
      a.replicaUntil = performance.now() + kafkaLimits.replicaMs;
      return;
    }
    // The leader decides about every error of a replica.
    if (part.errorCode !== 0 && this.#leaveReplica(a)) return;
    try {
      const isOutside = errorOf(part.errorCode).type === 'OFFSET_OUT_OF_RANGE';
      if (isOutside || !a.stands) await this.#expectBefore(a);
      if (!this.#isCurrent(a)) return;
      if (isOutside) return await this.#expectOutside(a);
      throwFor(part.errorCode, `reading ${topic}/${partition}`);
      const { records, next } = readBatches(part.batches, topic, partition, a.next, part.aborted);
      const newest = records.at(-1)?.leaderEpoch;
      if (a.before !== undefined && newest !== undefined && newest > a.before.leaderEpoch) await this.#expectBefore(a);
      if (!this.#isCurrent(a)) return;
      if (newest !== undefined && newest > (a.before?.leaderEpoch ?? -1)) this.#cluster.saw(topic, partition, newest);
      if (newest !== undefined && newest >= 0) a.before = { end: next, leaderEpoch: newest };
      a.buffer = records;
      a.head = 0;
      a.next = next;
      a.asked = true;
      a.failingSince = undefined;
    } catch (error) {
      this.#failed([a], error);
    }
  }

  /** Throws LogTruncated if records that were read no longer exist. */
  async #expectBefore(a: Assignment) {
    const { topic, partition, before } = a;
    if (before !== undefined) {
      const leader = await this.#cluster.leader(topic, partition);
      const end = await this.#epochEndOf(topic, partition, before.leaderEpoch);
      if (end !== undefined && end < before.end) {
        // A leader that was cut off from the others has fewer records than they have.
        await this.#cluster.askMost(topic);
        this.#cluster.expectLeader(topic, partition, leader);
        throw new LogTruncated(topic, partition, before, end);
      }
    }
    a.stands = true;
  }

  /**
   * Throws OFFSET_OUT_OF_RANGE, unless the range of the newest leader contains the position: then a transient error, so
   * that this leader is asked next.
   */
  async #expectOutside(a: Assignment) {
    const range = await this.#rangeOf(a.topic, a.partition);
    if (a.next < range.start || a.next > range.end) throw outOfRange(a, range);
    throw transient(`position ${a.next} of ${a.topic}/${a.partition} is within the range that its leader now reports`);
  }

  /** Goes back to the leader. Returns false if the leader was asked already. */
  #leaveReplica(a: Assignment): boolean {
    if (a.replica === undefined) return false;
    a.replica = undefined;
    a.replicaUntil = performance.now() + kafkaLimits.metadataMsAway;
    return true;
  }

  #failed(parts: readonly Assignment[], error: unknown) {
    const now = performance.now();
    for (const a of parts) {
      this.#leaveReplica(a);
      a.failingSince ??= now;
      const failingMs = now - a.failingSince;
      if (!isTransient(error) || failingMs > this.#giveUpMs) {
        a.failure = error;
        continue;
      }
      this.#cluster.forget(a.topic, a.partition);
      a.notBefore = now + Math.min(kafkaLimits.retryMs + failingMs, kafkaLimits.retryMsMax);
    }
  }

  /** Takes records from the buffers, partition by partition, up to about `maxBytes`. */
  #give(maxBytes: number): LogRecord[] {
    const records: LogRecord[] = [];
    let left = maxBytes;
    for (let i = this.#turns.length; i > 0 && left > 0; i--) {
      const a = this.#turns[this.#turn % this.#turns.length] as Assignment;
      this.#turn = (this.#turn + 1) % this.#turns.length;
      if (a.paused || a.head === a.buffer.length) continue;
      while (a.head < a.buffer.length && left > 0) {
        const record = a.buffer[a.head++] as LogRecord;
        records.push(record);
        left -= record.value.length + recordOverheadBytes;
      }
      if (a.head === a.buffer.length) {
        a.buffer = [];
        a.head = 0;
      }
    }
    return records;
  }

  #throwFailure() {
    const broken = this.#turns.find((a) => a.failure !== undefined && !a.paused);
    if (!broken) return;
    const { failure } = broken;
    broken.failure = undefined;
    broken.failingSince = undefined;
    throw failure;
  }

  async #poll({ maxBytes, waitMs }: PollOptions): Promise<LogRecord[]> {
    const untilMs = performance.now() + waitMs;
    const askUntilMs = untilMs + kafkaLimits.requestTimeoutMs;
    this.#bytesWanted = maxBytes;
    for (;;) {
      this.#throwFailure();
      const records = this.#give(Math.max(1, maxBytes));
      if (!this.#isOpen) return records;
      this.#fetchDue();
      const now = performance.now();
      const allAsked = this.#turns.every((a) => a.asked || a.paused || a.failingSince !== undefined);
      if (records.length > 0 || this.#woken || (now >= untilMs && (allAsked || now >= askUntilMs))) {
        this.#woken = false;
        return records;
      }
      await this.#waitForNews(Math.max(1, Math.min((allAsked ? untilMs : askUntilMs) - now, this.#soonestRetry(now))));
    }
  }

  /** Time until a partition with a failed fetch may be requested again. */
  #soonestRetry(now: number) {
    return this.#turns.reduce(
      (ms, a) => (!a.paused && a.notBefore > now ? Math.min(ms, a.notBefore - now + 1) : ms),
      60_000,
    );
  }

  #waitForNews(ms: number) {
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

  readonly seek: LogReader['seek'] = (topic, partition, offset, before) => {
    if (!this.#isOpen) return;
    const paused = this.#find(topic, partition)?.paused ?? false;
    if (before !== undefined) this.#cluster.saw(topic, partition, before.leaderEpoch);
    // A new object, so that a current fetch for the old one is dropped.
    this.#assigned.set(`${topic}/${partition}`, {
      topic,
      partition,
      buffer: [],
      head: 0,
      next: offset,
      paused,
      before,
      stands: before === undefined,
      fetching: false,
      asked: false,
      notBefore: 0,
      failingSince: undefined,
      failure: undefined,
      replica: undefined,
      replicaUntil: 0,
    });
    this.#turns = [...this.#assigned.values()];
    this.#notify();
  };

  readonly drop: LogReader['drop'] = (topic, partition) => {
    this.#assigned.delete(`${topic}/${partition}`);
    this.#turns = [...this.#assigned.values()];
  };

  readonly pause: LogReader['pause'] = (topic, partition) => {
    const a = this.#find(topic, partition);
    if (a) a.paused = true;
  };

  readonly resume: LogReader['resume'] = (topic, partition) => {
    const a = this.#find(topic, partition);
    if (a) a.paused = false;
    this.#notify();
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
    this.#notify();
  };

  readonly close: LogReader['close'] = async () => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#turns = [];
    this.#assigned.clear();
    for (const purpose of this.#purposes) this.#cluster.release(purpose);
    this.#notify();
    this.#onClose();
  };
}

function outOfRange({ topic, partition, next }: Assignment, { start, end }: OffsetRange): CrawlstreamError {
  const message =
    `position ${next} of ${topic}/${partition} is outside its range ${start} to ${end}: ${remedyOf(topic, next < start)}; ` +
    'it is never reset automatically';
  return new CrawlstreamError('OFFSET_OUT_OF_RANGE', message);
}

/** The remedy: records that the retention deleted are gone, and reading on from the rest loses no more. */
function remedyOf(topic: string, isBelow: boolean): string {
  const [, crawl, name] = /^(.+)\.(results|discovered)$/.exec(topic) ?? [];
  if (!isBelow || crawl === undefined) return 'restore the topic or rebuild the state that holds this position';
  return `its retention has deleted what is missing: see crawlstream topics check, then read on from what is left with crawlstream seek --crawl ${crawl} --topic ${name} --to earliest`;
}
