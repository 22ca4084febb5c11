/**
 * The fetcher's HTTP client: one request, never following redirects, within limits. Only this file, its exchange, its
 * origins, its connector and its proxy tunnel know undici, which speaks HTTP/1.1; HTTP/2 is in h2-connection.ts.
 *
 * Connections are kept alive, one per origin and address by default, and only the most recently used origins keep
 * theirs, so the number of open sockets is bounded whatever the number of hosts. Requests to one origin go out one after
 * another per connection. Failures are values; `request` never rejects.
 */

import type { Writable } from 'node:stream';
import { canParse } from '../../../topology/url/can-parse.ts';
import { isBlockedPort, portOf } from '../../../topology/url/ports.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createConnectors, plainHost } from '../connect/connector.ts';
import type { ProxyChoice } from '../connect/proxy-choice.ts';
import { type ProxyServer, proxyAuthorization, takesWholeUrls } from '../connect/proxy-tunnel.ts';
import type { Resolver } from '../connect/resolver.ts';
import { BodyRoom } from './body-room.ts';
import { type Decoded, decodeBody } from './content-coding.ts';
import { createDeadlineWatch } from './deadline-watch.ts';
import { Exchange, type ExchangeLimits } from './exchange.ts';
import { type Headers, headerOf, listOf } from './headers.ts';
import type { BodyArchive } from './kept-body.ts';
import { lenientLimits } from './lenient-limits.ts';
import { createLoopTurns } from './loop-turns.ts';
import { closeIdle, createOrigins, type Origin } from './origins.ts';
import { requestLimits } from './request-limits.ts';
import type { RequestManner, RequestRules } from './request-rules.ts';
import type { SentRequest } from './sent-request.ts';
import type { Signer } from './web-bot-auth.ts';
import type { WireResponse } from './wire-response.ts';

export interface HttpRequest {
  /** Absolute, http or https, normalised: without user, with a path that is percent-encoded. */
  readonly url: string;
  /** Names and values alternating. The client adds Host and Connection. */
  readonly headers: Headers;
  /** The address to connect to, from the resolver's permit. Absent: any address of the name that answers. */
  readonly address?: string;
  /** Simultaneous requests to the origin. Absent: the client's setting. */
  readonly connections?: number;
  /** Body bytes kept, on the wire and after decoding. Absent: `limits.bodyBytesMax`. */
  readonly bodyBytesMax?: number;
  /** Called with status and headers: true if the body is to be read. Absent: it is. */
  readonly wants?: (status: number, headers: Headers) => boolean;
  /**
   * Takes a wanted body as a stream, in its content coding; the response then has no body. Not closed by the client.
   */
  readonly sink?: Writable;
  /** Asked when there is a connection, and the request is about to be written: false ends it as one that was aborted. Absent: it may. */
  readonly mayStart?: () => boolean;
}

export interface HttpResponse extends WireResponse {
  /** Decoded. */
  readonly body: Buffer;
  /** As received, still in its content coding. */
  readonly rawBody: Buffer;
  /** Over TLS, from a host with disabled certificate checks. */
  readonly unverified?: true;
}

export interface HttpClient {
  request(request: HttpRequest): Promise<HttpResponse>;
  stats(): { readonly origins: number; readonly inFlight: number };
  /** Aborts requests in flight (`aborted`) and closes every connection. */
  close(): Promise<void>;
}

export interface HttpClientOptions {
  readonly clock: Clock;
  readonly resolver: Resolver;
  readonly limits?: Partial<ExchangeLimits>;
  readonly connectionsPerOrigin?: number;
  /** Use HTTP/2 if a server offers it (ALPN). Default: yes. */
  readonly http2?: boolean;
  /** Rules for hosts and URLs with requests that differ from a plain GET. Absent: none. */
  readonly rules?: RequestRules;
  /** Certificates trusted beside the system's, PEM. */
  readonly ca?: string;
  /** Names and addresses, in lower case, without certificate checks. */
  readonly insecureHosts?: ReadonlySet<string>;
  /** Signs each request. Absent: none is signed. */
  readonly signer?: Signer;
  /** Copies of bodies for archives. Absent: none. */
  readonly archive?: BodyArchive;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  return new UndiciClient(options);
}

/** Its public acts are fields, since callers wrap a client by spreading it: `{ ...client, request }`. */
class UndiciClient implements HttpClient {
  readonly #options: HttpClientOptions;
  readonly #limits: ExchangeLimits;
  readonly #openOrigin: ReturnType<typeof createOrigins>;
  readonly #watch = createDeadlineWatch();
  readonly #room: BodyRoom;
  readonly #turns = createLoopTurns(requestLimits.readMsOfTurn);
  readonly #inFlight = new Set<Exchange>();
  /** In order of last use. */
  readonly #origins = new Map<string, Origin>();
  /** Origins with responses that the strict parser refused, in that order. */
  readonly #lenient = new Set<string>();

  constructor(options: HttpClientOptions) {
    this.#options = options;
    this.#limits = { ...requestLimits, ...options.limits };
    const { resolver, ca, insecureHosts, http2 = true } = options;
    const connectors = createConnectors({
      resolver,
      timeoutMs: this.#limits.connectTimeoutMs,
      ...(ca === undefined ? {} : { ca }),
      ...(insecureHosts === undefined ? {} : { insecureHosts }),
    });
    this.#openOrigin = createOrigins(connectors, this.#limits, http2);
    this.#room = new BodyRoom(this.#limits.bodiesBytesMax);
  }

  #originFor(name: string, proxy: ProxyServer | null, { connections: wanted, address }: HttpRequest): Origin {
    const connections = Math.max(wanted ?? 1, this.#options.connectionsPerOrigin ?? 1);
    const pinned = proxy?.resolves === true ? '' : (address ?? '');
    // A kept connection serves requests to its own address only, whatever its name resolves to by then.
    const strict = proxy === null && pinned === '' ? name : `${name} ${pinned} ${proxy?.label ?? ''}`;
    const isLenient = this.#lenient.size > 0 && this.#lenient.has(name);
    const way = isLenient ? `${strict} lenient` : strict;
    const known = this.#origins.get(way);
    if (known !== undefined) this.#origins.delete(way);
    if (known !== undefined && known.connections >= connections) {
      this.#origins.set(way, known);
      return known;
    }
    // Requests in progress are completed.
    void known?.dispatcher.close();
    closeIdle(this.#origins, this.#limits.clientsMax);
    const opened = this.#openOrigin(name, proxy, pinned, connections, isLenient);
    this.#origins.set(way, opened);
    return opened;
  }

  #exchange(
    request: HttpRequest,
    bodyBytesMax: number,
    origin: Origin,
    path: string,
    manner: RequestManner | undefined,
    totalTimeoutMs = this.#limits.totalTimeoutMs,
  ): Promise<WireResponse> {
    return new Promise((resolve) => {
      const sent = sentBy(request, path, manner, this.#options, origin.lenient);
      const { method, headers, body } = sent;
      origin.inFlight += 1;
      const started = new Exchange({
        connection: origin,
        limits: totalTimeoutMs === this.#limits.totalTimeoutMs ? this.#limits : { ...this.#limits, totalTimeoutMs },
        clock: this.#options.clock,
        bodyBytesMax,
        room: this.#room,
        wants: request.wants ?? everything,
        sink: request.sink,
        sent,
        archive: this.#options.archive,
        mayStart: request.mayStart,
        settle: (response, settled) => {
          origin.inFlight -= 1;
          if (origin.connections === 1) origin.idleSinceMs = performance.now();
          this.#watch.remove(settled);
          this.#inFlight.delete(settled);
          const given = response.misread === true ? this.#misread(response, request.url, method, origin) : response;
          const read = () => {
            settled.free();
            resolve(given);
          };
          const turn = this.#turns.take();
          if (turn === undefined) read();
          else void turn.then(read);
        },
      });
      this.#inFlight.add(started);
      this.#watch.add(started);
      origin.dispatcher.dispatch({ path, method, body, headers }, started);
    });
  }

  /** The next answer of its origin goes to the lenient reader. */
  #misread(response: WireResponse, url: string, method: string, strict: Origin): WireResponse {
    this.#lenient.add(originOf(url));
    for (const [way, origin] of this.#origins) if (origin === strict) this.#origins.delete(way);
    void strict.dispatcher.close();
    if (this.#lenient.size > lenientLimits.originsMax) this.#lenient.delete(this.#lenient.values().next().value!);
    // RFC 9110 §9.2.2: a request that may have changed something is not sent twice.
    if (method === 'GET' || method === 'HEAD') return response;
    const { misread: _, ...once } = response;
    return once;
  }

  /**
   * Sends through the first proxy that accepts the request. A refusal by a proxy is not a contact with the host, so the
   * next one may be tried at once.
   */
  async #proxied(
    request: HttpRequest,
    bodyBytesMax: number,
    target: Target,
    manner: RequestManner,
    choice: ProxyChoice,
  ): Promise<WireResponse> {
    let failed: WireResponse | undefined;
    /** Proxies with a failure that may be the host's. */
    const doubtful: { readonly proxy: ProxyServer; readonly response: WireResponse }[] = [];
    const startMs = performance.now();
    for (let tries = 0; tries < proxyTriesMax; tries++) {
      const leftMs = this.#limits.totalTimeoutMs - (performance.now() - startMs);
      const proxy =
        leftMs < this.#limits.connectTimeoutMs && tries > 0
          ? null
          : choice.next(
              target.hostname,
              doubtful.map((one) => one.proxy),
            );
      if (proxy === null) break;
      const whole = takesWholeUrls(proxy, target.origin.slice(0, 5));
      const path = whole ? target.origin + target.path : target.path;
      const theirs = whole ? withProxyAuthorization(manner, proxy) : manner;
      const origin = this.#originFor(target.origin, proxy, request);
      const response = await this.#exchange(request, bodyBytesMax, origin, path, theirs, leftMs);
      if (whole && response.status === 407) failed = notLetIn(response, proxy);
      else if (response.failure?.maybeHost === true) {
        doubtful.push({ proxy, response });
        continue;
      } else if (response.failure?.kind === 'proxyFailed') failed = response;
      else {
        // A request that we cancelled shows nothing about the proxy.
        if (response.failure?.kind === 'aborted') return response;
        choice.worked(proxy, target.hostname);
        // The host answers, so earlier requests failed on their own.
        if (response.status > 0) for (const one of doubtful) choice.failed(one.proxy, whyOf(one.response, one.proxy));
        return response;
      }
      choice.failed(proxy, whyOf(failed, proxy));
    }
    for (const { proxy, response } of doubtful) {
      // It works for others, and this host it does not reach.
      if (choice.hasWorked(proxy, target.hostname)) return unreachedThrough(response);
      choice.failed(proxy, whyOf(response, proxy));
      failed ??= response;
    }
    return failed ?? refused(this.#options.clock.nowMs(), 'proxyFailed', 'every proxy has failed within the last 30 s');
  }

  readonly request: HttpClient['request'] = async (request) => {
    const bodyBytesMax = request.bodyBytesMax ?? this.#limits.bodyBytesMax;
    const target = splitUrl(request.url, this.#origins);
    if (target === null)
      return refused(this.#options.clock.nowMs(), 'refused', `not an http or https URL: ${request.url.slice(0, 80)}`);
    const port = portOf(target.origin);
    if (isBlockedPort(port)) return refused(this.#options.clock.nowMs(), 'refused', `port ${port} is not for the web`);
    const sessions = this.#options.rules?.sessions;
    const session = sessions?.keeps(target.hostname) === true ? sessions : undefined;
    const ruled = this.#options.rules?.mannerOf(request.url, target.hostname);
    const manner = session === undefined ? ruled : session.withCookies(request.url, ruled);
    const response = manner?.proxies
      ? await this.#proxied(request, bodyBytesMax, target, manner, manner.proxies)
      : await this.#exchange(request, bodyBytesMax, this.#originFor(target.origin, null, request), target.path, manner);
    const isUnverified =
      this.#options.insecureHosts?.has(plainHost(target.hostname)) === true && target.origin.startsWith('https:');
    const answered =
      request.sink === undefined ? decoded(response, bodyBytesMax) : { ...response, rawBody: response.body };
    const withCookies = session === undefined ? answered : session.keep(request.url, await answered);
    return isUnverified ? { ...(await withCookies), unverified: true } : withCookies;
  };

  readonly stats: HttpClient['stats'] = () => ({ origins: this.#origins.size, inFlight: this.#inFlight.size });
  readonly close: HttpClient['close'] = async () => {
    for (const one of this.#inFlight) one.abort();
    const open = [...this.#origins.values()];
    this.#origins.clear();
    await Promise.all(open.map((origin) => origin.dispatcher.destroy()));
  };
}

/** Proxies tried for one request. */
const proxyTriesMax = 3;

function sentBy(
  { url, headers: usual }: HttpRequest,
  target: string,
  manner: RequestManner | undefined,
  { signer, clock }: HttpClientOptions,
  closes: boolean,
): SentRequest {
  const { method, body, secrets } = manner ?? plainManner;
  // RFC 9110 §13.1.2: a failed condition of a method other than GET is answered with 412.
  const wanted = method === 'GET' ? usual : unconditional(usual);
  const plain = manner === undefined ? wanted : beside(wanted, manner.headers);
  const headers = signer === undefined ? plain : [...plain, ...signer.headers(method, url, clock.nowMs(), plain)];
  return closes ? { method, target, headers, body, secrets, closes } : { method, target, headers, body, secrets };
}

const plainManner: RequestManner = { method: 'GET', body: null, headers: [], secrets: [], proxies: null };

function unconditional(headers: Headers): Headers {
  const isCondition = (at: number) => /^if-(none-match|modified-since)$/.test(headers[at - (at % 2)]!);
  return headers.some((_, at) => isCondition(at)) ? headers.filter((_, at) => !isCondition(at)) : headers;
}

/** Headers of a rule, over the usual ones of the same name. */
function beside(usual: Headers, ruled: Headers): Headers {
  const headers: string[] = [];
  for (let i = 0; i < usual.length; i += 2) {
    if (headerOf(ruled, usual[i]!) === '') headers.push(usual[i]!, usual[i + 1]!);
  }
  return [...headers, ...ruled];
}

function withProxyAuthorization(manner: RequestManner, proxy: ProxyServer): RequestManner {
  const authorization = proxyAuthorization(proxy);
  if (authorization === '') return manner;
  return { ...manner, headers: [...manner.headers, 'proxy-authorization', authorization] };
}

function whyOf({ failure }: WireResponse, proxy: ProxyServer): string {
  return failure?.detail ?? `proxy ${proxy.label} fails`;
}

function unreachedThrough(response: WireResponse): WireResponse {
  return { ...response, failure: { kind: 'connectionFailed', detail: response.failure?.detail ?? '' } };
}

function notLetIn(response: WireResponse, proxy: ProxyServer): WireResponse {
  const detail = `proxy ${proxy.label} answered 407: it needs a user and a password`;
  return { ...response, status: 0, headers: [], body: Buffer.alloc(0), failure: { kind: 'proxyFailed', detail } };
}

function everything(): boolean {
  return true;
}

interface Target {
  readonly origin: string;
  readonly hostname: string;
  readonly path: string;
}

/** Splits the URL without a parser: it is normalised, and parsing it again would cost as much as sending it. */
function splitUrl(url: string, known: ReadonlyMap<string, unknown>): Target | null {
  const start = url.startsWith('http://') ? 7 : url.startsWith('https://') ? 8 : 0;
  if (start === 0) return null;
  const hash = url.indexOf('#', start);
  const whole = hash === -1 ? url : url.slice(0, hash);
  const slash = whole.indexOf('/', start);
  const origin = slash === -1 ? whole : whole.slice(0, slash);
  // Our own reading of the authority must agree with the URL standard's, or a guard could be bypassed.
  if (!known.has(origin) && (!canParse(origin) || new URL(origin).origin !== origin)) return null;
  const colon = origin.indexOf(':', Math.max(start, origin.lastIndexOf(']')));
  const hostname = colon === -1 ? origin.slice(start) : origin.slice(start, colon);
  return { origin, hostname, path: slash === -1 ? '/' : whole.slice(slash) };
}

/** `url`: one that `splitUrl` has accepted. */
function originOf(url: string): string {
  const slash = url.indexOf('/', url.indexOf('//') + 2);
  return slash === -1 ? url : url.slice(0, slash);
}

function decoded(response: WireResponse, bodyBytesMax: number): HttpResponse | Promise<HttpResponse> {
  if (response.failure !== null) return { ...response, rawBody: response.body };
  const withBody = (result: Decoded | { readonly error: string }): HttpResponse => {
    const rawBody = response.body;
    if ('error' in result) {
      return { ...response, body: Buffer.alloc(0), rawBody, failure: { kind: 'badResponse', detail: result.error } };
    }
    // Field by field: a spread that adds a field costs 1 to 4 µs.
    return {
      status: response.status,
      headers: response.headers,
      body: result.body,
      rawBody,
      truncated: response.truncated || result.truncated,
      // A body cut at the limit ends early.
      broken: response.broken === true || (result.broken === true && !response.truncated),
      address: response.address,
      startMs: response.startMs,
      endMs: response.endMs,
      connectMs: response.connectMs,
      firstByteMs: response.firstByteMs,
      failure: null,
      staleConnection: response.staleConnection,
      unreached: response.unreached,
      pieces: response.pieces ?? 0,
      wire: response.wire,
      kept: response.kept,
    };
  };
  const result = decodeBody(response.body, listOf(response.headers, 'content-encoding'), bodyBytesMax);
  return result instanceof Promise ? result.then(withBody) : withBody(result);
}

function refused(nowMs: number, kind: 'refused' | 'proxyFailed', detail: string): HttpResponse {
  return {
    status: 0,
    headers: [],
    body: Buffer.alloc(0),
    rawBody: Buffer.alloc(0),
    truncated: false,
    address: '',
    startMs: nowMs,
    endMs: nowMs,
    connectMs: 0,
    firstByteMs: 0,
    failure: { kind, detail },
    staleConnection: false,
    unreached: false,
  };
}
