/** A URL of a lease that may be fetched by a client in our place (runtime/leases/outside.ts): one turn of it. */
import type { Task } from '../../../schemas/types.ts';
import type { LeaseClient, Outside, Report } from '../../runtime/leases/outside.ts';
import type { HttpRequest, HttpResponse } from '../http/client.ts';
import { headerOf } from '../http/headers.ts';
import type { By, RequestPath } from '../pace/paced-request.ts';

/** Time for an answer to reach the frontier before it counts the lease as expired, ms. */
const reportMs = 2_000;

export class ClientTurn implements By {
  /** The client's report of the last request. Undefined: no client made one. */
  clientResult: Report | undefined;
  #client: LeaseClient | null = null;
  readonly #outside: Outside;
  readonly #requestPath: RequestPath;
  readonly #task: Task;
  readonly #index: number;
  readonly #delayMs: number;
  readonly #latestStartMs: number;
  readonly #arrived: () => void;

  constructor(
    outside: Outside,
    requestPath: RequestPath,
    task: Task,
    { index, delayMs, latestStartMs, arrived }: ClientTurnOptions,
  ) {
    this.#outside = outside;
    this.#requestPath = requestPath;
    this.#task = task;
    this.#index = index;
    this.#delayMs = delayMs;
    this.#latestStartMs = latestStartMs;
    this.#arrived = arrived;
  }

  /** Offers the request to a client once the host may be contacted. null: no client took it in time. */
  async turn(): Promise<'us' | 'them' | null> {
    this.#arrived();
    // A URL's payload belongs to its client: our own fetcher leaves it alone.
    const only = this.#outside.only || this.#task.urls[this.#index]!.payload !== '';
    const untilMs = this.#latestStartMs - this.#requestPath.clock.aheadMs;
    this.#client = only ? await this.#outside.client(untilMs, this.#requestPath.signal) : this.#outside.clientNow();
    if (this.#client !== null) return 'them';
    return only ? null : 'us';
  }

  pass(): void {
    this.#client?.pass();
    this.#client = null;
  }

  async request({ headers }: HttpRequest): Promise<HttpResponse> {
    const { aheadMs } = this.#requestPath.clock;
    const { hostKey, deadlineMs, urls } = this.#task;
    const { url, depth, hop, attempt, etag, lastModified, payload } = urls[this.#index]!;
    const result = await this.#client!.hand({
      ...{ url, hostKey, depth, hop, attempt, etag, lastModified, payload },
      userAgent: headerOf(headers, 'user-agent'),
      delayMs: this.#delayMs,
      latestStartMs: this.#latestStartMs - aheadMs,
      deadlineMs: deadlineMs - aheadMs - reportMs,
    });
    this.#client = null;
    this.clientResult = result;
    return responseOf(result, aheadMs);
  }
}

export interface ClientTurnOptions {
  readonly index: number;
  readonly delayMs: number;
  readonly latestStartMs: number;
  /** Called when the lease has a URL to hand out. */
  readonly arrived: () => void;
}

function responseOf({ status, headers, body, startMs, endMs, failure }: Report, aheadMs: number): HttpResponse {
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
