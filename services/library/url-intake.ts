/**
 * URLs from outside on their way into the frontier: it takes only as many as it has room for, and callers wait with the
 * rest.
 *
 * Invariant: URLs for which `add` has resolved have been decided, so that a crawl cannot end before them.
 */
import { setMaxListeners } from 'node:events';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import type { Policy } from '../../topology/policy/policy.ts';
import type { Clock } from '../runtime/clock.ts';
import { librarySeed } from './library-seed.ts';

/** The frontier's decisions. */
export interface Decided {
  readonly counters: Counters;
  /** Offset of the next record of `discovered` to decide. */
  readonly offset: number;
}

export interface UrlIntakeOptions {
  readonly clock: Clock;
  readonly policy: Policy;
  /** URLs queued, and on their way there. */
  readonly queueMax: number;
  /** Appends normal URLs; resolves with the offset after them. */
  readonly append: (urls: readonly string[]) => Promise<number>;
  /** Undefined while the frontier is being opened. */
  readonly decided: () => Decided | undefined;
  /** More may come until `end`. */
  readonly keepOpen: boolean;
}

const lookEveryMs = 10;
/** URLs that one append carries. */
const sliceMax = 1_000;

export class UrlIntake {
  readonly #options: UrlIntakeOptions;
  /** Calls of `add` run one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #adding = 0;
  #isOpen: boolean;
  readonly #over = new AbortController();
  /** The reason why no more URLs are taken. */
  #refusal: string | undefined;
  #onSettled = () => {};

  constructor(options: UrlIntakeOptions) {
    this.#options = options;
    setMaxListeners(0, this.#over.signal);
    this.#isOpen = options.keepOpen;
  }

  /**
   * The URL as the frontier will know it. Throws INVALID_SEED for text that is not a URL, and for a URL that the policy
   * refuses.
   */
  normal(given: string): string {
    const seed = librarySeed(given);
    const verdict = this.#options.policy.admit(seed, 0, 0);
    if (verdict.ok) return verdict.url;
    const why = `${verdict.rule} (${verdict.detail})`;
    throw new CrawlstreamError('INVALID_SEED', `${seed} is refused by rule ${why}: change the URL or the policy`);
  }

  /** Resolves when the frontier has all of them. If `normal` throws for any of them, none is taken. */
  async add(urls: readonly string[]): Promise<void> {
    if (this.#refusal !== undefined) throw refused(this.#refusal);
    for (const url of urls) this.normal(url);
    this.#adding += 1;
    const added = this.#turn.then(() => this.#addAll(urls));
    this.#turn = added.catch(() => {});
    try {
      await added;
    } finally {
      this.#adding -= 1;
      this.#look();
    }
  }

  /** Accepts no more URLs. Waiting ones are still added. */
  end(): void {
    this.#isOpen = false;
    this.#refusal ??= 'end() was called';
    this.#look();
  }

  /** Resolves when no URL is being added and no more can be, or when the crawl is over. */
  settled(): Promise<void> {
    return new Promise((resolve) => {
      this.#onSettled = resolve;
      this.#look();
    });
  }

  /** The crawl is over: waiting URLs are refused. */
  close(why: string): void {
    this.#refusal = why;
    this.#isOpen = false;
    this.#over.abort();
    this.#look();
  }

  #look(): void {
    if (this.#over.signal.aborted || (!this.#isOpen && this.#adding === 0)) this.#onSettled();
  }

  async #addAll(urls: readonly string[]): Promise<void> {
    let end = 0;
    for (let at = 0; at < urls.length; ) {
      const room = await this.#until(({ counters, offset }) => {
        const held = counters.queued + counters.retrying + counters.leased;
        return offset < end ? 0 : Math.max(0, this.#options.queueMax - held);
      });
      const some = urls.slice(at, at + Math.min(room, sliceMax));
      end = await this.#options.append(some.map((url) => this.normal(url)));
      at += some.length;
    }
    await this.#until(({ offset }) => (offset < end ? 0 : 1));
  }

  /** Waits until `amount` says more than 0. */
  async #until(amount: (decided: Decided) => number): Promise<number> {
    const { clock, decided } = this.#options;
    for (;;) {
      if (this.#over.signal.aborted) throw refused(this.#refusal!);
      const now = decided();
      const found = now === undefined ? 0 : amount(now);
      if (found > 0) return found;
      await clock.sleepUntil(clock.nowMs() + lookEveryMs, this.#over.signal);
    }
  }
}

function refused(why: string): CrawlstreamError {
  return new CrawlstreamError('UNSUPPORTED', `add: ${why}, so it accepts no more URLs: start another crawl for them`);
}
