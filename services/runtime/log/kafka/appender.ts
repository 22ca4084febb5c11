/**
 * Appends: gathered into batches, one in flight per partition and one request per broker, idempotent, acked by all
 * replicas.
 *
 * A batch keeps its records and its sequence number through every try, so that a broker that already has it answers
 * with its first offsets (KIP-98). When a batch is given up, its fate may be unknown. It is then rejected with
 * everything queued behind it in its partition, and the partition continues under the next epoch of the producer id;
 * brokers refuse the old batch if it still arrives. So a partition never gets a gap, a duplicate or a swap, but may
 * contain a batch that was rejected. A log that has lost acked batches refuses the next one because of its sequence
 * number: nothing of it was appended, so it is sent again under a new number.
 *
 * A batch can be at two brokers at once, if its leader moves while the old leader is slow to answer. Every answer
 * follows one rule, however late it is: a settled batch takes no further answer, the first success settles a batch,
 * and any other answer settles it only if no other request with it is unanswered. Otherwise a late success would
 * count for the next batch, or a batch that one broker refused and another took would be sent under two numbers.
 *
 * A batch that is too large for its topic was not appended, and is sent again in halves under the same number. A
 * record that does not fit alone is rejected; later records continue, unless they depend on it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Clock } from '../../clock.ts';
import type { AppendOptions, AppendRecord } from '../log.ts';
import { logLimits } from '../log-limits.ts';
import { RecordTooLarge } from '../record-too-large.ts';
import type { BlockedAppend } from './append-watch.ts';
import type { Cluster } from './cluster.ts';
import type { Compressor } from './compression/codecs.ts';
import { deadlineIn, isTransient, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { type ProducedPart, type ProduceResponse, produceRequest } from './produce-request.ts';
import { recordBytesAtMost, type StampedRecord } from './record-batch.ts';

interface Append {
  readonly offsets: number[];
  readonly leads: boolean;
  /** Indexes of records that are too large, and one of their topics. */
  readonly tooLarge: number[];
  tooLargeFor: string;
  left: number;
  resolve(offsets: number[]): void;
  reject(error: unknown): void;
}

interface Queued extends StampedRecord {
  readonly append: Append;
  readonly index: number;
  readonly bytes: number;
}

interface Channel {
  readonly topic: string;
  readonly partition: number;
  readonly queue: Queued[];
  /** A batch with more was larger than the topic takes. */
  bytesMax: number;
  /** Being sent, and sent again until an answer decides. */
  batch: Batch | undefined;
  /** The batch's first sequence number; undefined: it has none yet. */
  id: number | undefined;
  epoch: number;
  sequence: number;
  /** Since when something waits and nothing was acked; monotonic, ms. */
  waitsSinceMs: number | undefined;
  /**
   * `atMs`: when appends of the partition were given up. `sinceMs`: start of the wait before. undefined: an append has
   * been acked since. Monotonic, ms.
   */
  gaveUp: { readonly sinceMs: number; readonly atMs: number } | undefined;
  /** Why the last try failed. */
  why: string;
  /** Address of its leader at the last try. */
  broker: string | undefined;
}

interface Batch {
  readonly records: readonly Queued[];
  readonly bytes: number;
  readonly deadline: number;
  /** Earliest time of the next try; monotonic, ms. */
  notBefore: number;
  pauseMs: number;
  /** Requests with it that are not answered yet. */
  unanswered: number;
}

const sequenceEnd = 2 ** 31;
const epochMax = 32_767;

export class Appender {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #deliveryTimeoutMs: number;
  readonly #compressor: Compressor | undefined;
  readonly #onRetry: () => void;
  readonly #channels = new Map<string, Map<number, Channel>>();
  /** Partitions with something to send. */
  readonly #busy = new Set<Channel>();
  /** Brokers with a request in progress, or about to get one. */
  readonly #sending = new Set<number>();
  /** Partitions with a running look-up of their leader. */
  readonly #looking = new Set<Channel>();
  #producerId: Promise<number> | undefined;
  #pumping = false;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = true;
  #closeDeadline = Number.POSITIVE_INFINITY;
  #idle: (() => void) | undefined;

  constructor(
    cluster: Cluster,
    clock: Clock,
    deliveryTimeoutMs: number,
    compressor: Compressor | undefined,
    onRetry: () => void = () => {},
  ) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#deliveryTimeoutMs = deliveryTimeoutMs;
    this.#compressor = compressor;
    this.#onRetry = onRetry;
  }

  #channelOf(topic: string, partition: number): Channel {
    let byPartition = this.#channels.get(topic);
    if (!byPartition) this.#channels.set(topic, (byPartition = new Map()));
    let channel = byPartition.get(partition);
    if (!channel)
      byPartition.set(
        partition,
        (channel = {
          topic,
          partition,
          queue: [],
          batch: undefined,
          bytesMax: kafkaLimits.batchBytesMax,
          id: undefined,
          epoch: 0,
          sequence: 0,
          waitsSinceMs: undefined,
          gaveUp: undefined,
          why: 'no answer',
          broker: undefined,
        }),
      );
    return channel;
  }

  #settle(channel: Channel) {
    channel.batch = undefined;
    channel.waitsSinceMs = undefined;
    channel.gaveUp = undefined;
    if (channel.queue.length === 0) this.#busy.delete(channel);
    if (this.#busy.size === 0) this.#idle?.();
  }

  #ack(channel: Channel, batch: Batch, baseOffset: number) {
    channel.sequence = (channel.sequence + batch.records.length) % sequenceEnd;
    batch.records.forEach(({ append, index }, i) => {
      append.offsets[index] = baseOffset + i;
      this.#landed(append);
    });
    this.#settle(channel);
  }

  #landed(append: Append) {
    if (--append.left > 0) return;
    if (append.tooLarge.length === 0) append.resolve(append.offsets);
    else append.reject(new RecordTooLarge(append.tooLargeFor, append.tooLarge));
  }

  /** The broker appended nothing of the batch, so its number can be used again. */
  #tooLarge(channel: Channel, batch: Batch) {
    const [first] = batch.records;
    if (batch.records.length > 1) {
      channel.queue.unshift(...batch.records);
      channel.bytesMax = Math.max(1, Math.floor(Math.min(channel.bytesMax, batch.bytes) / 2));
      channel.batch = undefined;
      return;
    }
    const { append, index } = first as Queued;
    append.tooLarge.push(index);
    append.tooLargeFor = channel.topic;
    if (append.leads) return this.#fail(channel, new RecordTooLarge(channel.topic, append.tooLarge));
    this.#landed(append);
    this.#settle(channel);
  }

  #renumber(channel: Channel) {
    channel.sequence = 0;
    if (++channel.epoch > epochMax) {
      this.#producerId = undefined;
      channel.id = undefined;
      channel.epoch = 0;
    }
  }

  #fail(channel: Channel, error: unknown) {
    const sinceMs = isTransient(error) ? channel.waitsSinceMs : undefined;
    const records = [...(channel.batch?.records ?? []), ...channel.queue.splice(0)];
    this.#renumber(channel);
    for (const { append } of records) append.reject(error);
    this.#settle(channel);
    channel.gaveUp = sinceMs === undefined ? undefined : { sinceMs, atMs: performance.now() };
  }

  #tryLater(channel: Channel, batch: Batch, error: unknown) {
    this.#cluster.forget(channel.topic, channel.partition);
    channel.why = (error as Error).message;
    const now = performance.now();
    if (now + batch.pauseMs > Math.min(batch.deadline, this.#closeDeadline)) return this.#fail(channel, error);
    this.#onRetry();
    batch.notBefore = now + batch.pauseMs;
    batch.pauseMs = Math.min(2 * batch.pauseMs, kafkaLimits.retryMsMax);
  }

  /** An append soon after appends were given up continues their wait; a later one begins a new wait. */
  #waitsSince({ gaveUp }: Channel): number {
    const now = performance.now();
    return gaveUp !== undefined && now - gaveUp.atMs < kafkaLimits.blockedAppendMs ? gaveUp.sinceMs : now;
  }

  #seal(channel: Channel): Batch {
    channel.waitsSinceMs ??= this.#waitsSince(channel);
    let count = 0;
    let bytes = 0;
    for (const queued of channel.queue) {
      if (count > 0 && bytes + queued.bytes > channel.bytesMax) break;
      bytes += queued.bytes;
      count++;
    }
    const deadline = deadlineIn(this.#deliveryTimeoutMs);
    const tries = { notBefore: 0, pauseMs: kafkaLimits.retryMs, unanswered: 0 };
    return { records: channel.queue.splice(0, count), bytes, deadline, ...tries };
  }

  /** Sends ready batches to every free broker; called whenever either may have changed. */
  readonly #pump = async () => {
    this.#pumping = false;
    clearTimeout(this.#timer);
    const now = performance.now();
    let soonest = Number.POSITIVE_INFINITY;
    const ready = new Map<number, Channel[]>();
    for (const channel of [...this.#busy]) {
      if (this.#looking.has(channel)) continue;
      if (channel.batch && channel.batch.notBefore > now) {
        soonest = Math.min(soonest, channel.batch.notBefore);
        continue;
      }
      const leader = this.#cluster.knownLeaderOf(channel.topic, channel.partition);
      if (leader === undefined) {
        this.#look(channel);
        continue;
      }
      if (this.#sending.has(leader)) continue;
      const there = ready.get(leader);
      if (there) there.push(channel);
      else ready.set(leader, [channel]);
    }
    for (const [leader, of] of ready) {
      const broker = this.#cluster.addressOf(leader);
      for (const channel of of) channel.broker = broker;
      this.#sending.add(leader);
      this.#send(leader, of).finally(() => {
        this.#sending.delete(leader);
        this.#schedule();
      });
    }
    if (soonest < Number.POSITIVE_INFINITY) this.#timer = setTimeout(this.#schedule, soonest - now + 1);
  };

  /** After this turn of the microtask queue: appends issued together by one handler share a request. */
  readonly #schedule = () => {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(this.#pump);
  };

  #look(channel: Channel) {
    channel.batch ??= this.#seal(channel);
    const { batch } = channel;
    this.#looking.add(channel);
    this.#cluster
      .leaderOf(channel.topic, channel.partition)
      .catch((error) => this.#notSent(channel, batch, error))
      .finally(() => {
        this.#looking.delete(channel);
        this.#schedule();
      });
  }

  readonly #send = async (leader: number, ready: readonly Channel[]) => {
    const parts: { channel: Channel; batch: Batch }[] = [];
    try {
      const link = await this.#cluster.link(leader, 'produce');
      // The last wait: otherwise an id that was replaced meanwhile would be sent with a number of the new one.
      const asked = (this.#producerId ??= initProducerId(this.#cluster));
      const id = await asked.catch((error) => {
        if (this.#producerId === asked) this.#producerId = undefined;
        throw error;
      });
      let bytes = 0;
      for (const channel of ready) {
        if (!this.#busy.has(channel) || this.#looking.has(channel)) continue;
        channel.batch ??= this.#seal(channel);
        if (parts.length > 0 && bytes + channel.batch.bytes > kafkaLimits.produceBytesMax) continue;
        bytes += channel.batch.bytes;
        parts.push({ channel, batch: channel.batch });
      }
      if (parts.length === 0) return;
      const request = produceRequest(
        parts.map(({ channel, batch: { records } }) => ({
          topic: channel.topic,
          partition: channel.partition,
          records,
          producer: { id: (channel.id ??= id), epoch: channel.epoch, sequence: channel.sequence },
        })),
        kafkaLimits.requestTimeoutMs,
        this.#compressor,
      );
      for (const { batch } of parts) batch.unanswered++;
      // A leader that was cut off from the others answers only when its own patience ends.
      const slow = setInterval(
        () => this.#cluster.lookAgain(leader).then(this.#schedule, () => {}),
        kafkaLimits.slowAppendMs,
      );
      const { parts: produced } = await link.send<ProduceResponse>(request).finally(() => {
        clearInterval(slow);
        for (const { batch } of parts) batch.unanswered--;
      });
      for (const { channel, batch } of parts) {
        const part = produced.find((each) => each.partition === channel.partition && each.topic === channel.topic);
        this.#decide(channel, batch, part);
      }
    } catch (error) {
      // Nothing was sent, or there was no answer: the same batches are sent again.
      if (parts.length > 0) for (const { channel, batch } of parts) this.#notSent(channel, batch, error);
      else
        for (const channel of ready)
          if (this.#busy.has(channel)) this.#notSent(channel, (channel.batch ??= this.#seal(channel)), error);
    }
  };

  #notSent(channel: Channel, batch: Batch, error: unknown) {
    if (channel.batch !== batch) return;
    if (isTransient(error) || batch.unanswered > 0) this.#tryLater(channel, batch, error);
    else this.#fail(channel, error);
  }

  #decide(channel: Channel, batch: Batch, part: ProducedPart | undefined) {
    if (channel.batch !== batch) return;
    const what = `appending to ${channel.topic}/${channel.partition}`;
    if (!part) return this.#tryLater(channel, batch, transient(`${what} failed: it is missing in the broker's answer`));
    if (part.errorCode === 0) return this.#ack(channel, batch, part.baseOffset);
    const { type } = errorOf(part.errorCode);
    if (batch.unanswered > 0) return this.#tryLater(channel, batch, transient(`${what} failed: ${type}`));
    // Acked batches before it are gone from the log. This one was refused, and may be sent again under another number,
    // unless it depends on them: another writer's records may have taken their offsets, so that its own offset would
    // look right.
    if (type === 'OUT_OF_ORDER_SEQUENCE_NUMBER') {
      const lost = transient(`${what} failed: the log lost acknowledged records`);
      if (batch.records.some(({ append }) => append.leads)) return this.#fail(channel, lost);
      this.#renumber(channel);
      return this.#tryLater(channel, batch, lost);
    }
    try {
      if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE') return this.#tooLarge(channel, batch);
      throwFor(part.errorCode, what);
    } catch (error) {
      if (isTransient(error)) this.#tryLater(channel, batch, error);
      else this.#fail(channel, error);
    }
  }

  async append(records: readonly AppendRecord[], { leads = false }: AppendOptions = {}): Promise<number[]> {
    if (!this.#isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
    if (records.length === 0) return [];
    for (const { topic, value, partition } of records) {
      if (value.length > logLimits.recordBytesMax) {
        const message = `a record for ${topic} has a value beyond ${logLimits.recordBytesMax} bytes: send less in one record`;
        throw new CrawlstreamError('INVALID_ARGUMENT', message);
      }
      if (!Number.isInteger(partition) || partition < 0) {
        throw new CrawlstreamError('INVALID_ARGUMENT', `topic ${topic} has no partition ${partition}`);
      }
    }
    const timestampMs = this.#clock.nowMs();
    return new Promise<number[]>((resolve, reject) => {
      const counts = { left: records.length, tooLarge: [], tooLargeFor: '', leads };
      const append: Append = { offsets: new Array(records.length), ...counts, resolve, reject };
      records.forEach((record, index) => {
        const channel = this.#channelOf(record.topic, record.partition);
        channel.queue.push({ record, timestampMs, append, index, bytes: recordBytesAtMost(record) });
        this.#busy.add(channel);
      });
      this.#schedule();
    });
  }

  /**
   * Partitions that took nothing for `kafkaLimits.blockedAppendMs` or longer. A partition with given-up appends is
   * listed until it takes another one.
   */
  blocked(): BlockedAppend[] {
    const beforeMs = performance.now() - kafkaLimits.blockedAppendMs;
    return [...this.#channels.values()].flatMap((byPartition) =>
      [...byPartition.values()].flatMap(({ topic, partition, waitsSinceMs, gaveUp, why, broker }) => {
        // Soon after appends were given up, the caller may try again: the wait is not over.
        const isGivenUp = waitsSinceMs === undefined && gaveUp !== undefined && gaveUp.atMs <= beforeMs;
        const sinceMs = waitsSinceMs ?? gaveUp?.sinceMs;
        return sinceMs !== undefined && sinceMs <= beforeMs
          ? [{ topic, partition, sinceMs, why, broker, isGivenUp }]
          : [];
      }),
    );
  }

  /** Resolves when all appends are acked or have failed. Later appends reject. */
  async close(): Promise<void> {
    this.#isOpen = false;
    this.#closeDeadline = deadlineIn(kafkaLimits.closeTimeoutMs);
    if (this.#busy.size > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    clearTimeout(this.#timer);
    // Acks are reported before the log ends other pending work.
    await sleep(0);
  }
}

/** Any broker assigns producer ids. */
async function initProducerId(cluster: Cluster): Promise<number> {
  const request = raw('InitProducerId', { transactionalId: null, transactionTimeout: 60_000 });
  const { errorCode, producerId } = await cluster.sendAny<{ errorCode: number; producerId: string }>(request);
  throwFor(errorCode, 'getting a producer id');
  return Number(producerId);
}
