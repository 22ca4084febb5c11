/**
 * Pages that change: each is a Poisson process with a separate rate, in changes per day.
 *
 * Rates are gamma-distributed, which fits the observations of crawls (Cho & Garcia-Molina, TODS 28(4), 2003, §6.1), or
 * are read from a file, one a line. A page's next change is drawn when the previous one is past, from a separate random
 * stream, so that every policy meets the same web.
 */
import { readFileSync } from 'node:fs';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { mix, numbers } from '../../web/random.ts';

export class ChangingPages {
  readonly rates: Float64Array;
  readonly #seed: number;
  /** Time of the next change, days, and the number of changes before it. */
  readonly #nextAt: Float64Array;
  readonly #past: Uint32Array;

  constructor(rates: Float64Array, seed: number) {
    this.rates = rates;
    this.#seed = seed;
    this.#nextAt = new Float64Array(rates.length);
    this.#past = new Uint32Array(rates.length);
    for (let page = 0; page < rates.length; page++) this.#nextAt[page] = this.#wait(page);
  }

  /** Renews the copy at `day`. Returns when it went stale, Infinity if it had not. */
  visit(page: number, day: number): number {
    const staleAt = this.#nextAt[page]!;
    if (staleAt > day) return Number.POSITIVE_INFINITY;
    while (this.#nextAt[page]! <= day) {
      this.#past[page]! += 1;
      this.#nextAt[page]! += this.#wait(page);
    }
    return staleAt;
  }

  #wait(page: number): number {
    const uniform = (mix(this.#seed, page, this.#past[page]!) + 0.5) / 0x1_0000_0000;
    return -Math.log(uniform) / this.rates[page]!;
  }
}

export function gammaRates(pages: number, mean: number, shape: number, seed: number): Float64Array {
  const next = numbers(seed);
  const uniform = () => (next() + 0.5) / 0x1_0000_0000;
  return Float64Array.from({ length: pages }, () => Math.max(1e-6, (gamma(shape, uniform) * mean) / shape));
}

/** One gamma variate of scale 1. Source: Marsaglia & Tsang, ACM TOMS 26(3), 2000; below shape 1 by their §6. */
function gamma(shape: number, uniform: () => number): number {
  if (shape < 1) return gamma(shape + 1, uniform) * uniform() ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log(uniform()) < 0.5 * normal * normal + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Rates as a file holds them, drawn from again and again if there are more pages. */
export function observedRates(path: string, pages: number, seed: number): Float64Array {
  const rates = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map(Number);
  const wrong = rates.findIndex((rate) => !(rate >= 0 && rate < 1e6));
  if (rates.length === 0 || wrong >= 0) {
    const message = `--rates ${path}: line ${Math.max(0, wrong) + 1} is no rate; give changes per day, one a line`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message);
  }
  const next = numbers(seed);
  return Float64Array.from({ length: pages }, () => Math.max(1e-6, rates[next() % rates.length]!));
}
