/**
 * Which parts of the product ran: V8's own block counts, as its inspector gives them, of this thread.
 *
 * Counts are told in powers of two, as AFL does it (Zalewski, "Technical whitepaper for afl-fuzz"): a loop that runs four times as
 * often is news, one that runs once more is not.
 */
import { Session } from 'node:inspector';

interface ScriptCoverage {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[];
  }[];
}

export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();

  readonly #isOurs: (url: string) => boolean;

  /** `isOurs`: of the files whose coverage counts. */
  constructor(isOurs: (url: string) => boolean) {
    this.#isOurs = isOurs;
    this.#session.connect();
    this.#session.post('Profiler.enable');
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  }

  /** Blocks and frequencies that were met so far. */
  get size(): number {
    return this.#seen.size;
  }

  /** How much ran since the last call that never ran before. */
  news(): number {
    let fresh = 0;
    for (const key of this.#take()) {
      if (this.#seen.has(key)) continue;
      this.#seen.add(key);
      fresh += 1;
    }
    return fresh;
  }

  /** Forgets what ran since the last call. */
  skip(): void {
    this.#take();
  }

  /** What ran since the last call, whether it is news or not. */
  ran(): ReadonlySet<string> {
    return new Set(this.#take());
  }

  hasNews(keys: ReadonlySet<string>): boolean {
    for (const key of keys) if (!this.#seen.has(key)) return true;
    return false;
  }

  /** Takes as met what only several tries together reach. */
  add(keys: ReadonlySet<string>): void {
    for (const key of keys) this.#seen.add(key);
  }

  close(): void {
    this.#session.disconnect();
  }

  #take(): string[] {
    const keys: string[] = [];
    this.#session.post('Profiler.takePreciseCoverage', (error, answer) => {
      if (error) throw error;
      const { result } = answer as unknown as { readonly result: readonly ScriptCoverage[] };
      for (const { url, functions } of result) {
        if (!this.#isOurs(url)) continue;
        for (const { ranges } of functions) {
          const whole = ranges[0]!;
          if (whole.count === 0) continue;
          let isFull = true;
          // A block that ran as often as what it is in is not told: that it did shows in where the next one did not.
          for (const { startOffset, endOffset, count } of ranges) {
            keys.push(`${url} ${startOffset} ${endOffset} ${count === 0 ? 'not' : Math.floor(Math.log2(count))}`);
            if (count === 0) isFull = false;
          }
          if (isFull) keys.push(`${url} ${whole.startOffset} ${whole.endOffset} full`);
        }
      }
    });
    return keys;
  }
}
