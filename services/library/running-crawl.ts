/** The result of `crawl`: a promise of its counts that also yields pages and accepts URLs. */
import { type CrawlCounts, countsOf } from '../../topology/frontier/ask/crawl-counts.ts';
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import type { CrawledPage } from './crawl-options.ts';

/** The controls of a crawl. */
export interface CrawlControls {
  add(urls: readonly string[]): Promise<void>;
  end(): void;
  /** True: pages are taken one by one. False: pages are not taken. */
  iterate(begun: boolean): void;
  next(): Promise<IteratorResult<CrawledPage>>;
  /** An iteration was left before its end. */
  leave(): void;
}

/** The counts of a crawl, named as in the command's `--json`; `counters`: those that they are sums of. */
export type CrawlResult = CrawlCounts & { readonly counters: Readonly<Counters> };

/** A running crawl: iterate over it for its pages, await it for its counts. */
export class RunningCrawl extends Promise<CrawlResult> implements AsyncIterable<CrawledPage> {
  static override get [Symbol.species]() {
    return Promise;
  }

  #controls!: CrawlControls;
  #iterates = false;

  static begin(
    begin: () => { readonly counters: Promise<Readonly<Counters>>; readonly controls: CrawlControls },
  ): RunningCrawl {
    let settle!: (result: Promise<CrawlResult>) => void;
    const running = new RunningCrawl((resolve) => {
      settle = resolve;
    });
    const { counters, controls } = begin();
    running.#controls = controls;
    settle(counters.then((counters) => ({ ...countsOf(counters), counters })));
    return running;
  }

  /** Resolves when the frontier has all of them: it waits while too many are queued. */
  add(urls: readonly string[]): Promise<void> {
    return this.#controls.add(urls);
  }

  /** For a crawl that is kept open: accepts no more URLs, and ends when nothing is left. */
  end(): void {
    this.#controls.end();
  }

  /** Iterates over the pages, each once. Leaving the loop early (`break`) ends the crawl. */
  [Symbol.asyncIterator](): AsyncIterator<CrawledPage> {
    // The iteration throws the error.
    super.then(undefined, () => {});
    this.#iterates = true;
    this.#controls.iterate(true);
    return {
      next: () => this.#controls.next(),
      return: async () => {
        this.#controls.leave();
        return { done: true, value: undefined };
      },
    };
  }

  /** A caller that only awaits the end takes no pages, so none wait for an iteration that has not begun. */
  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  override then<A = CrawlResult, B = never>(
    done?: ((result: CrawlResult) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (typeof done === 'function' && !this.#iterates) this.#controls.iterate(false);
    return super.then(done, failed);
  }

  override catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null) {
    return super.then(undefined, failed);
  }

  override finally(act?: (() => void) | null): Promise<CrawlResult> {
    return new Promise<CrawlResult>((resolve, reject) => super.then(resolve, reject)).finally(act);
  }
}
