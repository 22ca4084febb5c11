/**
 * URLs of one queue of a served crawl that wait for their date, ordered by date, then by arrival.
 *
 * Memory holds only the date and the fingerprint of each. The URL and the client's metadata are in a row by
 * fingerprint (pull/known-rows.ts), so a crawler that reschedules every page costs 28 bytes a page here, whatever its
 * metadata.
 *
 * The list is in chunks, so that an insertion or removal moves few entries, and a checkpoint writes only changed
 * chunks:
 *
 *   key    `a`, host number (4 bytes), chunk (4)
 *   value  the chunk's words, in order, most significant byte first
 */
import type { Row } from '../storage/store-job.ts';

export interface Rescheduled {
  /** ms, above 0. */
  readonly dueAtMs: number;
  /** Arrival number among all URLs to fetch again of the host (again-list.ts). */
  readonly seq: number;
  /** The URL's fingerprint. */
  readonly hi: number;
  readonly lo: number;
  readonly frontQueue: number;
  /** A hash of the other fields of its row, for digests. */
  readonly said: number;
}

interface Chunk {
  readonly id: number;
  words: Uint32Array;
  size: number;
  maxSeq: number;
}

/** Words of one URL: due time (two), seq, fingerprint (two), hash, front queue. */
const wordsPerUrl = 7;
/** Largest chunk; a larger one is split in half, or another is started after it. */
export const chunkUrlsMax = 512;
const smallest = 4;

export class RescheduledList {
  /** In order; none is empty. */
  readonly #chunks: Chunk[] = [];
  readonly #unsaved = new Set<Chunk>();
  #gone: number[] = [];
  #nextId = 0;
  #highest = 0;
  #knowsHighest = true;
  size = 0;

  get first(): Rescheduled | undefined {
    return this.size === 0 ? undefined : urlAt(this.#chunks[0]!, 0);
  }

  /** 0: the list is empty. */
  get highestSeq(): number {
    if (this.#knowsHighest) return this.#highest;
    this.#highest = this.#chunks.reduce((most, { maxSeq }) => Math.max(most, maxSeq), 0);
    this.#knowsHighest = true;
    return this.#highest;
  }

  /** Number of URLs due at `nowMs`, counted up to `most`. */
  dueCount(nowMs: number, most: number): number {
    let count = 0;
    for (const chunk of this.#chunks) {
      if (dueOf(chunk, chunk.size - 1) <= nowMs) count += chunk.size;
      else {
        for (let at = 0; count < most && dueOf(chunk, at) <= nowMs; at++) count += 1;
        break;
      }
      if (count >= most) break;
    }
    return Math.min(count, most);
  }

  put(one: Rescheduled): void {
    const { dueAtMs, seq } = one;
    let [index, at] = this.#placeOf(dueAtMs, seq);
    if (index === this.#chunks.length || this.#chunks[index]!.size === chunkUrlsMax) {
      if (index === this.#chunks.length || (index === this.#chunks.length - 1 && at === chunkUrlsMax)) {
        this.#chunks.push(this.#newChunk());
        [index, at] = [this.#chunks.length - 1, 0];
      } else {
        this.#halve(index);
        [index, at] = this.#placeOf(dueAtMs, seq);
      }
    }
    const chunk = this.#chunks[index]!;
    if ((chunk.size + 1) * wordsPerUrl > chunk.words.length) {
      const words = new Uint32Array(Math.min(2 * chunk.words.length, chunkUrlsMax * wordsPerUrl));
      words.set(chunk.words);
      chunk.words = words;
    }
    const from = at * wordsPerUrl;
    chunk.words.copyWithin(from + wordsPerUrl, from, chunk.size * wordsPerUrl);
    chunk.words.set([Math.floor(dueAtMs / 2 ** 32), dueAtMs, seq, one.hi, one.lo, one.said, one.frontQueue], from);
    chunk.size += 1;
    chunk.maxSeq = Math.max(chunk.maxSeq, seq);
    if (this.#knowsHighest) this.#highest = Math.max(this.#highest, seq);
    this.#unsaved.add(chunk);
    this.size += 1;
  }

  takeFirst(count: number): Rescheduled[] {
    const taken: Rescheduled[] = [];
    while (taken.length < count && this.size > 0) {
      const some = Math.min(count - taken.length, this.#chunks[0]!.size);
      for (let at = 0; at < some; at++) taken.push(urlAt(this.#chunks[0]!, at));
      this.#cut(0, 0, some);
    }
    return taken;
  }

  /** The URL with this number. `dueAtMs`: its due time, for a fast search; 0: unknown. */
  at(dueAtMs: number, seq: number): Rescheduled | undefined {
    const place = this.#find(dueAtMs, seq);
    return place && urlAt(this.#chunks[place[0]]!, place[1]);
  }

  takeOut(dueAtMs: number, seq: number): Rescheduled | undefined {
    const place = this.#find(dueAtMs, seq);
    if (place === undefined) return undefined;
    const one = urlAt(this.#chunks[place[0]]!, place[1]);
    this.#cut(place[0], place[1], 1);
    return one;
  }

  /** The URL with this fingerprint and due time. */
  find(dueAtMs: number, hi: number, lo: number): Rescheduled | undefined {
    let [index, at] = this.#placeOf(dueAtMs, 0);
    for (; index < this.#chunks.length; index++, at = 0) {
      const chunk = this.#chunks[index]!;
      for (; at < chunk.size; at++) {
        const one = urlAt(chunk, at);
        if (one.dueAtMs > dueAtMs) return undefined;
        if (one.dueAtMs === dueAtMs && one.hi === hi && one.lo === lo) return one;
      }
    }
    return undefined;
  }

  /** URLs after the place (`dueAtMs`, `seq`), in order. */
  *behind(dueAtMs = 0, seq = 0): Generator<Rescheduled> {
    let [index, at] = this.#placeOf(dueAtMs, seq + 1);
    for (; index < this.#chunks.length; index++, at = 0) {
      const chunk = this.#chunks[index]!;
      for (; at < chunk.size; at++) yield urlAt(chunk, at);
    }
  }

  /** A sum over all of them, in order. */
  get sum(): readonly [number, number] {
    let [a, b] = [0, 0];
    let order = 0;
    for (const { words, size } of this.#chunks) {
      for (let at = 0; at < size * wordsPerUrl; at += wordsPerUrl) {
        // Numbers of arrival do not matter here: their order is that of URLs due at once.
        let hash = (order += 1);
        for (const word of [0, 1, 3, 4, 5, 6]) hash = mix(hash ^ words[at + word]!);
        a = (a + hash) >>> 0;
        b = (b + mix(hash ^ words[at + 3]!)) >>> 0;
      }
    }
    return [a, b];
  }

  clear(): void {
    while (this.#chunks.length > 0) this.#cut(0, 0, this.#chunks[0]!.size);
  }

  /** Rows of the checkpoint that changed since the last call. */
  takeRows(host: number): Row[] {
    const rows: Row[] = this.#gone.map((id) => ({ key: chunkKey(host, id), value: null }));
    for (const { id, words, size } of this.#unsaved) {
      const value = Buffer.allocUnsafe(4 * wordsPerUrl * size);
      for (let at = 0; at < wordsPerUrl * size; at++) value.writeUInt32BE(words[at]!, 4 * at);
      rows.push({ key: chunkKey(host, id), value });
    }
    this.#gone = [];
    this.#unsaved.clear();
    return rows.sort((a, b) => Buffer.compare(a.key, b.key));
  }

  load(id: number, value: Buffer): void {
    const size = Math.floor(value.length / (4 * wordsPerUrl));
    const words = Uint32Array.from({ length: size * wordsPerUrl }, (_, at) => value.readUInt32BE(4 * at));
    const chunk: Chunk = { id, words, size, maxSeq: maxSeqOf(words, size) };
    const first = urlAt(chunk, 0);
    let index = this.#chunks.length;
    while (index > 0 && isBehind(this.#chunks[index - 1]!, 0, first.dueAtMs, first.seq)) index -= 1;
    this.#chunks.splice(index, 0, chunk);
    this.size += size;
    this.#nextId = Math.max(this.#nextId, id + 1);
    this.#knowsHighest = false;
  }

  #find(dueAtMs: number, seq: number): readonly [number, number] | undefined {
    if (dueAtMs > 0) {
      const [index, at] = this.#placeOf(dueAtMs, seq);
      const chunk = this.#chunks[index];
      return chunk !== undefined && at < chunk.size && seqOf(chunk, at) === seq ? [index, at] : undefined;
    }
    // The encoding of earlier releases' changelogs.
    for (const [index, chunk] of this.#chunks.entries()) {
      if (chunk.maxSeq < seq) continue;
      for (let at = 0; at < chunk.size; at++) if (seqOf(chunk, at) === seq) return [index, at];
    }
    return undefined;
  }

  /** The first place not before (`dueAtMs`, `seq`); the end of a chunk if no URL lies between it and the next chunk. */
  #placeOf(dueAtMs: number, seq: number): [number, number] {
    let [low, high] = [0, this.#chunks.length];
    // Finds the first chunk with a last entry that is not before the place.
    while (low < high) {
      const middle = (low + high) >> 1;
      const chunk = this.#chunks[middle]!;
      if (isBehind(chunk, chunk.size - 1, dueAtMs, seq)) high = middle;
      else low = middle + 1;
    }
    if (low === this.#chunks.length) return low === 0 ? [0, 0] : [low - 1, this.#chunks[low - 1]!.size];
    const chunk = this.#chunks[low]!;
    let [from, to] = [0, chunk.size];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (isBehind(chunk, middle, dueAtMs, seq)) to = middle;
      else from = middle + 1;
    }
    return [low, from];
  }

  #newChunk(): Chunk {
    return { id: this.#nextId++, words: new Uint32Array(smallest * wordsPerUrl), size: 0, maxSeq: 0 };
  }

  #halve(index: number): void {
    const chunk = this.#chunks[index]!;
    const kept = chunk.size >> 1;
    const rest = this.#newChunk();
    rest.words = chunk.words.slice(kept * wordsPerUrl, chunk.size * wordsPerUrl);
    rest.size = chunk.size - kept;
    rest.maxSeq = maxSeqOf(rest.words, rest.size);
    chunk.size = kept;
    chunk.maxSeq = maxSeqOf(chunk.words, kept);
    this.#chunks.splice(index + 1, 0, rest);
    this.#unsaved.add(chunk).add(rest);
  }

  #cut(index: number, at: number, count: number): void {
    const chunk = this.#chunks[index]!;
    const isAll = count === chunk.size;
    chunk.words.copyWithin(at * wordsPerUrl, (at + count) * wordsPerUrl, chunk.size * wordsPerUrl);
    chunk.size -= count;
    this.size -= count;
    const before = chunk.maxSeq;
    chunk.maxSeq = maxSeqOf(chunk.words, chunk.size);
    if (chunk.maxSeq < before && before === this.#highest) this.#knowsHighest = false;
    this.#unsaved.add(chunk);
    if (!isAll) return;
    this.#chunks.splice(index, 1);
    this.#unsaved.delete(chunk);
    this.#gone.push(chunk.id);
  }
}

function chunkKey(host: number, id: number): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = 0x61;
  key.writeUInt32BE(host, 1);
  key.writeUInt32BE(id, 5);
  return key;
}

function dueOf({ words }: Chunk, at: number): number {
  return words[at * wordsPerUrl]! * 2 ** 32 + words[at * wordsPerUrl + 1]!;
}

function seqOf({ words }: Chunk, at: number): number {
  return words[at * wordsPerUrl + 2]!;
}

function urlAt(chunk: Chunk, at: number): Rescheduled {
  const { words } = chunk;
  const from = at * wordsPerUrl;
  return {
    dueAtMs: dueOf(chunk, at),
    seq: words[from + 2]!,
    hi: words[from + 3]!,
    lo: words[from + 4]!,
    said: words[from + 5]!,
    frontQueue: words[from + 6]!,
  };
}

/** Returns whether the URL at `at` has this place, or a later one. */
function isBehind(chunk: Chunk, at: number, dueAtMs: number, seq: number): boolean {
  const due = dueOf(chunk, at);
  return due > dueAtMs || (due === dueAtMs && seqOf(chunk, at) >= seq);
}

function maxSeqOf(words: Uint32Array, size: number): number {
  let most = 0;
  for (let at = 2; at < size * wordsPerUrl; at += wordsPerUrl) most = Math.max(most, words[at]!);
  return most;
}

function mix(h: number): number {
  h = Math.imul(h ^ (h >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return (h ^ (h >>> 15)) >>> 0;
}
