/** A URL of a lease that may be fetched by a client in our place (runtime/leases/outside.ts): one turn of it. */
import type { Task } from '../../../schemas/types.ts';
import type { Outside, Taker, Told } from '../../runtime/leases/outside.ts';
import type { HttpRequest, HttpResponse } from '../http/client.ts';
import { headerOf } from '../http/headers.ts';
import type { By, Road } from '../pace/paced-request.ts';

/** Time for an answer to reach the frontier before it counts the lease as expired, ms. */
const reportMs = 2_000;

export class ErrandOf implements By {
  /** What the client told of the last request. Undefined: none was made by a client. */
  told: Told | undefined;
  #taker: Taker | null = null;
  readonly #outside: Outside;
  readonly #road: Road;
  readonly #task: Task;
  readonly #index: number;
  readonly #delayMs: number;
  readonly #latestStartMs: number;
  readonly #arrived: () => void;

  constructor(outside: Outside, road: Road, task: Task, { index, delayMs, latestStartMs, arrived }: ErrandOptions) {
    this.#outside = outside;
    this.#road = road;
    this.#task = task;
    this.#index = index;
    this.#delayMs = delayMs;
    this.#latestStartMs = latestStartMs;
    this.#arrived = arrived;
  }

  /** The host may be contacted: by a client, if one wants it. null: nobody came for it in time. */
  async turn(): Promise<'us' | 'them' | null> {
    this.#arrived();
    // What was given along with a URL is a client's: our own fetcher leaves it to them.
    const only = this.#outside.only || this.#task.urls[this.#index]!.payload !== '';
    const untilMs = this.#latestStartMs - this.#road.clock.aheadMs;
    this.#taker = only ? await this.#outside.taker(untilMs, this.#road.signal) : this.#outside.takerNow();
    if (this.#taker !== null) return 'them';
    return only ? null : 'us';
  }

  pass(): void {
    this.#taker?.pass();
    this.#taker = null;
  }

  async request({ headers }: HttpRequest): Promise<HttpResponse> {
    const { aheadMs } = this.#road.clock;
    const { hostKey, deadlineMs, urls } = this.#task;
    const { url, depth, hop, attempt, etag, lastModified, payload } = urls[this.#index]!;
    const told = await this.#taker!.hand({
      ...{ url, hostKey, depth, hop, attempt, etag, lastModified, payload },
      userAgent: headerOf(headers, 'user-agent'),
      delayMs: this.#delayMs,
      latestStartMs: this.#latestStartMs - aheadMs,
      deadlineMs: deadlineMs - aheadMs - reportMs,
    });
    this.#taker = null;
    this.told = told;
    return responseOf(told, aheadMs);
  }
}

export interface ErrandOptions {
  readonly index: number;
  readonly delayMs: number;
  readonly latestStartMs: number;
  /** Is called when the lease has a URL to give. */
  readonly arrived: () => void;
}

function responseOf({ status, headers, body, startMs, endMs, failure }: Told, aheadMs: number): HttpResponse {
  const bytes = body ?? Buffer.alloc(0);
  return {
    ...{ status, headers, body: bytes, rawBody: bytes, truncated: false, address: '', failure },
    startMs: startMs + aheadMs,
    endMs: endMs + aheadMs,
    connectMs: 0,
    firstByteMs: status === 0 ? 0 : endMs - startMs,
    staleConnection: false,
    unreached: false,
  };
}
