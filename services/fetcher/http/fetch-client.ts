/**
 * An HTTP client over a custom `fetch`: requests and responses are those of the fetcher, while the custom function
 * decides how a host is reached. A fetch decodes content codings itself, so none is requested here, and responses count
 * as having none.
 */
import { once } from 'node:events';
import type { OutcomeKind } from '../../../schemas/types.ts';
import type { HttpClient, HttpClientOptions, HttpRequest, HttpResponse } from './client.ts';
import type { FailureKind } from './request-failure.ts';
import { requestLimits } from './request-limits.ts';

/** Arguments of a custom `fetch`. */
export interface FetchInit {
  readonly redirect: 'manual';
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** A function like the standard's `fetch`; it must obey `redirect: 'manual'`. */
export type FetchFunction = (url: string, init: FetchInit) => Promise<Response>;

type Answer = Pick<HttpResponse, 'status' | 'headers' | 'body' | 'truncated' | 'firstByteMs' | 'failure'>;

export function createFetchClient(ask: FetchFunction, { clock, limits }: HttpClientOptions): HttpClient {
  const { bodyBytesMax, totalTimeoutMs } = { ...requestLimits, ...limits };
  const closing = new AbortController();
  const inFlight = new Set<Promise<HttpResponse>>();

  const exchange = async (request: HttpRequest): Promise<HttpResponse> => {
    const startMs = clock.nowMs();
    const signal = AbortSignal.any([AbortSignal.timeout(totalTimeoutMs), closing.signal]);
    const answer = await answered(
      ask,
      request,
      request.bodyBytesMax ?? bodyBytesMax,
      signal,
      () => clock.nowMs() - startMs,
    ).catch(
      (error: unknown): Answer => ({
        ...{ status: 0, headers: [], body: Buffer.alloc(0), truncated: false, firstByteMs: 0 },
        failure: closing.signal.aborted ? { kind: 'aborted', detail: 'the crawl is over' } : failureOf(error),
      }),
    );
    const endMs = clock.nowMs();
    const wire = { rawBody: answer.body, address: '', startMs, endMs, connectMs: 0 };
    return { ...answer, ...wire, staleConnection: false, unreached: false };
  };

  return {
    request(request) {
      const made = exchange(request).finally(() => inFlight.delete(made));
      inFlight.add(made);
      return made;
    },
    stats: () => ({ origins: 0, inFlight: inFlight.size }),
    async close() {
      closing.abort();
      await Promise.all(inFlight);
    },
  };
}

async function answered(
  ask: FetchFunction,
  { url, headers: given, wants, sink }: HttpRequest,
  bytesMax: number,
  signal: AbortSignal,
  elapsedMs: () => number,
): Promise<Answer> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < given.length; i += 2) if (given[i] !== 'accept-encoding') headers[given[i]!] = given[i + 1]!;
  const response = await orAborted(ask(url, { redirect: 'manual', headers, signal }), signal);
  const { status } = response;
  const received = [...response.headers].filter(([name]) => name !== 'content-encoding').flat();
  const head = { status, headers: received, firstByteMs: elapsedMs(), failure: null };
  const reader = response.body?.getReader();
  if (reader === undefined) return { ...head, body: Buffer.alloc(0), truncated: false };
  const enough = () => void reader.cancel().catch(() => {});
  if (wants?.(status, received) === false) {
    enough();
    return { ...head, body: Buffer.alloc(0), truncated: false };
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // One byte beyond the limit distinguishes a longer body from one that ends there.
  while (bytes <= bytesMax) {
    const { done, value } = await orAborted(reader.read(), signal);
    if (done) return { ...head, body: Buffer.concat(chunks), truncated: false };
    bytes += value.length;
    if (sink === undefined) chunks.push(value);
    else if (!(await written(sink, value, signal))) break;
  }
  enough();
  return { ...head, body: Buffer.concat(chunks).subarray(0, bytesMax), truncated: true };
}

/** False: the receiver wants no more. */
async function written(
  sink: NonNullable<HttpRequest['sink']>,
  chunk: Uint8Array,
  signal: AbortSignal,
): Promise<boolean> {
  if (sink.destroyed) return false;
  if (sink.write(chunk)) return true;
  await Promise.race([once(sink, 'drain', { signal }), once(sink, 'close', { signal })]);
  return !sink.destroyed;
}

/** A supplied fetch may ignore its signal. */
function orAborted<T>(wait: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    wait.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Meaning of an error of a custom fetch. */
function failureOf(error: unknown): { readonly kind: FailureKind; readonly detail: string } {
  const { code: given, name, message } = causeOf(error);
  // The code of a DOMException is a number that adds nothing to its name.
  const code = typeof given === 'string' ? given : '';
  const detail = code === '' || message.includes(code) ? message : `${message} (${code})`;
  return { kind: kindOf(code, name), detail };
}

function kindOf(code: string, name: string): FailureKind & OutcomeKind {
  if (/^(ENOTFOUND|EAI_AGAIN|ENODATA)$/.test(code)) return 'dnsFailed';
  if (name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(code)) return 'timeout';
  if (/^ERR_(SSL|TLS)|CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)) return 'tlsFailed';
  return 'connectionFailed';
}

/** fetch wraps what went wrong, and several addresses fail together. */
function causeOf(error: unknown): { readonly code?: unknown; readonly name: string; readonly message: string } {
  if (!(error instanceof Error)) return { name: '', message: String(error) };
  if (error instanceof AggregateError && error.errors[0] instanceof Error) return causeOf(error.errors[0]);
  return error.cause instanceof Error ? causeOf(error.cause) : error;
}
