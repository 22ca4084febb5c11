/**
 * Reads the rows of queues that the partition needs: the URLs of newly granted leases, and the first URLs of dead
 * hosts that the next step gives up. One read per round serves all of them.
 *
 * Run it after each step, and before the first one, so that decisions do not depend on what is in memory.
 */

import type { Entry } from '../changes/entry.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { countOf, readArena, readRow, rowKey } from '../queues/queue-row.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';
import { readPages } from './read-pages.ts';
import { readLeasedRows } from './read-rescheduled.ts';

/** A page of a host's queued URLs. */
export interface QueuePage {
  readonly urls: readonly {
    readonly frontQueue: number;
    readonly seq: number;
    readonly url: string;
    readonly depth: number;
  }[];
  /** Start of the next page; undefined: this was the last. */
  readonly next: QueueCursor | undefined;
}

export interface QueueCursor {
  readonly frontQueue: number;
  readonly seq: number;
}

/** Up to `count` URLs of a host's front queues, starting at `from`, in the order in which they may be fetched. */
export function* listQueue(
  state: FrontierState,
  hostKey: string,
  count: number,
  from: QueueCursor = { frontQueue: 0, seq: 0 },
): StoreJob<QueuePage> {
  const urls: { frontQueue: number; seq: number; url: string; depth: number }[] = [];
  for (const { number, frontQueue } of state.hosts.get(hostKey)?.queue.frontQueues() ?? []) {
    if (number < from.frontQueue) continue;
    const fromSeq = number === from.frontQueue ? from.seq : 0;
    for (const { seq, entry } of yield* readFrontQueue(state, frontQueue, count + 1 - urls.length, fromSeq)) {
      urls.push({ frontQueue: number, seq, url: entry.url, depth: entry.depth });
    }
    if (urls.length > count) break;
  }
  const beyond = urls[count];
  return { urls: urls.slice(0, count), next: beyond && { frontQueue: beyond.frontQueue, seq: beyond.seq } };
}

/** Fills in the leases, and forgets rows that are used up. */
export function* readLeases(state: FrontierState): StoreJob {
  const { frontQueues } = state.queues;
  if (state.recrawl.reads.length > 0) yield* readPages(state);
  if (state.pull.reads.length > 0) yield* readLeasedRows(state);
  while (frontQueues.reads.size > 0) {
    const reading = [...frontQueues.reads.keys()];
    const values = yield { read: reading.map((frontQueue) => frontQueues.rowToRead(frontQueue)) };
    reading.forEach((frontQueue, index) => {
      frontQueues.takeRow(frontQueue, asBuffer(values[index]));
    });
  }
  while (frontQueues.leftovers.length > 0) {
    const [value] = yield { read: [frontQueues.leftoverToRead()] };
    frontQueues.takeLeftover(asBuffer(value));
  }
}

/** The URLs in front queues of dead hosts that a step may abandon at most, by host number, hosts ascending. */
export function* readDying(state: FrontierState): StoreJob<Map<number, Entry[]>> {
  const dying = new Map<number, Entry[]>();
  let left: number = frontierLimits.abandonsPerStep;
  for (const id of [...state.abandoning].sort((a, b) => a - b)) {
    if (left <= 0) break;
    const { queue } = state.hosts.at(id);
    left -= queue.cameBack?.size ?? 0;
    const entries: Entry[] = [];
    dying.set(id, entries);
    for (const { number, frontQueue } of queue.frontQueues()) {
      if (left <= 0) break;
      if (queue.isHeld(number)) continue;
      const read = yield* readFrontQueue(state, frontQueue, left);
      left -= read.length;
      for (const { entry } of read) entries.push(entry);
    }
  }
  return dying;
}

export interface FoundPlace extends Place {
  readonly number: number;
}

/** A URL in a front queue of its host. */
export interface Waiting extends FoundPlace {
  readonly host: number;
}

/** The place of a URL in a front queue of its host; undefined: in none. Reads the queue up to it: 0.4 µs a URL. */
export function* findInFrontQueues(
  state: FrontierState,
  host: number,
  isIt: (entry: Entry) => boolean,
): StoreJob<FoundPlace | undefined> {
  const [first] = yield* placesInFrontQueues(state, host, isIt, 1);
  return first;
}

/** At most `most` places of matching URLs in the front queues of a host; a forced URL may have several. */
export function* placesInFrontQueues(
  state: FrontierState,
  host: number,
  isIt: (entry: Entry) => boolean,
  most: number,
): StoreJob<FoundPlace[]> {
  const places: FoundPlace[] = [];
  for (const { number, frontQueue } of state.hosts.at(host).queue.frontQueues()) {
    if (places.length >= most) break;
    for (const place of yield* readFrontQueue(state, frontQueue, most - places.length, 0, isIt))
      places.push({ ...place, number });
  }
  return places;
}

/**
 * Returns whether the entry is still in its place. It was found before the step, and may have left its place in the
 * step.
 */
export function isQueuedAt(
  { queues: { frontQueues } }: FrontierState,
  host: number,
  number: number,
  seq: number,
): boolean {
  const frontQueue = frontQueues.list.find(host, number);
  return frontQueue !== 0 && seq >= frontQueues.head(frontQueue) && !frontQueues.isGone(frontQueue, seq);
}

export interface Place {
  readonly seq: number;
  readonly entry: Entry;
}

/** The entries of a front queue in order, at most `count` that are `wanted`, from `fromSeq` (its head, if less) on. */
export function* readFrontQueue(
  state: FrontierState,
  frontQueue: number,
  count: number,
  fromSeq = 0,
  wanted: (entry: Entry) => boolean = () => true,
): StoreJob<Place[]> {
  const { frontQueues } = state.queues;
  const host = frontQueues.list.hostOf(frontQueue);
  const number = frontQueues.list.numberOf(frontQueue);
  const key = state.hosts.keys.keyOf(host);
  const places: Place[] = [];
  const begin = Math.max(fromSeq, frontQueues.head(frontQueue));
  const keep = (seq: number, entry: () => Entry) => {
    if (seq < begin || frontQueues.isGone(frontQueue, seq) || places.length >= count) return;
    const one = entry();
    if (wanted(one)) places.push({ seq, entry: one });
  };
  let { row, from, first } = frontQueues.extent(frontQueue);
  while (row < from && places.length < count) {
    const [value] = yield { read: [rowKey(host, number, row)] };
    const end = row + countOf(value);
    const start = row;
    readRow(asBuffer(value)!, key, number, Math.min(end, from) - row, (index, entry) => keep(start + index, entry));
    row = end;
  }
  for (let seq = from; seq < frontQueues.extent(frontQueue).tail && places.length < count; seq++) {
    const at = first;
    keep(seq, () => readArena(frontQueues.arena, at, key, number));
    first = frontQueues.arena.next(first);
  }
  return places;
}

function asBuffer(value: Uint8Array | null | undefined): Buffer | undefined {
  if (value == null) return undefined;
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}
