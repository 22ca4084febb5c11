/**
 * The part of a flow's partition that a process has read: the end of each topic in it, and the newest records, for
 * readers that keep up.
 */
import type { LogRecord } from '../log.ts';
import { unfold } from './fold.ts';

interface Held {
  readonly name: string;
  readonly record: LogRecord;
}

/** Approximate memory of a record in addition to its value. */
const recordOverheadBytes = 200;

export class FlowTail {
  readonly flow: string;
  readonly partition: number;
  readonly #bytesMax: number;
  readonly #ends = new Map<string, number>();
  readonly #listeners = new Set<() => void>();
  #held: Held[] = [];
  #bytes = 0;
  /** First available offset when it was opened. */
  start: number;
  /** All records from here up to `readTo` are in memory. */
  from: number;
  /** All records below were seen. */
  readTo: number;
  /** No more records follow: use another tail. */
  isClosed = false;
  /** Number of errors that stopped reading, and the last one. */
  failures = 0;
  failure: unknown;

  constructor(flow: string, partition: number, start: number, bytesMax: number) {
    [this.flow, this.partition, this.#bytesMax] = [flow, partition, bytesMax];
    this.start = this.from = this.readTo = start;
  }

  /** One past the newest record of a topic. */
  endOf(name: string): number {
    return this.#ends.get(name) ?? this.start;
  }

  /** One past the newest known record. */
  get knownEnd(): number {
    return Math.max(this.readTo, ...this.#ends.values());
  }

  /** Notes a record that this process has appended, and may not have read yet. */
  appended(name: string, offset: number): void {
    this.#ends.set(name, Math.max(offset + 1, this.endOf(name)));
  }

  /** In order, from `readTo` on. */
  add(records: readonly LogRecord[]): void {
    for (const one of records) {
      this.readTo = one.offset + 1;
      const held = unfold(one);
      if (held === undefined) continue;
      this.appended(held.name, one.offset);
      this.#held.push(held);
      this.#bytes += recordOverheadBytes + one.value.length;
    }
    this.#shorten();
    this.notify();
  }

  /** Records of a topic from `position` on, which must not be below `from`. */
  *since(name: string, position: number): Generator<LogRecord> {
    const all = this.#held;
    let [low, high] = [0, all.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (all[middle]!.record.offset < position) low = middle + 1;
      else high = middle;
    }
    for (let at = low; at < all.length; at++) if (all[at]!.name === name) yield all[at]!.record;
  }

  /**
   * `listener` is called when there are more records, or after a failure or close, until the returned function is
   * called. A reader listens once for each of its topics, with the same listener.
   */
  listen(listener: () => void): () => void {
    const one = () => listener();
    this.#listeners.add(one);
    return () => this.#listeners.delete(one);
  }

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  fail(error: unknown): void {
    this.failure = error;
    this.failures++;
    this.notify();
  }

  close(): void {
    this.isClosed = true;
    this.notify();
  }

  /** Resolves when all records below `offset` are read, or the tail is closed. Rejects if reading fails. */
  reached(offset: number): Promise<void> {
    const { failures } = this;
    return new Promise((resolve, reject) => {
      const look = () => {
        if (this.readTo < offset && !this.isClosed && this.failures === failures) return;
        stop();
        if (this.readTo < offset && this.failures > failures) reject(this.failure);
        else resolve();
      };
      const stop = this.listen(look);
      look();
    });
  }

  #shorten(): void {
    if (this.#bytes <= this.#bytesMax) return;
    let count = 0;
    while (count < this.#held.length && this.#bytes > this.#bytesMax / 2)
      this.#bytes -= recordOverheadBytes + this.#held[count++]!.record.value.length;
    this.from = this.#held[count]?.record.offset ?? this.readTo;
    this.#held = this.#held.slice(count);
  }
}
