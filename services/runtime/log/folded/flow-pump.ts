/**
 * One reader of the underlying log for all flows of a process, however many readers those have: two hundred crawls
 * would otherwise have eight hundred readers that wait at the brokers, with two connections each.
 *
 * A flow is read from its beginning at its first use, since that shows where each topic in it ends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import type { Log, LogReader, LogRecord } from '../log.ts';
import { LogTruncated } from '../log-truncated.ts';
import { FlowTail } from './flow-tail.ts';
import { foldedLimits } from './folded-limits.ts';

export class FlowPump {
  readonly #log: Pick<Log, 'reader' | 'offsets'>;
  readonly #tailBytes: number;
  readonly #tails = new Map<string, Promise<FlowTail>>();
  readonly #open = new Map<string, FlowTail>();
  #reader: LogReader | undefined;
  #running: Promise<void> | undefined;
  #isOpen = true;

  constructor(log: Pick<Log, 'reader' | 'offsets'>, tailBytes: number) {
    this.#log = log;
    this.#tailBytes = tailBytes;
  }

  /** The tail of a partition of a flow, which is being read from now on; it may not be at its end yet. */
  tail(flow: string, partition: number): Promise<FlowTail> {
    const key = keyOf(flow, partition);
    let opening = this.#tails.get(key);
    if (opening === undefined) {
      const isWanted = () => this.#isOpen && this.#tails.get(key) === opening;
      opening = this.#begin(flow, partition, isWanted);
      this.#tails.set(key, opening);
      opening.catch(() => {
        if (this.#tails.get(key) === opening) this.#tails.delete(key);
      });
    }
    return opening;
  }

  /** The tail that is there. */
  known(flow: string, partition: number): FlowTail | undefined {
    return this.#open.get(keyOf(flow, partition));
  }

  /** Reads a flow no more. */
  release(flow: string): void {
    for (const tail of [...this.#open.values()]) if (tail.flow === flow) this.#end(tail);
    for (const key of this.#tails.keys()) if (key.startsWith(`${flow}/`)) this.#tails.delete(key);
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#reader?.close();
    await this.#running;
    for (const tail of [...this.#open.values()]) this.#end(tail);
    this.#tails.clear();
  }

  async #begin(flow: string, partition: number, isWanted: () => boolean): Promise<FlowTail> {
    const { start } = await this.#log.offsets(flow, partition);
    const tail = new FlowTail(flow, partition, start, this.#tailBytes);
    // The flow was released meanwhile, or the pump closed. The tail of a later call takes its place.
    if (!isWanted()) {
      tail.close();
      return tail;
    }
    this.#open.set(keyOf(flow, partition), tail);
    this.#reader ??= this.#log.reader();
    this.#reader.seek(flow, partition, start);
    this.#reader.wake();
    this.#running ??= this.#run();
    return tail;
  }

  async #run(): Promise<void> {
    while (this.#isOpen) {
      if (this.#open.size === 0) break;
      try {
        await this.#turn();
      } catch (error) {
        if (!this.#isOpen) return;
        await this.#mend(error);
      }
    }
    const reader = this.#reader;
    this.#running = this.#reader = undefined;
    await reader?.close();
  }

  async #turn(): Promise<void> {
    const { pollBytes: maxBytes, pollWaitMs: waitMs } = foldedLimits;
    const records = await this.#reader!.poll({ maxBytes, waitMs });
    const byTail = new Map<string, LogRecord[]>();
    for (const record of records) {
      const key = keyOf(record.topic, record.partition);
      const some = byTail.get(key);
      if (some === undefined) byTail.set(key, [record]);
      else some.push(record);
    }
    for (const [key, some] of byTail) this.#open.get(key)?.add(some);
  }

  /**
   * Restarts reading after an error. Sound flows continue from their positions; the readers of a broken flow get the
   * error.
   */
  async #mend(error: unknown): Promise<void> {
    await this.#reader?.close();
    const isClosed = error instanceof CrawlstreamError && error.code === 'STORE_CLOSED';
    await Promise.all([...this.#open.values()].map((tail) => (isClosed ? this.#end(tail) : this.#look(tail, error))));
    if (isClosed) return;
    await sleep(foldedLimits.againMs);
    if (!this.#isOpen) return;
    this.#reader = this.#log.reader();
    for (const { flow, partition, readTo } of this.#open.values()) this.#reader.seek(flow, partition, readTo);
  }

  /** A flow that has lost read records is read again at its next use, and its user gets the error. */
  async #look(tail: FlowTail, error: unknown): Promise<void> {
    const { flow, partition, readTo } = tail;
    // Unreachable brokers do not mean that the flow has ended.
    if (error instanceof CrawlstreamError && error.code === 'BROKER_UNREACHABLE') return tail.fail(error);
    if (error instanceof LogTruncated) return error.topic === flow ? this.#end(tail) : undefined;
    const range = await this.#log.offsets(flow, partition).catch(() => undefined);
    if (range === undefined || readTo < range.start || readTo > range.end) this.#end(tail);
  }

  #end(tail: FlowTail): void {
    const key = keyOf(tail.flow, tail.partition);
    this.#open.delete(key);
    this.#tails.delete(key);
    this.#reader?.drop(tail.flow, tail.partition);
    this.#reader?.wake();
    tail.close();
  }
}

function keyOf(flow: string, partition: number): string {
  return `${flow}/${partition}`;
}
