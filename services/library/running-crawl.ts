/** The result of `crawl`: a promise of its counters that also yields pages and accepts URLs. */
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

/** A running crawl: iterate over it for its pages, await it for its counters. */
export class RunningCrawl extends Promise<Readonly<Counters>> implements AsyncIterable<CrawledPage> {
  static override get [Symbol.species]() {
    return Promise;
  }

  #controls!: CrawlControls;
  #iterates = false;

  static begin(
    begin: () => { readonly counters: Promise<Readonly<Counters>>; readonly controls: CrawlControls },
  ): RunningCrawl {
    let settle!: (counters: Promise<Readonly<Counters>>) => void;
    const running = new RunningCrawl((resolve) => {
      settle = resolve;
    });
    const { counters, controls } = begin();
    running.#controls = controls;
    settle(counters);
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
  override then<A = Readonly<Counters>, B = never>(
    done?: ((counters: Readonly<Counters>) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    if (typeof done === 'function' && !this.#iterates) this.#controls.iterate(false);
    return super.then(done, failed);
  }

  override catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null) {
    return super.then(undefined, failed);
  }

  override finally(act?: (() => void) | null): Promise<Readonly<Counters>> {
    return new Promise<Readonly<Counters>>((resolve, reject) => super.then(resolve, reject)).finally(act);
  }
}
