/** Front queues with a disk that is a map: rows are written, read and deleted as a checkpoint does. */
import assert from 'node:assert/strict';
import type { Entry } from '../../../../topology/frontier/changes/entry.ts';
import { FrontQueues } from '../../../../topology/frontier/queues/front-queues.ts';
import { rowKey, writeRow } from '../../../../topology/frontier/queues/queue-row.ts';
import { ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

export const hostKeyOf = (host: number) => `${host}.test`;

export class QueuesOnDisk {
  readonly rows = new Map<string, Buffer>();
  readonly #hosts: number;
  readonly #memoryBytes: number;
  queues: FrontQueues;

  constructor(hosts: number, memoryBytes = 2 ** 21) {
    this.#hosts = hosts;
    this.#memoryBytes = memoryBytes;
    this.queues = this.#empty();
  }

  #empty(): FrontQueues {
    const queues = new FrontQueues(this.#memoryBytes, hostKeyOf);
    queues.list.fitHost(this.#hosts);
    return queues;
  }

  push(host: number, entry: Entry): number {
    return this.queues.push(host, hostKeyOf(host), entry);
  }

  find(host: number, number: number): number {
    return this.queues.list.find(host, number);
  }

  /** The first `count` entries, read where they must be; `reads` false: what must be read comes later. */
  take(host: number, number: number, count: number, reads = true): (Entry | undefined)[] {
    const given: (Entry | undefined)[] = new Array(count).fill(undefined);
    this.queues.take(this.find(host, number), count, (index, entry) => {
      assert.equal(given[index], undefined, 'each is given once');
      given[index] = entry;
    });
    if (reads) this.read();
    return given;
  }

  /** Reads what is wanted, each row once. */
  read(): void {
    const { queues, rows } = this;
    for (let rounds = 0; queues.reads.size > 0; rounds++) {
      assert.ok(rounds < 10_000, 'it ends');
      const reading = [...queues.reads.keys()].map((one) => [one, queues.rowToRead(one)] as const);
      for (const [one, key] of reading) queues.takeRow(one, rows.get(key.toString('hex')));
    }
    for (let rounds = 0; queues.leftovers.length > 0; rounds++) {
      assert.ok(rounds < 10_000, 'it ends');
      queues.takeLeftover(rows.get(queues.leftoverToRead().toString('hex')));
    }
  }

  /** Writes up to so many rows of a front queue. */
  saveRows(host: number, number: number, most = Number.POSITIVE_INFINITY): void {
    const { queues, rows } = this;
    const one = this.find(host, number);
    if (one === 0) return;
    for (let left = most; left > 0 && queues.unsaved(one).pointer !== 0; left--) {
      const { pointer, seq } = queues.unsaved(one);
      const writer = new ByteWriter(1024);
      const { last, count } = writeRow(writer, queues.arena, pointer, queues.unsavedCount(one));
      const key = rowKey(host, number, seq).toString('hex');
      assert.ok(!rows.has(key), 'no row is written twice');
      rows.set(key, Buffer.from(writer.take()));
      queues.savedRow(one, last, count);
    }
  }

  /** Writes all, and deletes what is used up. */
  save(): void {
    for (let host = 0; host < this.#hosts; host++)
      for (const number of this.numbersOf(host)) this.saveRows(host, number);
    this.deleteGone();
  }

  deleteGone(): void {
    for (const [, keys] of this.queues.goneRows)
      for (const key of keys) assert.ok(this.rows.delete(key.toString('hex')), 'what is deleted was there');
    this.queues.goneRows.clear();
  }

  numbersOf(host: number): number[] {
    const { list } = this.queues;
    const numbers: number[] = [];
    for (let one = list.firstOf(host); one !== 0; one = list.nextOf(one)) numbers.push(list.numberOf(one));
    return numbers;
  }

  /** Another process goes on with what was saved. */
  reopen(): void {
    this.save();
    const { queues } = this;
    const next = this.#empty();
    next.queuedEver = queues.queuedEver;
    for (let host = 0; host < this.#hosts; host++)
      for (const number of this.numbersOf(host)) next.load(host, queues.saved(this.find(host, number)));
    this.queues = next;
  }
}
