/**
 * A client of Crawlstream's lease API (`crawlstream crawl --clients only --http HOST:PORT`): leases URLs whose hosts may
 * be contacted now, and tells what became of them. It needs nothing but `fetch`: copy this file, or import it.
 *
 *   const client = new LeaseClient('http://127.0.0.1:9464');
 *   await client.add([{ url: 'https://example.org/' }]);
 *   await client.work(async ({ url, userAgent }) => {
 *     const response = await fetch(url, { headers: { 'user-agent': userAgent }, redirect: 'manual' });
 *     return answerOf(response, { urls: linksIn(await response.text()).map((url) => ({ url })) });
 *   });
 *
 * A URL is to be requested as soon as it is leased, and once: its host's next one comes when it has been told of.
 */

export interface LeasedUrl {
  readonly lease: string;
  readonly url: string;
  readonly host: string;
  readonly depth: number;
  readonly hop: number;
  readonly attempt: number;
  /** Validators of the last visit; empty: none. */
  readonly etag: string;
  readonly lastModified: string;
  /** What was given along with the URL. */
  readonly payload: string;
  /** For whom robots.txt was asked. */
  readonly userAgent: string;
  readonly delayMs: number;
  /** Time left, ms; and time after which it can be renewed no more. */
  readonly leaseMs: number;
  readonly renewableMs: number;
}

export interface AddedUrl {
  readonly url: string;
  /** Comes back with each lease of the URL. */
  readonly payload?: string;
  /** Front queue, 0 (the first) to 7. Absent: as the policy says. */
  readonly priority?: number;
  /** Fetch it though it is known. */
  readonly force?: boolean;
  /** Put it first in its host’s queue, as the target of a redirect. */
  readonly front?: boolean;
  readonly depth?: number;
  readonly hop?: number;
  readonly source?: string;
}

/** `returned`: no request was made, and the URL is to be leased again. */
export type Failure =
  | 'dnsFailed'
  | 'connectionFailed'
  | 'tlsFailed'
  | 'timeout'
  | 'badResponse'
  | 'refused'
  | 'tooLarge'
  | 'robotsDenied'
  | 'returned';

/** What became of a URL: a status, or a failure. */
export interface Answer {
  readonly status?: number;
  readonly failure?: Failure;
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** When the request started and ended, ms before the answer is told. */
  readonly startedMsAgo?: number;
  readonly endedMsAgo?: number;
  readonly bytes?: number;
  readonly contentHash?: string;
  readonly title?: string;
  readonly text?: string;
  /** In base64: it is parsed by the crawl. */
  readonly body?: string;
  /** Take the status as it is: it is not tried again, whatever it is. */
  readonly final?: boolean;
  /** Publish the links that the crawl finds in `body`. */
  readonly follow?: boolean;
  readonly urls?: readonly AddedUrl[];
}

export interface Refused {
  readonly index: number;
  readonly url: string;
  readonly why: string;
}

export interface LeaseClientOptions {
  /** Absent: none is needed, as on loopback. */
  readonly token?: string;
  /** Without a word for so long, URLs are leased to others. Renewed three times in it while `work` is at them. */
  readonly leaseMs?: number;
}

/** The crawl refused a call: `status` is HTTP's; 503: ask again in a moment. */
export class LeaseError extends Error {
  override readonly name = 'LeaseError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Statuses of a call that is refused for what it says, or for how long it is. */
const ofItsContent: ReadonlySet<number> = new Set([400, 413]);

/** Response headers that a crawl looks at. */
export const reportedHeaders: readonly string[] = [
  ...['retry-after', 'etag', 'last-modified', 'location', 'content-type', 'x-robots-tag', 'content-usage'],
];

/** The answer to tell of a response of `fetch`. */
export function answerOf(response: Response, more: Answer = {}): Answer {
  const headers: Record<string, string> = {};
  for (const name of reportedHeaders) {
    const value = response.headers.get(name);
    if (value !== null) headers[name] = value;
  }
  return { status: response.status, headers, ...more };
}

export class LeaseClient {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #leaseMs: number;

  /** `base`: where the crawl listens, as in http://127.0.0.1:9464. */
  constructor(base: string, { token, leaseMs = 60_000 }: LeaseClientOptions = {}) {
    this.#base = base.replace(/\/$/, '');
    this.#leaseMs = leaseMs;
    this.#headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  /** Up to `count` URLs, as soon as there is one; none after `waitMs`. `idle`: the crawl has nothing left. */
  lease(
    count = 16,
    waitMs = 20_000,
    signal?: AbortSignal,
  ): Promise<{ readonly leases: readonly LeasedUrl[]; readonly idle: boolean | null }> {
    return this.#post('/v1/leases', { count, waitMs, leaseMs: this.#leaseMs }, signal);
  }

  /** Resolves once the URLs that came with the answers are durable. */
  async tell(answers: readonly (Answer & { readonly lease: string })[]): Promise<
    readonly {
      readonly lease: string;
      /** `unknown`: its time was over, and it is leased again. `invalid`: it says what no crawl takes, and is still out. */
      readonly state: 'ok' | 'repeated' | 'unknown' | 'invalid';
      /** URLs that came along and were not taken. */
      readonly refused: readonly Refused[];
      /** Of an invalid one: the field, and what to do. */
      readonly why?: string;
    }[]
  > {
    return (await this.#post<{ results: never }>('/v1/results', { results: answers })).results;
  }

  /** More time. `leaseMs` 0: it is not ours any more. */
  async renew(leases: readonly string[]): Promise<readonly { readonly lease: string; readonly leaseMs: number }[]> {
    return (await this.#post<{ leases: never }>('/v1/renewals', { leases, leaseMs: this.#leaseMs })).leases;
  }

  /** Resolves once they are durable. Known ones are left out by the crawl. */
  add(urls: readonly AddedUrl[]): Promise<{ readonly accepted: number; readonly refused: readonly Refused[] }> {
    return this.#post('/v1/urls', { urls });
  }

  /**
   * Leases and fetches, `concurrency` URLs at once, until the crawl has nothing left or `signal` aborts. Whatever `fetchUrl`
   * throws is told as a failed connection, and an answer that the crawl does not take as a bad response. A crawl that is not up yet is asked again for the time of a lease. Rejects, once
   * nothing is out, with why the crawl could not be asked or told: what was out is leased again, by the crawl or its next
   * process.
   */
  async work(
    fetchUrl: (leased: LeasedUrl) => Promise<Answer>,
    { concurrency = 16, signal }: { readonly concurrency?: number; readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    const out = new Map<string, Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    const renewing = setInterval(() => {
      if (out.size > 0) this.renew([...out.keys()]).catch(() => {});
    }, this.#leaseMs / 3);
    try {
      while (signal?.aborted !== true && failure === undefined) {
        if (out.size >= concurrency) await Promise.race(out.values());
        const asking = new AbortController();
        const stop = () => asking.abort();
        signal?.addEventListener('abort', stop);
        const waitMs = out.size > 0 ? 1_000 : 20_000;
        const asked = this.#insist(() => this.lease(concurrency - out.size, waitMs, asking.signal), asking.signal);
        const { leases, idle } = await asked.catch((error: unknown) => {
          if (signal?.aborted === true) return { leases: [], idle: false };
          throw error;
        });
        signal?.removeEventListener('abort', stop);
        for (const leased of leases) {
          // It never rejects: of several that fail at once, one is awaited, and the others would end the process.
          const done = this.#one(leased, fetchUrl)
            .catch((error: unknown) => (failure ??= { error }))
            .then(() => void out.delete(leased.lease));
          out.set(leased.lease, done);
        }
        if (leases.length === 0 && out.size === 0 && idle === true) break;
      }
    } finally {
      await Promise.all(out.values());
      clearInterval(renewing);
    }
    if (failure !== undefined) throw failure.error;
  }

  async #one(leased: LeasedUrl, fetchUrl: (leased: LeasedUrl) => Promise<Answer>): Promise<void> {
    const startedMs = performance.now();
    let answer: Answer;
    try {
      answer = await fetchUrl(leased);
    } catch (error) {
      const detail = error instanceof Error ? error.message : `${error}`;
      answer = { failure: 'connectionFailed', detail: detail.slice(0, 1_000) };
    }
    const endedMs = performance.now();
    const report = (answer: Answer) =>
      this.#insist(() => {
        const lateMs = Math.round(performance.now() - endedMs);
        const { startedMsAgo = Math.round(endedMs - startedMs), endedMsAgo = 0 } = answer;
        const times = { startedMsAgo: startedMsAgo + lateMs, endedMsAgo: endedMsAgo + lateMs };
        return this.tell([{ lease: leased.lease, ...answer, ...times }]);
      });
    const why = await report(answer).then(
      ([reported]) => (reported?.state === 'invalid' ? (reported.why ?? '') : undefined),
      (error: unknown) => {
        if (error instanceof LeaseError && ofItsContent.has(error.status)) return error.message;
        throw error;
      },
    );
    if (why !== undefined)
      await report({ failure: 'badResponse', detail: `the crawl does not take its answer: ${why}` });
  }

  /**
   * A crawl that is not up yet is asked until a lease's time is over. A call without an answer is made once more: a kept
   * connection may be closed as it is used, and a crawl takes what it is told twice for once.
   */
  async #insist<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const untilMs = performance.now() + this.#leaseMs;
    for (let unanswered = 0; ; ) {
      try {
        return await call();
      } catch (error) {
        const isNotUp = error instanceof LeaseError && error.status === 503 && performance.now() < untilMs;
        const isFirst = !(error instanceof LeaseError) && (unanswered += 1) === 1;
        if (signal?.aborted === true || !(isNotUp || isFirst)) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }

  async #post<T>(path: string, body: object, signal?: AbortSignal): Promise<T> {
    const response = await fetch(this.#base + path, {
      method: 'POST',
      headers: this.#headers,
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
    const answer = (await response.json()) as T & { readonly error?: string; readonly message?: string };
    if (response.ok) return answer;
    throw new LeaseError(response.status, answer.error ?? '', answer.message ?? response.statusText);
  }
}
