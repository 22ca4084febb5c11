/**
 * Virtual time: events in the order of their times, one at a time.
 *
 * After each event, all promises that it settled run on until all code waits for another event (`setImmediate` is a
 * macrotask: it runs when the microtasks are used up). So the only freedom is which event comes next, and it depends on
 * the seed alone: events of one millisecond come in an order drawn from it. Time is in whole ms.
 */
import { createHash } from 'node:crypto';
import type { Chance } from './chance.ts';

/** The process of the event: it may have ended by then, or be unable to take it. */
export interface Owner {
  /** True if the event should run. A sleeping owner keeps it for later and returns false. */
  takes(act: () => void): boolean;
}

export interface Scheduler {
  nowMs(): number;
  /** Returns the function that cancels it. */
  at(atMs: number, act: () => void, owner?: Owner): () => void;
  /** Runs until `done` or the time is up. */
  run(untilMs: number, done: () => boolean): Promise<void>;
  /** Notes an event. */
  note(what: string | Uint8Array): void;
  /** A hash of all notes, with their times. */
  trace(): string;
}

interface Event {
  readonly atMs: number;
  readonly order: number;
  readonly act: () => void;
  readonly owner: Owner | undefined;
  cancelled: boolean;
}

export function createScheduler(chance: Chance, startMs: number, onNote: (line: string) => void = () => {}): Scheduler {
  const heap: Event[] = [];
  const hash = createHash('sha256');
  let nowMs = startMs;

  return {
    nowMs: () => nowMs,
    at(atMs, act, owner) {
      const event = { atMs: Math.max(nowMs, Math.ceil(atMs)), order: chance.next(), act, owner, cancelled: false };
      push(heap, event);
      return () => {
        event.cancelled = true;
      };
    },
    async run(untilMs, done) {
      while (!done()) {
        const event = pop(heap);
        if (event === undefined || event.atMs > untilMs) return;
        if (event.cancelled) continue;
        nowMs = event.atMs;
        if (event.owner !== undefined && !event.owner.takes(event.act)) continue;
        event.act();
        await new Promise(setImmediate);
      }
    },
    note(what) {
      hash.update(`${nowMs}`).update(what);
      if (typeof what === 'string') onNote(`${nowMs - startMs} ${what}`);
    },
    trace: () => hash.copy().digest('hex'),
  };
}

function before(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!before(event, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child += 1;
    if (!before(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return first;
}
