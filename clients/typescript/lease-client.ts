/**
 * A client of Crawlstream's lease API (`crawlstream crawl --clients only --http HOST:PORT`): leases URLs of hosts that
 * may be contacted now, and reports the results. It needs only `fetch`: copy this file, or import it.
 *
 *   const client = new LeaseClient('http://127.0.0.1:9464');
 *   await client.add([{ url: 'https://example.org/' }]);
 *   await client.work(async ({ url, userAgent }) => {
 *     const response = await fetch(url, { headers: { 'user-agent': userAgent }, redirect: 'manual' });
 *     return answerOf(response, { urls: linksIn(await response.text()).map((url) => ({ url })) });
 *   });
 *
 * Request a URL as soon as it is leased, and only once: the next URL of its host is leased after the report.
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
  /** Payload that was added with the URL. */
  readonly payload: string;
  /** User-Agent for which robots.txt was evaluated. */
  readonly userAgent: string;
  readonly delayMs: number;
  /** Remaining time, ms; and time after which no renewal is possible. */
  readonly leaseMs: number;
  readonly renewableMs: number;
}

export interface AddedUrl {
  readonly url: string;
  /** Returned with each lease of the URL. */
  readonly payload?: string;
  /** Front queue, 0 (the first) to 7. Absent: the policy decides. */
  readonly priority?: number;
  /** Fetch the URL even if it is known. */
  readonly force?: boolean;
  /** Put it at the front of its host’s queue, for example the target of a redirect. */
  readonly front?: boolean;
  readonly depth?: number;
  readonly hop?: number;
  readonly source?: string;
}

/** `returned`: no request was made; the URL will be leased again. */
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

/** The result of a URL: a status, or a failure. */
export interface Answer {
  readonly status?: number;
  readonly failure?: Failure;
  readonly detail?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Start and end of the request, in ms before the report. */
  readonly startedMsAgo?: number;
  readonly endedMsAgo?: number;
  readonly bytes?: number;
  readonly contentHash?: string;
  readonly title?: string;
  readonly text?: string;
  /** Body in base64, which the crawl parses. */
  readonly body?: string;
  /** The status is final: the URL is not retried, whatever the status is. */
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
  /** Absent: no token, for example on loopback. */
  readonly token?: string;
  /** Time without a report or renewal after which URLs are leased to others. `work` renews three times within it. */
  readonly leaseMs?: number;
}

/** The crawl refused a call. `status`: the HTTP status; 503: retry in a moment. */
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

/** Statuses of a call that is refused for its content or length. */
const ofItsContent: ReadonlySet<number> = new Set([400, 413]);

/** Response headers that the crawl reads. */
export const reportedHeaders: readonly string[] = [
  ...['retry-after', 'etag', 'last-modified', 'location', 'content-type', 'x-robots-tag', 'content-usage'],
];

/** Makes the result of a response of `fetch`. */
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

  /** `base`: address of the crawl, for example http://127.0.0.1:9464. */
  constructor(base: string, { token, leaseMs = 60_000 }: LeaseClientOptions = {}) {
    this.#base = base.replace(/\/$/, '');
    this.#leaseMs = leaseMs;
    this.#headers = {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
  }

  /**
   * Leases up to `count` URLs. Resolves as soon as there is one, or with none after `waitMs`. `idle`: the crawl has no
   * work left.
   */
  lease(
    count = 16,
    waitMs = 20_000,
    signal?: AbortSignal,
  ): Promise<{ readonly leases: readonly LeasedUrl[]; readonly idle: boolean | null }> {
    return this.#post('/v1/leases', { count, waitMs, leaseMs: this.#leaseMs }, signal);
  }

  /** Resolves once the URLs in the results are durable. */
  async tell(answers: readonly (Answer & { readonly lease: string })[]): Promise<
    readonly {
      readonly lease: string;
      /**
       * `unknown`: the lease had expired, and the URL is leased again. `invalid`: no crawl accepts the result; the
       * lease continues.
       */
      readonly state: 'ok' | 'repeated' | 'unknown' | 'invalid';
      /** URLs in the result that were refused. */
      readonly refused: readonly Refused[];
      /** For an invalid result: the field, and the remedy. */
      readonly why?: string;
    }[]
  > {
    return (await this.#post<{ results: never }>('/v1/results', { results: answers })).results;
  }

  /** Extends leases. `leaseMs` 0: the lease has expired. */
  async renew(leases: readonly string[]): Promise<readonly { readonly lease: string; readonly leaseMs: number }[]> {
    return (await this.#post<{ leases: never }>('/v1/renewals', { leases, leaseMs: this.#leaseMs })).leases;
  }

  /** Adds URLs. Resolves once they are durable. The crawl skips known ones. */
  add(urls: readonly AddedUrl[]): Promise<{ readonly accepted: number; readonly refused: readonly Refused[] }> {
    return this.#post('/v1/urls', { urls });
  }

  /**
   * Leases and fetches, `concurrency` URLs at once, until the crawl has no work left or `signal` aborts. An exception
   * from `fetchUrl` is reported as a failed connection, and a result that the crawl refuses as a bad response. A crawl
   * that is not up yet is asked again for the time of a lease. If a call to the crawl fails, rejects with its error once
   * no fetch is running: the leased URLs are leased again, by the crawl or its next process.
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
          // This promise never rejects: if several failed at once, only one would be awaited, and the others would end
          // the process.
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
   * Repeats a call to a crawl that is not up yet, for the time of a lease. A call without a response is repeated once:
   * a kept connection may be closed just when it is used, and the crawl counts a repeated result once.
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
