/**
 * Fills a set from unordered fingerprints: gathers a million, sorts them by top byte, and passes them on segment by
 * segment, so that memory is walked through once per million and not at random. This takes a third of the time.
 */

const gatheredMax = 1 << 20;

export class SortedLoad {
  readonly #visit: (hi: number, lo: number) => void;
  #gathered: Uint32Array[] = [];
  #count = 0;

  constructor(visit: (hi: number, lo: number) => void) {
    this.#visit = visit;
  }

  /** `words`: pairs; the array belongs to this loader from now on. */
  add(words: Uint32Array): void {
    this.#gathered.push(words);
    this.#count += words.length / 2;
    if (this.#count >= gatheredMax) this.flush();
  }

  flush(): void {
    const starts = new Uint32Array(257);
    for (const words of this.#gathered) {
      for (let i = 0; i < words.length; i += 2) starts[(words[i]! >>> 24) + 1]! += 1;
    }
    for (let byte = 0; byte < 256; byte++) starts[byte + 1]! += starts[byte]!;
    const sorted = new Uint32Array(2 * this.#count);
    for (const words of this.#gathered) {
      for (let i = 0; i < words.length; i += 2) {
        const at = 2 * starts[words[i]! >>> 24]!++;
        sorted[at] = words[i]!;
        sorted[at + 1] = words[i + 1]!;
      }
    }
    this.#gathered = [];
    this.#count = 0;
    for (let i = 0; i < sorted.length; i += 2) this.#visit(sorted[i]!, sorted[i + 1]!);
  }
}
