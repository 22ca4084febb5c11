/**
 * Pages on their way from the fetcher to the user: to callbacks, an iteration, or both.
 *
 * Invariant: while the maximum of waiting pages is reached, no further page is requested; requests in progress still
 * give pages, at most one for each host. A lease that waits for room returns at its deadline, and its URLs are leased
 * again.
 */
interface Waiting<T> {
  readonly resolve: (result: IteratorResult<T>) => void;
  readonly reject: (error: unknown) => void;
}

export class PageFlow<Page> {
  readonly #max: number;
  readonly #callback: ((page: Page) => unknown) | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #pages: Page[] = [];
  readonly #readers: Waiting<Page>[] = [];
  readonly #handling = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  /** Pages wait for an iteration. */
  #keeps: boolean;
  #end: { readonly error?: unknown } | undefined;

  /** `callback`: gets each page first. `onError`: called with an exception from the callback. */
  constructor(max: number, callback: ((page: Page) => unknown) | undefined, onError: (error: unknown) => void) {
    this.#max = max;
    this.#callback = callback;
    this.#onError = onError;
    this.#keeps = callback === undefined;
  }

  /** An iteration has begun (true), or none will (false) unless one has. */
  keep(keeps: boolean): void {
    this.#keeps = keeps;
    if (!keeps) this.#pages.length = 0;
    this.#wake();
  }

  put(page: Page): void {
    if (this.#end !== undefined) return;
    if (this.#callback === undefined) this.#hand(page);
    else
      this.handle(
        async () => this.#callback?.(page),
        () => this.#hand(page),
      );
  }

  /** Counts as a page that waits, until it is done. */
  handle(act: () => Promise<unknown>, after = () => {}): void {
    const handled: Promise<void> = act()
      .then(after, this.#onError)
      .finally(() => {
        this.#handling.delete(handled);
        this.#wake();
      });
    this.#handling.add(handled);
  }

  /**
   * Waits for room. Undefined: there is room now. A promise: true if room came before the signal, and within `waitMs`.
   */
  room(waitMs: number, signal: AbortSignal): Promise<boolean> | undefined {
    if (this.#hasRoom()) return undefined;
    return new Promise((resolve) => {
      const look = () => {
        if (this.#hasRoom()) leave(true);
      };
      const giveUp = () => leave(false);
      const timer = setTimeout(giveUp, Math.max(0, waitMs));
      const leave = (found: boolean) => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        signal.removeEventListener('abort', giveUp);
        resolve(found);
      };
      this.#waiting.add(look);
      signal.addEventListener('abort', giveUp, { once: true });
      if (signal.aborted) giveUp();
    });
  }

  next(): Promise<IteratorResult<Page>> {
    const page = this.#pages.shift();
    if (page !== undefined) {
      this.#wake();
      return Promise.resolve({ done: false, value: page });
    }
    if (this.#end === undefined) return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
    if ('error' in this.#end) return Promise.reject(this.#end.error);
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Resolves when no callback is running. */
  async handled(): Promise<void> {
    while (this.#handling.size > 0) await Promise.all(this.#handling);
  }

  /** No more pages follow. Waiting pages may still be taken, unless `wanted` is false. */
  end(outcome: { readonly error?: unknown; readonly wanted: boolean }): void {
    if (this.#end !== undefined) return;
    this.#end = outcome;
    if (!outcome.wanted) this.#pages.length = 0;
    for (const { resolve, reject } of this.#readers.splice(0)) {
      if ('error' in outcome) reject(outcome.error);
      else resolve({ done: true, value: undefined });
    }
    this.#wake();
  }

  #hand(page: Page): void {
    const reader = this.#readers.shift();
    if (reader !== undefined) reader.resolve({ done: false, value: page });
    else if (this.#keeps && this.#end === undefined) this.#pages.push(page);
  }

  #hasRoom(): boolean {
    return this.#pages.length + this.#handling.size < this.#max;
  }

  #wake(): void {
    for (const look of [...this.#waiting]) look();
  }
}
