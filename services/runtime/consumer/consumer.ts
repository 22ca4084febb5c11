/**
 * A consumer of a crawl's topics: reads, decodes, calls the handler in batches, and saves its positions.
 *
 * Invariant: a position is saved only after its record was handled or dead-lettered, so a crash repeats records and
 * loses none. Records of one partition are handled in order, one batch at a time. A position outside a topic's range
 * stops the consumer with an error that says what to do: it is never reset automatically.
 */
import type { DeadLetter, Page } from '../../../schemas/types.ts';
import { CrawlstreamError, hasCode } from '../../../topology/errors.ts';
import { type AvroTopic, holdsCopies } from '../../../topology/topics.ts';
import { awaitSchema } from '../avro/await-schema.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Clock } from '../clock.ts';
import type { Log, LogReader, LogRecord, Position } from '../log/log.ts';
import { pollOn } from '../log/poll-on.ts';
import { consumerLimits } from './consumer-limits.ts';
import { deadLetterOf } from './dead-letter.ts';
import { type Forgotten, ForgottenInBatch, forgottenOf } from './forgotten.ts';
import { handleBatch } from './handle-batch.ts';
import type { Positions } from './positions.ts';
import type { Received } from './received.ts';

/**
 * The start position: where the group left off, the first record, the end, or the first record from a time on.
 */
export type From = 'committed' | 'start' | 'end' | Date;

export interface BatchContext {
  /**
   * The positions after the whole batch, for a handler that stores them together with its output, and stops when it
   * fails.
   */
  readonly positions: readonly Position[];
  /** Tombstones of pages that are not among those of the batch, including unknown URLs. */
  readonly forgotten: readonly Forgotten[];
  /** Aborted when the consumer must stop. */
  readonly signal: AbortSignal;
}

export interface ConsumerOptions<T extends AvroTopic> {
  readonly log: Pick<Log, 'reader' | 'offsets' | 'offsetAt'>;
  readonly codec: RecordCodec;
  readonly clock: Clock;
  readonly crawl: string;
  /** Name of the consumer group, for dead letters and errors. */
  readonly group: string;
  /** Co-partitioned topics: a partition is assigned for all of them. */
  readonly topics: readonly T[];
  readonly handle: (batch: readonly Received<T>[], context: BatchContext) => Promise<void> | void;
  /** Called before each batch is handled. An error stops the consumer: no record is at fault. */
  readonly beforeBatch?: () => Promise<void>;
  readonly positions: Positions;
  readonly from?: From;
  readonly batchRecords?: number;
  /** Longest wait for a batch to fill, ms. */
  readonly batchMs?: number;
  readonly retriesMs?: readonly number[];
  readonly whenFailed?: 'deadLetter' | 'stop';
  /** Keeps dead letters; resolves once they are kept. */
  readonly deadLetter: (
    deadLetters: readonly { readonly deadLetter: DeadLetter; readonly key: Buffer | null }[],
  ) => Promise<void>;
  readonly onRetry?: (error: Error) => void;
}

/** Counts of a consumer since its start. */
export interface ConsumerStats {
  /** Records handled, including dead letters. */
  readonly records: number;
  readonly batches: number;
  readonly retries: number;
  readonly deadLettered: number;
  /** Dead letters of records that could not be decoded. */
  readonly undecodable: number;
}

export interface Consumer {
  /** Sets all partitions of this consumer. */
  assign(partitions: readonly number[]): void;
  /** Resolves when all present records are handled and the positions saved; rejects if the consumer failed. */
  drain(): Promise<void>;
  /** Number of records in its partitions that are not handled yet. */
  lag(): Promise<number>;
  stats(): ConsumerStats;
  /** The next offset to handle, for each of its partitions. */
  positions(): readonly Position[];
  /** Ends after the current batch, with its positions saved. */
  stop(): Promise<void>;
  /** Resolves when it has stopped, rejects with what stopped it. */
  readonly ended: Promise<void>;
}

export function startConsumer<T extends AvroTopic>(options: ConsumerOptions<T>): Consumer {
  return new TopicConsumer(options);
}

/** Its public acts are fields, since callers hand out single ones: `{ stats: consumer.stats }`. */
class TopicConsumer<T extends AvroTopic> implements Consumer {
  readonly #options: ConsumerOptions<T>;
  readonly #codec: RecordCodec;
  readonly #clock: Clock;
  readonly #crawl: string;
  readonly #topics: readonly T[];
  readonly #batchRecords: number;
  readonly #stopping = new AbortController();
  readonly #reader: LogReader;
  readonly #counts = { records: 0, batches: 0, retries: 0, deadLettered: 0, undecodable: 0 };
  readonly #assigned = new Set<number>();
  /** The next offset to handle, by full topic and partition; saved as far as they are not in `unsaved`. */
  readonly #next = new Map<string, Position>();
  readonly #unsaved = new Map<string, Position>();
  readonly #begun = new Set<string>();
  readonly #draining = new Set<Drain>();
  #backlog: LogRecord[] = [];
  #beginnings: Promise<unknown> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  readonly ended: Promise<void>;

  constructor(options: ConsumerOptions<T>) {
    this.#options = options;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#crawl = options.crawl;
    this.#topics = options.topics;
    this.#batchRecords = options.batchRecords ?? consumerLimits.batchRecords;
    this.#reader = options.log.reader();
    this.ended = this.#run()
      .catch(this.#fail)
      .then(() => this.#end());
    this.ended.catch(() => {});
  }

  readonly #fail = (error: unknown) => {
    this.#failure ??= { error };
    this.#stopping.abort();
    this.#reader.wake();
  };

  readonly #begin = async (partition: number) => {
    for (const name of this.#topics) {
      const topic = `${this.#crawl}.${name}`;
      const offset = await startOf(this.#options, topic, partition, this.#begun.has(nameOf(topic, partition)));
      if (!this.#assigned.has(partition)) return;
      this.#begun.add(nameOf(topic, partition));
      this.#next.set(nameOf(topic, partition), { topic, partition, offset });
      this.#reader.seek(topic, partition, offset);
    }
    this.#reader.wake();
  };

  readonly assign = (partitions: readonly number[]) => {
    for (const partition of this.#assigned) {
      if (partitions.includes(partition)) continue;
      this.#assigned.delete(partition);
      for (const name of this.#topics) {
        const topic = `${this.#crawl}.${name}`;
        this.#reader.drop(topic, partition);
        this.#next.delete(nameOf(topic, partition));
        this.#unsaved.delete(nameOf(topic, partition));
      }
    }
    this.#backlog = this.#backlog.filter((record) => this.#assigned.has(record.partition));
    const fresh = partitions.filter((partition) => !this.#assigned.has(partition));
    for (const partition of fresh) this.#assigned.add(partition);
    this.#beginnings = Promise.all([this.#beginnings, ...fresh.map(this.#begin)]);
    this.#beginnings.catch(this.#fail);
  };

  /** Resolves to the next batch; empty if no record came for a while. */
  async #gather(): Promise<LogRecord[]> {
    const untilMs = this.#clock.nowMs() + (this.#options.batchMs ?? consumerLimits.batchMs);
    let waitMs: number = consumerLimits.pollMs;
    while (this.#backlog.length < this.#batchRecords && !this.#stopping.signal.aborted) {
      const maxBytes = consumerLimits.pollBytes;
      // A batch is not filled up while a caller waits for the end.
      const records = await pollOn(this.#reader, { maxBytes, waitMs: this.#draining.size > 0 ? 0 : waitMs });
      for (const record of records) if (this.#assigned.has(record.partition)) this.#backlog.push(record);
      waitMs = untilMs - this.#clock.nowMs();
      if (waitMs <= 0 || records.length === 0) break;
    }
    return this.#backlog.splice(0, this.#batchRecords);
  }

  async #decode(records: readonly LogRecord[]) {
    const batch: Received<T>[] = [];
    const deadLetters: { deadLetter: DeadLetter; key: Buffer | null }[] = [];
    const taken: LogRecord[] = [];
    const left = new Set<number>();
    const forgotten = new ForgottenInBatch();
    for (const record of records) {
      if (left.has(record.partition)) continue;
      const topic = record.topic.slice(this.#crawl.length + 1) as T;
      if (record.value.length === 0 && holdsCopies(topic)) {
        const tombstone = topic === 'pages' ? forgottenOf(record) : null;
        if (tombstone !== null) forgotten.add(tombstone);
        taken.push(record);
        continue;
      }
      const isWanted = () => this.#assigned.has(record.partition);
      const { signal } = this.#stopping;
      if (!(await awaitSchema(topic, record.value, { codec: this.#codec, clock: this.#clock, signal, isWanted }))) {
        // The partition belongs to another member now, or is assigned again later: no position passes this record.
        left.add(record.partition);
        continue;
      }
      taken.push(record);
      try {
        const value = this.#codec.decode(topic, record.value);
        const { partition, offset, timestampMs } = record;
        batch.push({ topic, value, partition, offset, timestampMs, record } as Received<T>);
      } catch (error) {
        const { group } = this.#options;
        const about = {
          reason: 'undecodable',
          record,
          group,
          error: error as Error,
          nowMs: this.#clock.nowMs(),
        } as const;
        deadLetters.push({ deadLetter: deadLetterOf(about), key: record.key });
        this.#counts.undecodable += 1;
      }
    }
    if (forgotten.isEmpty) return { batch, letters: deadLetters, taken, forgotten: [] };
    const isKept = ({ topic, value, offset }: Received<T>) =>
      topic !== 'pages' || !forgotten.takesBack((value as Page).url, offset);
    return { batch: batch.filter(isKept), letters: deadLetters, taken, forgotten: forgotten.all() };
  }

  async #work(records: readonly LogRecord[]) {
    const { batch, letters: deadLetters, taken, forgotten } = await this.#decode(records);
    const positions = positionsAfter(taken);
    const { signal } = this.#stopping;
    if (batch.length > 0) await this.#options.beforeBatch?.();
    const failed =
      batch.length === 0 && forgotten.length === 0
        ? []
        : await handleBatch(
            { records: batch, forgotten },
            (some) => this.#options.handle([...some.records], { positions, forgotten: some.forgotten, signal }),
            {
              clock: this.#clock,
              retriesMs: this.#options.retriesMs ?? consumerLimits.retriesMs,
              whenFailed: this.#options.whenFailed ?? 'deadLetter',
              signal,
              onRetry: (error) => {
                this.#counts.retries += 1;
                this.#options.onRetry?.(error);
              },
            },
          );
    for (const { received, error } of failed) {
      const { record } = received;
      const { url = '', hostKey = '' } = received.value as { readonly url?: string; readonly hostKey?: string };
      const about = {
        reason: 'consumerFailed',
        record,
        group: this.#options.group,
        error,
        nowMs: this.#clock.nowMs(),
      } as const;
      deadLetters.push({ deadLetter: deadLetterOf({ ...about, url, hostKey }), key: record.key });
    }
    if (deadLetters.length > 0) await this.#options.deadLetter(deadLetters);
    this.#counts.deadLettered += deadLetters.length;
    this.#counts.records += taken.length;
    this.#counts.batches += 1;
    for (const position of positions) {
      const name = nameOf(position.topic, position.partition);
      if (!this.#assigned.has(position.partition)) continue;
      this.#next.set(name, position);
      this.#unsaved.set(name, position);
    }
    await this.#save();
  }

  async #save() {
    const positions = [...this.#unsaved.values()];
    if (positions.length === 0) return;
    try {
      await this.#options.positions.save(positions);
    } catch (error) {
      // For partitions that have moved, their new member handles the records again. The other positions are saved next
      // time.
      if (!hasCode(error, 'OWNERSHIP_LOST', 'PROCESS_ENDED')) throw error;
      return;
    }
    for (const position of positions) {
      const name = nameOf(position.topic, position.partition);
      if (this.#unsaved.get(name) === position) this.#unsaved.delete(name);
    }
  }

  async #run() {
    while (!this.#stopping.signal.aborted) {
      const records = await this.#gather();
      try {
        if (records.length > 0) await this.#work(records);
      } catch (error) {
        // It was stopped during the retries of a batch: the batch is not done, and is delivered again.
        if (!this.#stopping.signal.aborted) throw error;
        break;
      }
      await this.#beginnings;
      for (const drain of this.#draining) if (drain.isDone(this.#next)) drain.resolve();
    }
  }

  async #end() {
    await this.#beginnings.catch(() => {});
    await this.#reader.close();
    const early = new CrawlstreamError('STORE_CLOSED', `${this.#options.group} was stopped before it read all records`);
    for (const drain of this.#draining) drain.reject(this.#failure === undefined ? early : this.#failure.error);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  readonly drain: Consumer['drain'] = async () => {
    await this.#beginnings;
    const ends = await endsOf(this.#options, this.#assigned);
    if (this.#failure !== undefined) throw this.#failure.error;
    const { promise, resolve, reject } = deferred();
    const isDone = (at: ReadonlyMap<string, Position>) =>
      ends.every(({ topic, partition, offset }) => (at.get(nameOf(topic, partition))?.offset ?? offset) >= offset);
    const drain: Drain = { isDone, resolve, reject };
    this.#draining.add(drain);
    this.#reader.wake();
    await promise.finally(() => this.#draining.delete(drain));
  };

  readonly lag: Consumer['lag'] = async () => {
    await this.#beginnings;
    let sum = 0;
    for (const { topic, partition, offset } of await endsOf(this.#options, this.#assigned)) {
      sum += Math.max(0, offset - (this.#next.get(nameOf(topic, partition))?.offset ?? offset));
    }
    return sum;
  };

  readonly stats: Consumer['stats'] = () => ({ ...this.#counts });
  readonly positions: Consumer['positions'] = () => [...this.#next.values()];
  readonly stop: Consumer['stop'] = () => {
    this.#stopping.abort();
    this.#reader.wake();
    return this.ended;
  };
}

interface Drain {
  isDone(next: ReadonlyMap<string, Position>): boolean;
  resolve(): void;
  reject(error: unknown): void;
}

function deferred(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

function nameOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}

async function endsOf(
  { log, crawl, topics }: Pick<ConsumerOptions<AvroTopic>, 'log' | 'crawl' | 'topics'>,
  partitions: Iterable<number>,
): Promise<Position[]> {
  const ends: Position[] = [];
  for (const partition of partitions) {
    for (const name of topics) {
      const topic = `${crawl}.${name}`;
      ends.push({ topic, partition, offset: (await log.offsets(topic, partition)).end });
    }
  }
  return ends;
}

/** `again`: this process has read the partition before, so `from` was already applied. */
async function startOf(
  options: Pick<ConsumerOptions<AvroTopic>, 'log' | 'positions' | 'from' | 'group'>,
  topic: string,
  partition: number,
  again: boolean,
): Promise<number> {
  const { log, positions, from = 'committed', group } = options;
  const { start, end } = await log.offsets(topic, partition);
  if (!again && from !== 'committed') {
    if (from === 'start') return start;
    return from === 'end' ? end : log.offsetAt(topic, partition, from.getTime());
  }
  const kept = await positions.load(topic, partition);
  if (kept === undefined) return start;
  if (kept >= start && kept <= end) return kept;
  throw new CrawlstreamError(
    'OFFSET_OUT_OF_RANGE',
    `group ${group} is at ${kept} of ${topic}/${partition}, but the topic has only ${start} to ${end}, so records are lost: to continue with the remaining ones, read the topics from the start (--from-start)`,
  );
}

function positionsAfter(records: readonly LogRecord[]): Position[] {
  const after = new Map<string, Position>();
  for (const { topic, partition, offset } of records) {
    after.set(nameOf(topic, partition), { topic, partition, offset: offset + 1 });
  }
  return [...after.values()];
}
