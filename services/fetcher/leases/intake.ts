/**
 * Tasks on their way in: each lease is taken once, and what can't be read goes to the dead letters.
 *
 * A task's offset is committed before its first request, so that expiry at the frontier is the only redelivery
 * (docs/design.md §4.5); a task read again all the same, from before the commit, is recognised by its lease id.
 */
import { blankDeadLetter } from '../../../schemas/blank.ts';
import type { DeadLetter, Task } from '../../../schemas/types.ts';
import { enterRecord, refusalText } from '../../../topology/border/enter-record.ts';
import { canParse } from '../../../topology/url/can-parse.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { type AwaitSchema, awaitSchema } from '../../runtime/avro/await-schema.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AddressedDeadLetter } from '../../runtime/log/append-dead-letters.ts';
import type { LogRecord, Position } from '../../runtime/log/log.ts';
import { fetcherLimits } from '../fetcher-limits.ts';

export interface TaskIntake {
  /**
   * Reads records in order. Waits at a record with an unknown schema. If it stops waiting, it takes neither that record
   * nor a later one of the same partition. `positions`: the offset after the last record of each partition.
   */
  take(records: readonly LogRecord[], wait: TaskWait): Promise<Taken>;
  /** Forgets a task that was not started, so that it may be taken again. */
  forget(task: Task): void;
}

/**
 * A task, and the partition it was read from. A robots hop is read from the partition that needs its answer, not from
 * the granting one.
 */
export interface TakenTask {
  readonly task: Task;
  readonly readFrom: number;
}

export interface Taken {
  readonly tasks: readonly TakenTask[];
  readonly positions: readonly Position[];
  readonly deadLetters: readonly AddressedDeadLetter[];
  /** Number of tasks on a partition to which their host does not lead. */
  readonly misrouted: number;
}

export interface TaskWait extends Pick<AwaitSchema, 'clock' | 'signal'> {
  /** True while the partition is this fetcher's. */
  isHeld(partition: number): boolean;
}

export interface TaskIntakeOptions {
  readonly codec: RecordCodec;
  /** Number of partitions of every topic. */
  readonly partitions: number;
  readonly keyMode: KeyMode;
}

/** Why a task cannot be worked on: a URL is invalid, or is of another host; null: it can. */
function badUrlOf({ hostKey, urls, robotsHops }: Task): string | null {
  const own = urls.flatMap(({ url, normal }, at) => [
    [`urls[${at}].url`, url] as const,
    ...(normal === '' ? [] : [[`urls[${at}].normal`, normal] as const]),
  ]);
  const hops = robotsHops.map(({ url }, at) => [`robotsHops[${at}].url`, url] as const);
  for (const [field, url] of [...own, ...hops])
    if (!/^https?:/.test(url) || !canParse(url)) return badField(field, url, 'an http or https URL');
  // A hop to another host asks for a lease of that host, and requests nothing.
  for (const [field, url] of own) if (new URL(url).host !== hostKey) return badField(field, url, `a URL of ${hostKey}`);
  return null;
}

function badField(field: string, url: string, wanted: string): string {
  return `${field} is ${JSON.stringify(url.slice(0, 200))}, but must be ${wanted}: fix the program that sends it`;
}

export function createTaskIntake(options: TaskIntakeOptions): TaskIntake {
  return new OrderedIntake(options);
}

class OrderedIntake implements TaskIntake {
  readonly #codec: RecordCodec;
  readonly #partitions: number;
  readonly #keyMode: TaskIntakeOptions['keyMode'];
  /** Lease ids by the partition that granted them, oldest first. */
  readonly #taken = new Map<number, Set<string>>();

  constructor({ codec, partitions, keyMode }: TaskIntakeOptions) {
    this.#codec = codec;
    this.#partitions = partitions;
    this.#keyMode = keyMode;
  }

  #isFirst({ partition, epoch, leaseId }: Task): boolean {
    // After its changelog has lost its tail, a frontier gives a lease number again, under another epoch.
    const id = `${epoch}/${leaseId}`;
    let ids = this.#taken.get(partition);
    if (ids === undefined) this.#taken.set(partition, (ids = new Set()));
    if (ids.has(id)) return false;
    ids.add(id);
    if (ids.size > fetcherLimits.leaseIdsMax) ids.delete(ids.values().next().value!);
    return true;
  }

  /** A task is granted by its host's partition, and goes there or, for a robots.txt hop, where its answer is needed. */
  #strayOf(task: Task, readFrom: number): string | null {
    const { hostKey, partition, robotsHops } = task;
    const home = partitionOf(partitionKeyOf(hostKey, this.#keyMode), this.#partitions);
    const place = robotsHops[0]?.partition ?? partition;
    if (home === partition && readFrom === place) return null;
    return `${hostKey} belongs to partition ${home}; its lease was granted by ${partition}, and its task lay in ${readFrom}`;
  }

  #enter(value: Buffer): Task | { readonly why: string; readonly hostKey: string } {
    try {
      const decoded = this.#codec.decode('tasks', value);
      const { record, refusals } = enterRecord('tasks', decoded);
      const why = record === null ? refusalText(refusals[0]!) : badUrlOf(record);
      return record === null || why !== null ? { why: why!, hostKey: decoded.hostKey } : record;
    } catch (error) {
      return { why: (error as Error).message, hostKey: '' };
    }
  }

  forget({ partition, epoch, leaseId }: Task): void {
    this.#taken.get(partition)?.delete(`${epoch}/${leaseId}`);
  }

  async take(records: readonly LogRecord[], { clock, signal, isHeld }: TaskWait): Promise<Taken> {
    const tasks: TakenTask[] = [];
    const deadLetters: AddressedDeadLetter[] = [];
    const positions = new Map<number, Position>();
    const left = new Set<number>();
    let misrouted = 0;
    for (const record of records) {
      const { topic, partition, offset, value } = record;
      const isWanted = () => isHeld(partition);
      if (!left.has(partition) && !(await awaitSchema('tasks', value, { codec: this.#codec, clock, signal, isWanted })))
        left.add(partition);
      if (left.has(partition)) continue;
      positions.set(partition, { topic, partition, offset: offset + 1 });
      const task = this.#enter(value);
      if ('why' in task) {
        const { why: detail, hostKey } = task;
        deadLetters.push(deadLetterFor(record, clock.nowMs(), { reason: 'undecodable', detail, hostKey }));
        continue;
      }
      const stray = this.#strayOf(task, partition);
      if (stray !== null) {
        misrouted += 1;
        deadLetters.push(
          deadLetterFor(record, clock.nowMs(), { reason: 'misrouted', detail: stray, hostKey: task.hostKey }),
        );
      } else if (this.#isFirst(task)) tasks.push({ task, readFrom: partition });
    }
    return { tasks, positions: [...positions.values()], deadLetters, misrouted };
  }
}

function deadLetterFor(
  record: LogRecord,
  nowMs: number,
  why: Pick<DeadLetter, 'reason' | 'detail'> & Partial<DeadLetter>,
): AddressedDeadLetter {
  const deadLetter: DeadLetter = {
    ...blankDeadLetter,
    ...why,
    sourceTopic: record.topic,
    sourcePartition: record.partition,
    sourceOffset: record.offset,
    atMs: nowMs,
    original: record.value,
  };
  return { deadLetter, key: record.key, partition: record.partition };
}
