/**
 * Number of pages by class of change rate and class of weight. The price of a visit depends only on these counts, and
 * their size does not grow with the number of pages.
 *
 * A rate class is a quarter of an octave wide, so the middle of the class is within 9 % of a page's rate.
 */
const perOctave = 4;
const slowest = 2 ** -13;
export const rateClasses = 20 * perOctave;
/** Weights are by front queue. */
export const weightClasses = 8;

/** The class of a rate, changes per day. */
export function rateClassOf(rate: number): number {
  const at = Math.floor(perOctave * Math.log2(rate / slowest));
  return Math.max(0, Math.min(rateClasses - 1, at));
}

/** The middle of a class, changes per day. */
export function rateOfClass(number: number): number {
  return slowest * 2 ** ((number + 0.5) / perOctave);
}

export class RateClasses {
  /** Counts by weight class, then rate class. */
  readonly counts: Uint32Array = new Uint32Array(rateClasses * weightClasses);
  #pages = 0;

  get pages(): number {
    return this.#pages;
  }

  count(number: number, by: 1 | -1): void {
    this.counts[number]! += by;
    this.#pages += by;
  }

  load(number: number, pages: number): void {
    this.#pages += pages - this.counts[number]!;
    this.counts[number] = pages;
  }
}

/** The index of a page in the counts. */
export function classOf(rate: number, weightClass: number): number {
  return weightClass * rateClasses + rateClassOf(rate);
}
