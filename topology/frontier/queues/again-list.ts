/**
 * URLs to fetch again of one host, ordered by due time, then by arrival. They can also be found by number and by URL.
 *
 * The list is in chunks, so that an insertion or removal moves few entries: a client of the pull API may reschedule a
 * million URLs of one queue. Indexes by number and by URL are made on demand: most hosts have one or two URLs here.
 */
import type { Entry } from '../changes/entry.ts';

export interface Again {
  /** Due time, ms; 0: at once. */
  readonly dueAtMs: number;
  /** Arrival number among the host's own URLs; numbering starts over once the list is empty. */
  readonly seq: number;
  readonly entry: Entry;
}

/** Largest chunk; a larger one is split in half. */
const chunkMax = 512;

export class AgainList {
  /** None is empty, unless all are. */
  #chunks: Again[][] = [[]];
  #size = 0;
  #bySeq: Map<number, Again> | undefined;
  /** Numbers in the order they came, with some that have left: the last that is here is the highest. */
  #arrivals: number[] = [];
  #byUrl: Map<string, Again> | undefined;

  /** `items` in order. */
  static of(items: readonly Again[]): AgainList {
    const list = new AgainList();
    list.#size = items.length;
    list.#chunks = [];
    for (let at = 0; at < items.length || at === 0; at += chunkMax) list.#chunks.push(items.slice(at, at + chunkMax));
    if (items.length > chunkMax) list.#number();
    return list;
  }

  get size(): number {
    return this.#size;
  }

  get first(): Again | undefined {
    return this.#chunks[0]![0];
  }

  /** All of them, in order. */
  get all(): readonly Again[] {
    return this.#chunks.length === 1 ? this.#chunks[0]! : this.#chunks.flat();
  }

  /** Number of URLs due at `nowMs`, counted up to `most`. */
  dueCount(nowMs: number, most: number): number {
    let count = 0;
    for (const chunk of this.#chunks)
      for (const { dueAtMs } of chunk) {
        if (dueAtMs > nowMs || count >= most) return count;
        count += 1;
      }
    return count;
  }

  /** `above`: the number of the entry is also higher than this one. */
  put(dueAtMs: number, entry: Entry, above = 0): void {
    const again: Again = { dueAtMs, seq: Math.max(above, this.highestSeq) + 1, entry };
    const at = this.#chunkBehind(dueAtMs, again.seq);
    const chunk = this.#chunks[at]!;
    chunk.splice(placeIn(chunk, dueAtMs, again.seq), 0, again);
    if (chunk.length > chunkMax) this.#chunks.splice(at + 1, 0, chunk.splice(chunkMax / 2));
    this.#size += 1;
    this.#byUrl?.set(entry.url, again);
    if (this.#bySeq === undefined) {
      if (this.#size > chunkMax) this.#number();
      return;
    }
    this.#bySeq.set(again.seq, again);
    this.#arrivals.push(again.seq);
    if (this.#arrivals.length > 2 * this.#size + chunkMax) this.#number();
  }

  takeFirst(count: number): Again[] {
    const taken: Again[] = [];
    while (taken.length < count && this.#size > 0) {
      const chunk = this.#chunks[0]!;
      const some = chunk.splice(0, count - taken.length);
      if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.shift();
      this.#size -= some.length;
      for (const again of some) this.#forget(again);
      taken.push(...some);
    }
    return taken;
  }

  /** The one with this number; undefined: it is not here. */
  at(seq: number): Again | undefined {
    return this.#bySeq === undefined ? this.#chunks[0]!.find((one) => one.seq === seq) : this.#bySeq.get(seq);
  }

  takeOut(seq: number): Again | undefined {
    const again = this.at(seq);
    if (again === undefined) return undefined;
    const at = this.#chunkBehind(again.dueAtMs, seq);
    const chunk = this.#chunks[at]!;
    chunk.splice(placeIn(chunk, again.dueAtMs, seq), 1);
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1);
    this.#size -= 1;
    this.#forget(again);
    return again;
  }

  /** The entry with this URL; URLs must be unique. */
  find(url: string): Again | undefined {
    if (this.#bySeq === undefined) return this.#chunks[0]!.find(({ entry }) => entry.url === url);
    if (this.#byUrl === undefined) {
      this.#byUrl = new Map();
      for (const again of this.#bySeq.values()) this.#byUrl.set(again.entry.url, again);
    }
    return this.#byUrl.get(url);
  }

  #forget({ seq, entry }: Again): void {
    this.#bySeq?.delete(seq);
    if (this.#byUrl?.get(entry.url)?.seq === seq) this.#byUrl.delete(entry.url);
  }

  #number(): void {
    const bySeq = [...this.all].sort((a, b) => a.seq - b.seq);
    this.#bySeq = new Map(bySeq.map((again) => [again.seq, again]));
    this.#arrivals = bySeq.map(({ seq }) => seq);
  }

  /** 0: nothing is here. */
  get highestSeq(): number {
    if (this.#bySeq === undefined) return this.#chunks[0]!.reduce((most, { seq }) => Math.max(most, seq), 0);
    while (this.#arrivals.length > 0 && !this.#bySeq.has(this.#arrivals.at(-1)!)) this.#arrivals.pop();
    return this.#arrivals.at(-1) ?? 0;
  }

  /** Index of the last chunk that does not begin after this place. */
  #chunkBehind(dueAtMs: number, seq: number): number {
    let [low, high] = [0, this.#chunks.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (isBefore(this.#chunks[middle]![0]!, dueAtMs, seq)) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** Index of the first that is not before this place. */
function placeIn(chunk: readonly Again[], dueAtMs: number, seq: number): number {
  let [low, high] = [0, chunk.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(chunk[middle]!, dueAtMs, seq) && chunk[middle]!.seq !== seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Is it at this place, or before it? */
function isBefore(again: Again, dueAtMs: number, seq: number): boolean {
  return again.dueAtMs < dueAtMs || (again.dueAtMs === dueAtMs && again.seq <= seq);
}
