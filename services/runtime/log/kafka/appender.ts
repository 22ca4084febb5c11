/**
 * Appends: gathered into batches, one in flight per partition and one request per broker, idempotent, acked by all
 * replicas.
 *
 * A batch keeps its records and its sequence number through every try, so that a broker that already has it answers
 * with its first offsets (KIP-98). When a batch is given up, what happened to it may be unknown: it and everything
 * queued behind it in its partition is rejected, and the partition goes on under the next epoch of the producer id,
 * under which brokers refuse the old batch should it still arrive. So a partition never gets a hole, a duplicate
 * or a swap, only perhaps a batch whose append was rejected. A log that has lost acked batches refuses the next one for its
 * number: nothing of it was appended, so it goes again, numbered anew.
 *
 * A batch that is larger than its topic takes was not appended, and goes again in halves under the same number; a record
 * that does not fit alone is rejected, and what waits behind it goes on, unless it rests on it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Clock } from '../../clock.ts';
import type { AppendOptions, AppendRecord } from '../log.ts';
import { logLimits } from '../log-limits.ts';
import { RecordTooLarge } from '../record-too-large.ts';
import type { Cluster } from './cluster.ts';
import type { Compressor } from './compression/codecs.ts';
import { deadlineIn, isTransient, throwFor, transient } from './errors.ts';
import { kafkaLimits } from './kafka-limits.ts';
import { errorOf, raw } from './kafkajs-wire.ts';
import { type ProducedPart, type ProduceResponse, produceRequest } from './produce-request.ts';
import { recordBytesAtMost, type StampedRecord } from './record-batch.ts';

export interface Appender {
  append(records: readonly AppendRecord[], options?: AppendOptions): Promise<number[]>;
  /** Resolves when all that was appended is acked or has failed. Later appends reject. */
  close(): Promise<void>;
}

interface Append {
  readonly offsets: number[];
  readonly leads: boolean;
  /** Places of records that are too large, and a topic that says so. */
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

interface Lane {
  readonly topic: string;
  readonly partition: number;
  readonly queue: Queued[];
  /** A batch with more was larger than the topic takes. */
  bytesMax: number;
  /** Being sent, and sent again until an answer decides. */
  batch: Batch | undefined;
  /** Of the producer; undefined: not numbered yet. */
  id: number | undefined;
  epoch: number;
  sequence: number;
}

interface Batch {
  readonly records: readonly Queued[];
  readonly bytes: number;
  readonly deadline: number;
  /** Not to be tried again before; monotonic, ms. */
  notBefore: number;
  pauseMs: number;
}

const sequenceEnd = 2 ** 31;
const epochMax = 32_767;

export function createAppender(
  cluster: Cluster,
  clock: Clock,
  deliveryTimeoutMs: number,
  compressor: Compressor | undefined,
): Appender {
  const lanes = new Map<string, Map<number, Lane>>();
  /** Lanes with something to send. */
  const busy = new Set<Lane>();
  /** Brokers with a request under way, or about to have one. */
  const sending = new Set<number>();
  let producerId: Promise<number> | undefined;
  let pumping = false;
  let timer: NodeJS.Timeout | undefined;
  let isOpen = true;
  let closeDeadline = Number.POSITIVE_INFINITY;
  let idle: (() => void) | undefined;

  const laneOf = (topic: string, partition: number): Lane => {
    let byPartition = lanes.get(topic);
    if (!byPartition) lanes.set(topic, (byPartition = new Map()));
    let lane = byPartition.get(partition);
    if (!lane)
      byPartition.set(
        partition,
        (lane = {
          ...{ topic, partition, queue: [], batch: undefined, bytesMax: kafkaLimits.batchBytesMax },
          ...{ id: undefined, epoch: 0, sequence: 0 },
        }),
      );
    return lane;
  };

  const settle = (lane: Lane) => {
    lane.batch = undefined;
    if (lane.queue.length === 0) busy.delete(lane);
    if (busy.size === 0) idle?.();
  };
  const ack = (lane: Lane, batch: Batch, baseOffset: number) => {
    lane.sequence = (lane.sequence + batch.records.length) % sequenceEnd;
    batch.records.forEach(({ append, index }, i) => {
      append.offsets[index] = baseOffset + i;
      landed(append);
    });
    settle(lane);
  };
  const landed = (append: Append) => {
    if (--append.left > 0) return;
    if (append.tooLarge.length === 0) append.resolve(append.offsets);
    else append.reject(new RecordTooLarge(append.tooLargeFor, append.tooLarge));
  };
  /** Nothing of the batch was appended: its number is free. */
  const tooLarge = (lane: Lane, batch: Batch) => {
    const [first] = batch.records;
    if (batch.records.length > 1) {
      lane.queue.unshift(...batch.records);
      lane.bytesMax = Math.max(1, Math.floor(Math.min(lane.bytesMax, batch.bytes) / 2));
      lane.batch = undefined;
      return;
    }
    const { append, index } = first as Queued;
    append.tooLarge.push(index);
    append.tooLargeFor = lane.topic;
    if (append.leads) return fail(lane, new RecordTooLarge(lane.topic, append.tooLarge));
    landed(append);
    settle(lane);
  };
  const numberAnew = (lane: Lane) => {
    lane.sequence = 0;
    if (++lane.epoch > epochMax) {
      producerId = undefined;
      lane.id = undefined;
      lane.epoch = 0;
    }
  };
  const fail = (lane: Lane, error: unknown) => {
    const records = [...(lane.batch?.records ?? []), ...lane.queue.splice(0)];
    numberAnew(lane);
    for (const { append } of records) append.reject(error);
    settle(lane);
  };
  const tryLater = (lane: Lane, batch: Batch, error: unknown) => {
    cluster.forget(lane.topic);
    const now = performance.now();
    if (now + batch.pauseMs > Math.min(batch.deadline, closeDeadline)) return fail(lane, error);
    batch.notBefore = now + batch.pauseMs;
    batch.pauseMs = Math.min(2 * batch.pauseMs, kafkaLimits.retryMsMax);
  };

  const seal = (lane: Lane): Batch => {
    let count = 0;
    let bytes = 0;
    for (const queued of lane.queue) {
      if (count > 0 && bytes + queued.bytes > lane.bytesMax) break;
      bytes += queued.bytes;
      count++;
    }
    const deadline = deadlineIn(deliveryTimeoutMs);
    return { records: lane.queue.splice(0, count), bytes, deadline, notBefore: 0, pauseMs: kafkaLimits.retryMs };
  };

  /** Sends what is ready to every broker that is free; called whenever either may have changed. */
  const pump = async () => {
    pumping = false;
    clearTimeout(timer);
    const now = performance.now();
    let soonest = Number.POSITIVE_INFINITY;
    const ready = new Map<number, Lane[]>();
    for (const lane of [...busy]) {
      if (lane.batch && lane.batch.notBefore > now) {
        soonest = Math.min(soonest, lane.batch.notBefore);
        continue;
      }
      const leader = cluster.knownLeaderOf(lane.topic, lane.partition);
      if (leader === undefined) {
        if (!looking.has(lane)) look(lane);
        continue;
      }
      if (sending.has(leader)) continue;
      const there = ready.get(leader);
      if (there) there.push(lane);
      else ready.set(leader, [lane]);
    }
    for (const [leader, of] of ready) {
      sending.add(leader);
      send(leader, of).finally(() => {
        sending.delete(leader);
        schedule();
      });
    }
    if (soonest < Number.POSITIVE_INFINITY) timer = setTimeout(schedule, soonest - now + 1);
  };
  /** After this turn of the microtask queue: appends issued together by one handler share a request. */
  const schedule = () => {
    if (pumping) return;
    pumping = true;
    queueMicrotask(pump);
  };

  /** Lanes whose leader is being asked for. */
  const looking = new Set<Lane>();
  const look = (lane: Lane) => {
    lane.batch ??= seal(lane);
    const { batch } = lane;
    looking.add(lane);
    cluster
      .leaderOf(lane.topic, lane.partition)
      .catch((error) => (isTransient(error) ? tryLater(lane, batch, error) : fail(lane, error)))
      .finally(() => {
        looking.delete(lane);
        schedule();
      });
  };

  const send = async (leader: number, ready: readonly Lane[]) => {
    const parts: { lane: Lane; batch: Batch }[] = [];
    try {
      producerId ??= initProducerId(cluster);
      const id = await producerId.catch((error) => {
        producerId = undefined;
        throw error;
      });
      const link = await cluster.link(leader, 'produce');
      let bytes = 0;
      for (const lane of ready) {
        if (!busy.has(lane) || looking.has(lane)) continue;
        lane.batch ??= seal(lane);
        if (parts.length > 0 && bytes + lane.batch.bytes > kafkaLimits.produceBytesMax) continue;
        bytes += lane.batch.bytes;
        parts.push({ lane, batch: lane.batch });
      }
      const request = produceRequest(
        parts.map(({ lane, batch: { records } }) => ({
          topic: lane.topic,
          partition: lane.partition,
          records,
          producer: { id: (lane.id ??= id), epoch: lane.epoch, sequence: lane.sequence },
        })),
        kafkaLimits.requestTimeoutMs,
        compressor,
      );
      const { parts: produced } = await link.send<ProduceResponse>(request);
      for (const { lane, batch } of parts) {
        const part = produced.find((each) => each.partition === lane.partition && each.topic === lane.topic);
        decide(lane, batch, part);
      }
    } catch (error) {
      // Nothing was sent, or what was has no answer: the same batches go again.
      const concerned = parts.length > 0 ? parts : ready.map((lane) => ({ lane, batch: (lane.batch ??= seal(lane)) }));
      for (const { lane, batch } of concerned) {
        if (lane.batch !== batch) continue;
        if (isTransient(error)) tryLater(lane, batch, error);
        else fail(lane, error);
      }
    }
  };

  const decide = (lane: Lane, batch: Batch, part: ProducedPart | undefined) => {
    const what = `appending to ${lane.topic}/${lane.partition}`;
    if (!part) return tryLater(lane, batch, transient(`${what} failed: the broker's answer leaves it out`));
    if (part.errorCode === 0) return ack(lane, batch, part.baseOffset);
    const { type } = errorOf(part.errorCode);
    // Acked batches before it are gone from the log: this one was refused, and may go again under other numbers, unless
    // it rests on them: somebody else's records may have taken their places, so that its own would look right.
    if (type === 'OUT_OF_ORDER_SEQUENCE_NUMBER') {
      const lost = transient(`${what} failed: the log has lost records that it had acknowledged`);
      if (batch.records.some(({ append }) => append.leads)) return fail(lane, lost);
      numberAnew(lane);
      return tryLater(lane, batch, lost);
    }
    try {
      if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE') return tooLarge(lane, batch);
      throwFor(part.errorCode, what);
    } catch (error) {
      if (isTransient(error)) tryLater(lane, batch, error);
      else fail(lane, error);
    }
  };

  return {
    append: async (records, { leads = false } = {}) => {
      if (!isOpen) throw new CrawlstreamError('STORE_CLOSED', 'the log is closed');
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
      const timestampMs = clock.nowMs();
      return new Promise<number[]>((resolve, reject) => {
        const counts = { left: records.length, tooLarge: [], tooLargeFor: '', leads };
        const append: Append = { offsets: new Array(records.length), ...counts, resolve, reject };
        records.forEach((record, index) => {
          const lane = laneOf(record.topic, record.partition);
          lane.queue.push({ record, timestampMs, append, index, bytes: recordBytesAtMost(record) });
          busy.add(lane);
        });
        schedule();
      });
    },
    close: async () => {
      isOpen = false;
      closeDeadline = deadlineIn(kafkaLimits.closeTimeoutMs);
      if (busy.size > 0) {
        await new Promise<void>((resolve) => {
          idle = resolve;
        });
      }
      clearTimeout(timer);
      // Acks are told before the log ends what else is under way.
      await sleep(0);
    },
  };
}

/** Any broker hands one out. */
async function initProducerId(cluster: Cluster): Promise<number> {
  const request = raw('InitProducerId', { transactionalId: null, transactionTimeout: 60_000 });
  const { errorCode, producerId } = await cluster.sendAny<{ errorCode: number; producerId: string }>(request);
  throwFor(errorCode, 'getting a producer id');
  return Number(producerId);
}
