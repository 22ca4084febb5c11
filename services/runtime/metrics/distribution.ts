/**
 * A distribution of values: counts between fixed bounds, like a Prometheus histogram.
 *
 * `observe` costs some nanoseconds and allocates nothing, so it may be called for each request or commit, but not for
 * each URL. Counts only grow.
 */
export class Distribution {
  /** Upper bounds, ascending; the last bucket is above all of them. */
  readonly bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket += 1;
    this.#counts[bucket]! += 1;
    this.#sum += value;
  }

  /** Takes in what another with the same bounds has counted. */
  add({ counts, sum }: Pick<Distribution, 'counts' | 'sum'>): void {
    counts.forEach((count, bucket) => {
      this.#counts[bucket]! += count;
    });
    this.#sum += sum;
  }

  /** Count of each bucket separately; the last one is above all bounds. */
  get counts(): readonly number[] {
    return [...this.#counts];
  }

  get sum(): number {
    return this.#sum;
  }
}

/** 100 µs to 10 s: steps, commits, requests. */
export const secondsBounds = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A tenth of a second to an hour: what waits for politeness. */
export const waitBounds = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600];
/** A second to a month: what waits for its turn in a queue. */
export const daysBounds = [1, 10, 60, 600, 3_600, 21_600, 86_400, 259_200, 604_800, 2_592_000];
