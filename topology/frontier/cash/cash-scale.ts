/**
 * Ranks amounts of cash: a histogram of the cash with which new URLs arrived lately, in steps of half an octave.
 *
 * Cash thins out by orders of magnitude as a crawl grows. So a front queue means a rank among other URLs, not an
 * amount: front queue 0 is for URLs with more cash than all but 1/128 of the arrivals, the next for all but 1/64, and
 * the last for the lower half. The draw weighs front queues in the same way (hosts/clock.ts). Counts are halved now
 * and then, so that old amounts fade.
 *
 * The histogram is exact: the bits of the exponent select the step, because engines may round logarithms differently.
 */
import { frontQueueCount } from '../../url/front-queue.ts';

const stepCount = 4096;
/** Before this many URLs, no front queue is given: the first queue is for one URL in this many. */
const countsMin = 2 ** (frontQueueCount - 1);
/** Counts are halved when they reach this sum, so that about the last hundred thousand URLs count. */
const countsMax = 2 ** 17;

export class CashScale {
  /** Absent until a URL is noted: most crawls count no cash. */
  #counts: Uint32Array | undefined;
  #total = 0;

  /** Records that `urls` new URLs arrived with `amount` each. */
  note(amount: number, urls: number): void {
    this.#counts ??= new Uint32Array(stepCount);
    this.#counts[stepOf(amount)]! += urls;
    this.#total += urls;
    if (this.#total < countsMax) return;
    this.#total = 0;
    for (let step = 0; step < stepCount; step++) {
      this.#counts[step]! >>= 1;
      this.#total += this.#counts[step]!;
    }
  }

  /** `otherwise`: while too few have been seen. */
  frontQueueOf(amount: number, otherwise: number): number {
    if (this.#counts === undefined || this.#total < countsMin) return otherwise;
    if (amount <= 0) return frontQueueCount - 1;
    const own = stepOf(amount);
    // The step of the amount itself counts by half.
    let above = this.#counts[own]! / 2;
    for (let step = own + 1; step < topStep; step++) above += this.#counts[step]!;
    let frontQueue = 0;
    for (
      let most = this.#total / 2 ** (frontQueueCount - 1);
      above > most && frontQueue < frontQueueCount - 1;
      most *= 2
    )
      frontQueue += 1;
    return frontQueue;
  }

  /** Steps and their counts in turn, those that have any. */
  save(): number[] {
    const saved: number[] = [];
    this.#counts?.forEach((count, step) => {
      if (count > 0) saved.push(step, count);
    });
    return saved;
  }

  load(saved: readonly number[]): void {
    this.#counts ??= new Uint32Array(stepCount);
    for (let at = 0; at + 1 < saved.length; at += 2) {
      this.#counts[saved[at]!] = saved[at + 1]!;
      this.#total += saved[at + 1]!;
    }
  }
}

const bits = new DataView(new ArrayBuffer(8));

/** Exponent and the first bit of the fraction. */
function stepOf(amount: number): number {
  bits.setFloat64(0, amount);
  return bits.getUint32(0) >>> 19;
}

/** No URL has 2^32. */
const topStep = stepOf(2 ** 32);
