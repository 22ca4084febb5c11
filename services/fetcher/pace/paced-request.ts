/**
 * The single way to a host: every request is paced here, for pages, robots.txt and their redirects.
 *
 * The steps in order: the host's permit, the address's share, a share of the bandwidth, a slot among the requests in
 * flight, a last check of blocks and the deadline, the request. It goes only to the address of its permit: if nothing
 * answers there, another request with another permit tries the next address of the name. The permit ends with the
 * request, and its completion starts the delay before the next one: max(requested delay, factor × this request's
 * duration (capped)). Sources: Heydon & Najork, "Mercator" (1999), §3.3.
 */

import type { ServerError } from '../../../topology/fleet/host-times.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Resolver } from '../connect/resolver.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { HttpClient, HttpRequest, HttpResponse } from '../http/client.ts';
import { retryAfterMsOf } from '../http/outcomes.ts';
import type { AddressPacer, AddressPermit } from './address-pacer.ts';
import type { Bandwidth } from './bandwidth.ts';
import type { GrantClock } from './grant-clock.ts';
import type { OwnNetwork } from './own-network.ts';
import type { Pacer } from './pacer.ts';
import type { Slots } from './slots.ts';

export interface RequestPath {
  /** Clock of deadlines. */
  readonly clock: GrantClock;
  /** Clock of the pacers, which grants do not move. */
  readonly ownClock: Clock;
  readonly http: HttpClient;
  readonly pacer: Pacer;
  readonly addressPacer: AddressPacer;
  readonly resolver: Resolver;
  readonly slots: Slots;
  readonly bandwidth: Bandwidth;
  /** Absent: it is always there. */
  readonly network?: OwnNetwork | undefined;
  /** Is the host blocked by now? */
  readonly isBlocked: (hostKey: string) => boolean;
  /**
   * The delay that policy and orders ask for by now, ms: a longer one than the lease's holds from the next request on. Absent: the
   * lease's.
   */
  readonly delayNowMs?: (hostKey: string) => number;
  /** Is the host this process's? Absent: all are. */
  readonly mayContact?: (hostKey: string) => boolean;
  /** Sees every response, for archives. Absent: no consumer wants them. */
  readonly onResponse?: (request: PacedRequest, response: HttpResponse, noArchiveFromMs?: number) => void;
  /** Called for responses that are not archived after all. */
  readonly onUnpublished?: (response: HttpResponse) => void;
  /** Aborts at shutdown: nothing new starts. */
  readonly signal: AbortSignal;
}

export interface PacedRequest extends HttpRequest {
  readonly hostKey: string;
  /** Shortest time from the completion of the last contact to this start, ms. */
  readonly delayMs: number;
  readonly delayFactor: number;
  /**
   * Crawl-delay in the host's robots.txt, a part of the delay that binds all leases of the host, ms; 0 or absent: none.
   */
  readonly crawlDelayMs?: number;
  /** No start after this, ms since the Unix epoch. */
  readonly latestStartMs: number;
  /** Called for each request that was made. `addressDelayMs`: time kept between starts at its address; 0: no limit. */
  readonly record: (response: HttpResponse, addressDelayMs: number) => void;
  /** Purpose of the request, for records. Absent: another one. */
  readonly kind?: 'page' | 'robots' | 'sitemap' | 'requisite';
  /** Links from a seed. Absent: unknown. */
  readonly depth?: number;
  /** Replaces `onResponse`, which is called once the response has been read. */
  readonly holdsResponse?: ((request: PacedRequest, response: HttpResponse) => void) | undefined;
  /** True if its lease has made a request to the host before. Absent: it has not, or this is not counted. */
  readonly isBegun?: boolean;
  /** Effect of a server error on the host's other crawls. Absent: none. */
  readonly failing?: Omit<ServerError, 'url'> | undefined;
  /** Called once the host may be contacted. False: the request is no longer needed. Absent: it always is. */
  readonly isNeeded?: () => boolean;
  /** Called when the request is made, after all waits. */
  readonly onStart?: () => void;
  /** The URL has failed before: a request without a response then counts as a failure, and is not repeated at once. */
  readonly isRetry?: boolean;
  /**
   * The request carries a payment: it is never repeated once it may have been sent. Absent: a closed idle connection
   * causes a repetition.
   */
  readonly isPaid?: true;
  /** A client that may make the request instead of us. Absent: we make it. */
  readonly by?: By | undefined;
}

/** A client that may make a request instead of us. */
export interface By {
  /** Called once the host may be contacted. null: no client was available in time. */
  turn(): Promise<'us' | 'them' | null>;
  /** Called if it was the client's turn, and the request is not made after all. */
  pass(): void;
  /** Never rejects. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

/**
 * Null: the request was not made, and counts as if it had not been asked for. It could not start in time, is no longer
 * needed, the host is blocked, we are shutting down, or our network is down.
 */
export async function pacedRequest(requestPath: RequestPath, request: PacedRequest): Promise<HttpResponse | null> {
  const back = requestPath.network?.wait(request);
  if (back !== undefined && !(await back)) return null;
  let made = await oneRequest(requestPath, request);
  for (let left = fetcherLimits.repeatsMax; left > 0 && made !== null; left--) {
    // RFC 9112 §9.3.1, RFC 9113 §8.7: a closed idle connection is no sign of a server failure, nor is a request that
    // the server declares unprocessed. The request is repeated after its delay.
    const isStale = request.isPaid !== true && request.isRetry !== true && made.response.staleConnection;
    // The next response is read by the lenient parser. This is not another attempt: the server has answered, and is
    // asked once more at its pace.
    const isMisread = request.isPaid !== true && made.response.misread === true && !hasFilledSink(request, made);
    if (!(isStale || isMisread || isElsewhere(requestPath, request, made))) break;
    const again = await oneRequest(requestPath, request);
    // Without time for the repetition, an unread response is no outcome: the next lease reads it with its first request.
    // The other responses count, because they may come in every lease.
    if (again === null && !isMisread) break;
    made = again;
  }
  const ours = made === null ? undefined : requestPath.network?.judge(request, made.response);
  return ours !== undefined && (await ours) ? null : (made?.response ?? null);
}

interface Made {
  readonly response: HttpResponse;
  /** The address of the request. Undefined: any of its name. */
  readonly address: string | undefined;
}

/**
 * True if a part of the body was written to a sink, and cannot be taken back. Then the caller must repeat the request,
 * with another sink.
 */
function hasFilledSink({ sink }: PacedRequest, { response }: Made): boolean {
  return sink !== undefined && (response.pieces ?? 0) > 0;
}

/** True if nothing answered at the address, and the name has another one. */
function isElsewhere({ resolver }: RequestPath, { url }: PacedRequest, { response, address }: Made): boolean {
  return response.unreached && address !== undefined && resolver.avoid(new URL(url).hostname, address);
}

async function oneRequest(requestPath: RequestPath, request: PacedRequest): Promise<Made | null> {
  const { clock, ownClock, slots, signal } = requestPath;
  const { hostKey, delayFactor, latestStartMs, crawlDelayMs = 0 } = request;
  const permitted = await permitOf(requestPath, request);
  if (permitted === null) return null;
  const { permit, delayMs } = permitted;
  if (request.isNeeded?.() === false) {
    permit.release(0, 0);
    return null;
  }
  const turn = request.by === undefined ? 'us' : await request.by.turn();
  const by = turn === 'them' ? request.by : undefined;
  const wanted = turn === null ? null : addressPermit(requestPath, request);
  const place = wanted instanceof Promise ? await wanted : wanted;
  if (place === null) {
    by?.pass();
    permit.release(0, 0);
    return null;
  }
  const bytes = requestPath.bandwidth.take(latestStartMs - clock.aheadMs, signal);
  const passage = bytes instanceof Promise ? await bytes : bytes;
  if (passage === null) {
    by?.pass();
    place?.pass();
    permit.release(0, 0);
    return null;
  }
  // Requests of clients need no socket of ours.
  if (by === undefined) await slots.take();
  const mayStart = () => !requestPath.isBlocked(hostKey) && requestPath.mayContact?.(hostKey) !== false;
  if (signal.aborted || clock.nowMs() > latestStartMs || !mayStart()) {
    if (by === undefined) slots.release();
    by?.pass();
    passage.received(0);
    place?.pass();
    permit.release(0, 0);
    return null;
  }
  // Making a connection takes a while, and longer if this process is stopped meanwhile: it checks again.
  const allowed = place === undefined ? { mayStart, ...request } : { mayStart, address: place.address, ...request };
  request.onStart?.();
  const pending = (by ?? requestPath.http).request(allowed);
  // Reported after the request: a client that is new to an origin takes its time to start.
  place?.start();
  const response = await pending;
  passage.received(Math.max(response.rawBody.length, response.kept?.length ?? 0));
  if (by === undefined) slots.release();
  // They report it some time after its end.
  const endMs = by === undefined ? ownClock.nowMs() : response.endMs - clock.aheadMs;
  const adaptiveMs = adaptiveDelayMs(delayFactor, response);
  const keptMs = requestPath.delayNowMs === undefined ? delayMs : crawlDelayMs;
  permit.release(endMs, Math.max(delayMs, adaptiveMs), response, Math.max(keptMs, adaptiveMs));
  request.record(response, place?.apartMs ?? 0);
  (request.holdsResponse ?? requestPath.onResponse)?.(request, response);
  return { response, address: place?.address };
}

/** The host's permit, and the delay with which it was taken: a longer one may be ordered while the request waits. */
async function permitOf(requestPath: RequestPath, request: PacedRequest) {
  const { clock, pacer } = requestPath;
  const { hostKey, delayFactor, latestStartMs, crawlDelayMs = 0, url, isBegun = false, failing } = request;
  const serverError = failing && { url, isFirstTry: failing.isFirstTry, most: failing.most };
  const asked = { delayFactor, crawlDelayMs, isBegun, failing: serverError };
  const delayNowMs = () => Math.max(request.delayMs, requestPath.delayNowMs?.(hostKey) ?? 0);
  for (let delayMs = delayNowMs(); ; delayMs = delayNowMs()) {
    const permit = await pacer.acquire(hostKey, delayMs, latestStartMs - clock.aheadMs, crawlDelayMs > 0, asked);
    if (permit === null || delayNowMs() <= delayMs) return permit && { permit, delayMs };
    permit.release(0, 0);
  }
}

/**
 * A pause that was asked for in an answer: the host's next permit waits for it, whatever the request. The frontier
 * learns of it with the lease's results, and until then only this fetcher can keep it.
 */
export function keepPause({ pacer, ownClock }: RequestPath, hostKey: string, response: HttpResponse): void {
  if (response.status < 300) return;
  const pauseMs = retryAfterMsOf(response);
  if (pauseMs > 0) pacer.hold(hostKey, ownClock.nowMs() + pauseMs + 1);
}

/**
 * Undefined: no permit is needed. With a delay of 0, the user says that the host, and so its address, may be contacted
 * at will. Null: there was no permit in time.
 */
type Place = (AddressPermit & { readonly address: string }) | undefined | null;

function addressPermit(requestPath: RequestPath, request: PacedRequest): Place | Promise<Place> {
  if (request.delayMs === 0 || !requestPath.addressPacer.active) return undefined;
  return permitAtAddress(requestPath, request);
}

async function permitAtAddress(requestPath: RequestPath, request: PacedRequest): Promise<Place> {
  const { hostname, port, protocol } = new URL(request.url);
  const resolution = await requestPath.resolver.resolve(hostname, Number(port || (protocol === 'https:' ? 443 : 80)));
  // A name that can't be resolved makes the request fail, by the same cached answer.
  if (!resolution.ok || resolution.overridden) return undefined;
  const latestStartMs = request.latestStartMs - requestPath.clock.aheadMs;
  const address = resolution.addresses[0]!;
  const permit = await requestPath.addressPacer.acquire(
    address,
    latestStartMs,
    requestPath.signal,
    request.connections,
  );
  return permit === null ? null : { address, ...permit };
}

function adaptiveDelayMs(factor: number, response: HttpResponse): number {
  const durationMs = response.endMs - response.startMs;
  return Math.min(Math.round(factor * durationMs), fetcherLimits.adaptiveDelayMaxMs);
}
