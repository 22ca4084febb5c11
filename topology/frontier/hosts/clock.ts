/**
 * Host clock: which host may be contacted next, and from when.
 *
 * A host that has work is `waiting` until its time has come and `ready` after that; a host on lease, or without work,
 * is in neither, so that no two leases can hold one host: the structure itself ensures politeness. Ready hosts are in
 * one heap per front queue; a weighted draw picks the front queue, then the host that has been ready longest goes
 * first.
 *
 * Every heap orders by (time, host id), so the answers depend on the hosts' state alone and not on how it was reached.
 *
 * Source: Heydon & Najork, "Mercator" (World Wide Web 2(4), 1999), §3.3; Manning et al., "Introduction to
 * Information Retrieval" §20.2.3. Units: ms since the Unix epoch, given as arguments.
 * Cost: O(log n) a call, 17 bytes a host.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import { fitted } from '../storage/columns.ts';

/** Weights in the draw, by front queue: each is half as likely as the previous one, and none starves. */
const frontQueueWeights = [128, 64, 32, 16, 8, 4, 2, 1] as const;

const nowhere = 255;
/** Ready hosts with nothing new, only revisits, are in a separate heap. */
export const refreshHosts = frontQueueCount;
const waitingHeap = frontQueueCount + 1;

/** A front queue that has any, by weighted draw; undefined: none has. `random` is uniform in [0, 1). */
export function drawFrontQueue(sizeOf: (frontQueue: number) => number, random: () => number): number | undefined {
  let total = 0;
  for (let frontQueue = 0; frontQueue < frontQueueCount; frontQueue++)
    if (sizeOf(frontQueue) > 0) total += frontQueueWeights[frontQueue]!;
  if (total === 0) return undefined;
  let draw = random() * total;
  for (let frontQueue = 0; frontQueue < frontQueueCount; frontQueue++) {
    if (sizeOf(frontQueue) === 0) continue;
    draw -= frontQueueWeights[frontQueue]!;
    if (draw < 0) return frontQueue;
  }
  return undefined;
}

export class HostClock {
  /** By host id: when it is ready, its heap, and its slot in that heap. */
  #at = new Float64Array(0);
  #heapOf = new Uint8Array(0);
  #slotOf = new Int32Array(0);
  /** By host id: the ready heap that it moves to. */
  #frontQueue = new Uint8Array(0);
  /**
   * Ready heaps by front queue, then the heap of hosts with revisits only, then the waiting heap; `#sizes` has the
   * used part of each. Values are host ids.
   */
  readonly #heaps: Int32Array[] = Array.from({ length: waitingHeap + 1 }, () => new Int32Array(0));
  readonly #sizes = new Uint32Array(waitingHeap + 1);
  /** Time of the last `advance`. */
  #nowMs = 0;

  get waiting(): number {
    return this.#sizes[waitingHeap]!;
  }

  get ready(): number {
    let hosts = 0;
    for (let frontQueue = 0; frontQueue <= refreshHosts; frontQueue++) hosts += this.#sizes[frontQueue]!;
    return hosts;
  }

  /** Number of waiting hosts that `advance` would move at `nowMs`. Without grants, nothing calls it. */
  due(nowMs: number): number {
    const waiting = this.#heaps[waitingHeap]!;
    let hosts = 0;
    const slots = [0];
    for (let slot = slots.pop(); slot !== undefined; slot = slots.pop()) {
      if (slot >= this.#sizes[waitingHeap]! || this.#at[waiting[slot]!]! > nowMs) continue;
      hosts += 1;
      slots.push(2 * slot + 1, 2 * slot + 2);
    }
    return hosts;
  }

  /** When the next waiting host becomes ready, ms; undefined if none waits. */
  get nextReadyAtMs(): number | undefined {
    return this.#sizes[waitingHeap] === 0 ? undefined : this.#at[this.#heaps[waitingHeap]![0]!];
  }

  /** The waiting host that becomes ready next; undefined if none waits. */
  get nextReadyHost(): number | undefined {
    return this.#sizes[waitingHeap] === 0 ? undefined : this.#heaps[waitingHeap]![0]!;
  }

  /** When the host is ready, ms. Undefined: it is not on the clock. */
  readyAtMs(host: number): number | undefined {
    return host >= this.#at.length || this.#heapOf[host] === nowhere ? undefined : this.#at[host];
  }

  /** Puts a host on the clock, or moves it. */
  schedule(host: number, readyAtMs: number, frontQueue: number): void {
    this.#fit(host);
    if (this.#heapOf[host] !== nowhere) {
      if (this.#at[host] === readyAtMs && this.#frontQueue[host] === frontQueue) return;
      this.remove(host);
    }
    this.#at[host] = readyAtMs;
    this.#frontQueue[host] = frontQueue;
    // A host that is ready already goes straight to its ready heap.
    this.#push(readyAtMs <= this.#nowMs ? frontQueue : waitingHeap, host);
  }

  /** Takes a host off the clock: it is on lease, or has nothing to do. */
  remove(host: number): void {
    if (host >= this.#at.length || this.#heapOf[host] === nowhere) return;
    const number = this.#heapOf[host]!;
    const heap = this.#heaps[number]!;
    const slot = this.#slotOf[host]!;
    const size = this.#sizes[number]! - 1;
    const last = heap[size]!;
    this.#sizes[number] = size;
    this.#heapOf[host] = nowhere;
    if (last === host) return;
    heap[slot] = last;
    this.#slotOf[last] = slot;
    this.#sink(heap, size, slot);
    this.#rise(heap, this.#slotOf[last]!);
  }

  /** Moves hosts with a past ready time from waiting to ready. */
  advance(nowMs: number): void {
    this.#nowMs = nowMs;
    const waiting = this.#heaps[waitingHeap]!;
    while (this.#sizes[waitingHeap]! > 0 && this.#at[waiting[0]!]! <= nowMs) {
      const host = waiting[0]!;
      this.remove(host);
      this.#push(this.#frontQueue[host]!, host);
    }
  }

  /**
   * Takes a ready host off the clock: front queue by weighted draw, then by age. `random` is uniform in [0, 1).
   * Hosts that only refresh go first where `refresh` says so, and last otherwise. Undefined if no host is ready.
   */
  take(random: () => number, refresh = false): number | undefined {
    if (refresh && this.#sizes[refreshHosts]! > 0) return this.#takeFirst(refreshHosts);
    const drawn = drawFrontQueue((frontQueue) => this.#sizes[frontQueue]!, random);
    if (drawn !== undefined) return this.#takeFirst(drawn);
    return this.#sizes[refreshHosts]! > 0 ? this.#takeFirst(refreshHosts) : undefined;
  }

  #takeFirst(heap: number): number {
    const first = this.#heaps[heap]![0]!;
    this.remove(first);
    return first;
  }

  #push(heapNumber: number, host: number): void {
    const slot = this.#sizes[heapNumber]!;
    const heap = fitted(this.#heaps[heapNumber]!, slot);
    this.#heaps[heapNumber] = heap;
    this.#sizes[heapNumber] = slot + 1;
    this.#heapOf[host] = heapNumber;
    this.#slotOf[host] = slot;
    heap[slot] = host;
    this.#rise(heap, slot);
  }

  #before(a: number, b: number): boolean {
    const atA = this.#at[a]!;
    const atB = this.#at[b]!;
    return atA === atB ? a < b : atA < atB;
  }

  #rise(heap: Int32Array, slot: number): void {
    const host = heap[slot]!;
    while (slot > 0) {
      const parent = (slot - 1) >> 1;
      if (!this.#before(host, heap[parent]!)) break;
      this.#put(heap, slot, heap[parent]!);
      slot = parent;
    }
    this.#put(heap, slot, host);
  }

  #sink(heap: Int32Array, size: number, slot: number): void {
    const host = heap[slot]!;
    for (let child = 2 * slot + 1; child < size; child = 2 * slot + 1) {
      if (child + 1 < size && this.#before(heap[child + 1]!, heap[child]!)) child += 1;
      if (!this.#before(heap[child]!, host)) break;
      this.#put(heap, slot, heap[child]!);
      slot = child;
    }
    this.#put(heap, slot, host);
  }

  #put(heap: Int32Array, slot: number, host: number): void {
    heap[slot] = host;
    this.#slotOf[host] = slot;
  }

  #fit(host: number): void {
    if (host < this.#at.length) return;
    this.#at = fitted(this.#at, host);
    this.#slotOf = fitted(this.#slotOf, host);
    this.#frontQueue = fitted(this.#frontQueue, host);
    const before = this.#heapOf.length;
    this.#heapOf = fitted(this.#heapOf, host).fill(nowhere, before);
  }
}
