/** What `crawl` gives back: a promise of its counters that pages can be taken from, and URLs given to. */
import type { Counters } from '../../topology/frontier/changes/counters.ts';
import type { CrawledPage } from './crawl-options.ts';

/** What a crawl does when it is told. */
export interface CrawlControls {
  add(urls: readonly string[]): Promise<void>;
  end(): void;
  /** Pages are to be taken one by one (true), or nobody will (false). */
  iterate(begun: boolean): void;
  next(): Promise<IteratorResult<CrawledPage>>;
  /** An iteration was left before its end. */
  leave(): void;
}

/** A crawl under way: iterate it for its pages, await it for its counters. */
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

  /** Of a crawl that is kept open: no more URLs come, and it ends when nothing is left. */
  end(): void {
    this.#controls.end();
  }

  /** The pages, each once, whoever asks. One that is left before its end (`break`) ends the crawl. */
  [Symbol.asyncIterator](): AsyncIterator<CrawledPage> {
    // What went wrong is told by the iteration.
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

  /** Who waits for the end alone takes no pages: none wait for an iteration that has not begun. */
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
