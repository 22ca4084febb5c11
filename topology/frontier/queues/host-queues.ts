/**
 * Back queues: the URLs of each host, in the order in which they may be fetched.
 *
 * There are two parts. *Front queues* hold admitted URLs that were never leased, each first in, first out
 * (`front-queues.ts`). *Again* holds URLs to fetch again (returned, redirected, to be retried), ordered by due time,
 * then by arrival; due URLs precede the front queues. Again is in memory, because returned URLs and retries are few.
 * URLs that clients of a served crawl *reschedule* are many: they come after those, in the same order, with the URLs
 * on disk (`rescheduled-list.ts`).
 *
 * Source: Heydon & Najork, "Mercator" (1999), §3.3.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import type { Entry } from '../changes/entry.ts';
import type { Row } from '../storage/store-job.ts';
import { type Again, AgainList } from './again-list.ts';
import type { FrontQueues } from './front-queues.ts';
import { budgetQueue } from './held-queues.ts';
import { QueueAges } from './queue-ages.ts';
import { type Rescheduled, RescheduledList } from './rescheduled-list.ts';

export class HostQueues {
  readonly frontQueues: FrontQueues;
  readonly again = new Map<number, AgainList>();
  readonly rescheduled = new Map<number, RescheduledList>();
  /** Lists that became empty since the last checkpoint: their rows must be deleted. */
  readonly #emptied = new Map<number, RescheduledList>();
  /** Queues of released traps, which may be drawn from after the front queues. */
  readonly opened = new Map<number, readonly number[]>();
  /** For metrics: it is in no decision and no digest. */
  readonly ages: QueueAges;

  constructor(frontQueues: FrontQueues) {
    this.frontQueues = frontQueues;
    this.ages = new QueueAges(frontQueues);
  }

  putAgain(host: number, dueAtMs: number, entry: Entry): void {
    let list = this.again.get(host);
    if (list === undefined) this.again.set(host, (list = new AgainList()));
    list.put(dueAtMs, entry, this.rescheduled.get(host)?.highestSeq);
  }

  /** The number of the next URL that returns to a host. */
  nextSeq(host: number): number {
    return Math.max(this.rescheduled.get(host)?.highestSeq ?? 0, this.again.get(host)?.highestSeq ?? 0) + 1;
  }

  /** The host's list of rescheduled URLs, for adding; creates it if necessary. */
  listOf(host: number): RescheduledList {
    const list = this.rescheduled.get(host) ?? this.#emptied.get(host) ?? new RescheduledList();
    this.#emptied.delete(host);
    this.rescheduled.set(host, list);
    return list;
  }

  /** Takes the first `count` rescheduled URLs. */
  takeRescheduled(host: number, count: number): Rescheduled[] {
    const list = this.rescheduled.get(host);
    if (list === undefined || count === 0) return [];
    const taken = list.takeFirst(count);
    this.#forgetEmpty(host, list);
    return taken;
  }

  dropRescheduled(host: number): void {
    const list = this.rescheduled.get(host);
    list?.clear();
    if (list !== undefined) this.#forgetEmpty(host, list);
  }

  /** Changed rows of the checkpoint with the rescheduled URLs of hosts. */
  takeRescheduledRows(host: number): Row[] {
    const rows = (this.rescheduled.get(host) ?? this.#emptied.get(host))?.takeRows(host) ?? [];
    this.#emptied.delete(host);
    return rows;
  }

  #forgetEmpty(host: number, list: RescheduledList): void {
    if (list.size > 0) return;
    this.rescheduled.delete(host);
    this.#emptied.set(host, list);
  }

  /** Takes the first `count` out. */
  takeAgain(host: number, count: number): Again[] {
    const list = this.again.get(host);
    if (list === undefined || count === 0) return [];
    const taken = list.takeFirst(count);
    if (list.size === 0) this.again.delete(host);
    return taken;
  }

  /** Takes one URL out of the middle; returns its due time. */
  takeOut(host: number, { frontQueue, seq, dueAtMs = 0 }: QueuePlace): number {
    if (frontQueue !== null) {
      this.frontQueues.remove(this.frontQueues.list.find(host, frontQueue), seq);
      return 0;
    }
    const list = this.again.get(host);
    const taken = list?.takeOut(seq);
    if (list?.size === 0) this.again.delete(host);
    if (taken !== undefined) return taken.dueAtMs;
    const later = this.rescheduled.get(host);
    const rescheduled = later?.takeOut(dueAtMs, seq);
    if (rescheduled === undefined) throw new Error(`host ${host} has no returned URL with number ${seq}`);
    this.#forgetEmpty(host, later!);
    return rescheduled.dueAtMs;
  }
}

export interface QueuePlace {
  /** null: it is among those that came back. */
  readonly frontQueue: number | null;
  readonly seq: number;
  /** The due time, if the URL was rescheduled and the time is known. */
  readonly dueAtMs?: number;
}

/** One host's queue, for reading. */
export class HostQueue {
  readonly #queues: HostQueues;
  readonly #host: number;

  constructor(queues: HostQueues, host: number) {
    this.#queues = queues;
    this.#host = host;
  }

  get again(): readonly Again[] {
    return this.cameBack?.all ?? none;
  }

  /** undefined: nothing came back. */
  get cameBack(): AgainList | undefined {
    return this.#queues.again.get(this.#host);
  }

  /** undefined: nothing is rescheduled. */
  get rescheduled(): RescheduledList | undefined {
    return this.#queues.rescheduled.get(this.#host);
  }

  get opened(): readonly number[] {
    return this.#queues.opened.get(this.#host) ?? none;
  }

  get size(): number {
    const { frontQueues } = this.#queues;
    let size = (this.cameBack?.size ?? 0) + (this.rescheduled?.size ?? 0);
    for (
      let frontQueue = frontQueues.list.firstOf(this.#host);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    )
      size += frontQueues.count(frontQueue);
    return size;
  }

  /** URLs that wait for their turn: in the front queues, in the open queue of a released trap, or returned ones. */
  get frontSize(): number {
    const { frontQueues } = this.#queues;
    let size = (this.cameBack?.size ?? 0) + (this.rescheduled?.size ?? 0);
    for (
      let frontQueue = frontQueues.list.firstOf(this.#host);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    ) {
      const number = frontQueues.list.numberOf(frontQueue);
      if (number < frontQueueCount || (number !== budgetQueue && !this.isHeld(number)))
        size += frontQueues.count(frontQueue);
    }
    return size;
  }

  sizeOf(number: number): number {
    const { frontQueues } = this.#queues;
    const frontQueue = frontQueues.list.find(this.#host, number);
    return frontQueue === 0 ? 0 : frontQueues.count(frontQueue);
  }

  /** Front queues that are not empty, ascending. */
  frontQueues(): { readonly number: number; readonly size: number; readonly frontQueue: number }[] {
    const { frontQueues } = this.#queues;
    const found = [];
    for (
      let frontQueue = frontQueues.list.firstOf(this.#host);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    ) {
      const size = frontQueues.count(frontQueue);
      if (size > 0) found.push({ number: frontQueues.list.numberOf(frontQueue), size, frontQueue });
    }
    return found;
  }

  /** The most urgent front queue with entries, counting the head of `again`; `frontQueueCount` if there is nothing. */
  get bestFrontQueue(): number {
    const cameBack = this.cameBack?.first?.entry.frontQueue ?? this.rescheduled?.first?.frontQueue ?? frontQueueCount;
    // A trap's queue has a higher number.
    const best = Math.min(cameBack, frontQueueCount);
    const first = this.#firstFrontQueue();
    if (first < best) return first;
    // Deferred URLs rank like the last front queue.
    return best < frontQueueCount || this.dueAtMs === undefined ? best : frontQueueCount - 1;
  }

  /** Returns whether the URLs of a queue are deferred, rather than waiting for their turn. */
  isHeld(number: number): boolean {
    return number >= frontQueueCount && !this.opened.includes(number);
  }

  /** Earliest time at which any URL may go; undefined if none may. */
  get dueAtMs(): number | undefined {
    if (this.#firstFrontQueue() < frontQueueCount) return 0;
    for (const number of this.opened) if (this.sizeOf(number) > 0) return 0;
    return this.cameBack?.first?.dueAtMs ?? this.rescheduled?.first?.dueAtMs;
  }

  /** Number of URLs to fetch again, or rescheduled, that are due at `nowMs`, counted up to `most`. */
  dueCount(nowMs: number, most = Number.POSITIVE_INFINITY): number {
    const count = this.cameBack?.dueCount(nowMs, most) ?? 0;
    return count + (this.rescheduled?.dueCount(nowMs, most - count) ?? 0);
  }

  /** The first front queue with entries; `frontQueueCount`: none. */
  #firstFrontQueue(): number {
    const { frontQueues } = this.#queues;
    for (
      let frontQueue = frontQueues.list.firstOf(this.#host);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    ) {
      const number = frontQueues.list.numberOf(frontQueue);
      if (number >= frontQueueCount) break;
      if (frontQueues.count(frontQueue) > 0) return number;
    }
    return frontQueueCount;
  }
}

const none: readonly never[] = [];
