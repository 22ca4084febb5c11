/**
 * The HTTP server of a service: probes, metrics, and the routes that the service adds.
 *
 * Off unless configured. Every error is JSON: `{"error": CODE, "message": one line}`. A route's `config.access` says
 * who may call it (access.ts). When the server closes, current requests are finished, and idle connections are closed
 * at once. Only this file uses fastify, and only a service that listens loads it.
 */

import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { CrawlstreamError, type ErrorCode } from '../../../topology/errors.ts';
import { type Access, type Opening, refusalOf } from './access.ts';
import { AnswersUnderWay } from './answers-under-way.ts';
import { httpLimits } from './http-limits.ts';
import { addressText, isLoopbackHost, type ListenAddress } from './listen-address.ts';
import type { Probes } from './probes.ts';
import { problem, problemOf, problemOfStatus, refuseConnection } from './refusals.ts';
import { acceptSeveral } from './several-accepts.ts';
import type { TlsPair } from './tls-pair.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Absent: GET and HEAD are reads, all else is control. */
    readonly access?: Access;
    /** Programs call it all the time, so its calls are not logged. */
    readonly often?: true;
    /** Its answer reads much of a log: in a fleet, only for the operator. */
    readonly costly?: true;
  }
}

export type HttpApp = FastifyInstance;
export type HttpRequest = FastifyRequest;
export type HttpReply = FastifyReply;

/** Adds a service's own routes. */
export type Routes = (app: HttpApp) => void;

export interface HttpOptions {
  readonly listen: ListenAddress;
  /** The token that control calls need, and beyond loopback reads, too. Absent: neither is answered beyond loopback. */
  readonly token?: string | undefined;
  /** Calls that need no token beyond loopback. */
  readonly opened?: Opening | undefined;
  /** Absent: plain text. */
  readonly tls?: TlsPair | undefined;
  readonly probes: Probes;
  /** Metrics in the text format of Prometheus, and their content type. */
  readonly metrics: () => Promise<{ readonly type: string; readonly text: string }>;
  readonly routes?: readonly Routes[];
  /** Rewrites the target of a request before routing, for paths that contain whole URLs. Absent: unchanged. */
  readonly rewriteUrl?: ((target: string) => string) | undefined;
  /** Called with an error that is a bug. */
  readonly onBug: (error: unknown) => void;
  /** Called after each call that changed something, or was refused to. */
  readonly onCall?: ((call: AnsweredCall) => void) | undefined;
}

/** A call by an operator, or by a program in their name. */
export interface AnsweredCall {
  /** The caller's `X-Request-Id`, or a generated one; the answer has it in the same header. */
  readonly id: string;
  readonly method: string;
  /** Path without the query, which may contain secrets. */
  readonly path: string;
  readonly status: number;
  readonly ms: number;
  /** The caller's address. */
  readonly remote: string;
}

export interface HttpServer {
  /** `host:port`, with the actual port if any was requested. */
  readonly address: string;
  close(): Promise<void>;
}

/** Rejects with INVALID_ARGUMENT if it cannot listen. */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  const { listen, tls } = options;
  const app = appOf(options);
  let isClosing = false;
  refuseCalls(app, options, () => isClosing);
  limitAnswers(app);
  noteCalls(app, options);
  answerErrors(app, options);
  serveStatus(app, options);
  for (const add of options.routes ?? []) add(app);
  try {
    await app.listen({ host: listen.host, port: listen.port });
  } catch (error) {
    await app.close();
    if (error instanceof CrawlstreamError) throw error;
    const message = `cannot listen on ${addressText(listen)} (${(error as Error).message}): choose another address or port`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
  const server: Server | SecureServer = app.server;
  server.on('checkExpectation', (_, response: ServerResponse) => {
    const body = JSON.stringify(problemOfStatus(417));
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) };
    response.writeHead(417, { ...headers, connection: 'close' }).end(body);
  });
  const endCopies = acceptSeveral(server);
  const unwatch = tls?.watch((pair) => (server as SecureServer).setSecureContext(pair));
  const bound = app.server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : listen.port;
  return {
    address: addressText({ host: listen.host, port }),
    async close() {
      isClosing = true;
      unwatch?.();
      const patience = setTimeout(() => app.server.closeAllConnections(), httpLimits.closeMs);
      await Promise.all([endCopies(), app.close()]);
      clearTimeout(patience);
    },
  };
}

/** The server, without routes. */
function appOf({ tls, rewriteUrl = (target) => target }: HttpOptions) {
  // Node looks for late requests every half minute by default, and gives a head a minute.
  const slow = { headersTimeout: httpLimits.requestMs, connectionsCheckingInterval: httpLimits.checkMs };
  return fastify({
    // `null`: no TLS. The types of fastify know one kind of server or the other.
    https: (tls === undefined ? null : { ...tls.now, ...slow, handshakeTimeout: httpLimits.requestMs }) as null,
    ...(tls === undefined && { http: slow }),
    bodyLimit: httpLimits.bodyBytesMax,
    requestTimeout: httpLimits.requestMs,
    keepAliveTimeout: httpLimits.keepAliveMs,
    forceCloseConnections: 'idle',
    // A process that is stopping says so in the form of all refusals.
    return503OnClosing: false,
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, _, reply) => {
      const status = error.statusCode ?? 400;
      void (reply as HttpReply).code(status).send(problemOf(error, status));
    },
    rewriteUrl: ({ url = '/' }: IncomingMessage) => rewriteUrl(url),
    genReqId: ({ headers }: IncomingMessage) => requestIdOf(textOf(headers['x-request-id'])),
  });
}

type App = ReturnType<typeof appOf>;

/** Refuses calls without the right to them, and all calls while the server closes. */
function refuseCalls(app: App, { listen, token, opened }: HttpOptions, isClosing: () => boolean): void {
  const rules = { loopback: isLoopbackHost(listen.host), token, opened };
  app.addHook('onRequest', async (request, reply) => {
    const { host, origin, authorization } = request.headers;
    reply.header('x-request-id', request.id);
    if (isClosing()) {
      reply.header('retry-after', `${httpLimits.againS}`);
      return reply.code(503).send(problem('STOPPING', stopping));
    }
    const access = request.routeOptions.config.access ?? (/^(GET|HEAD)$/.test(request.method) ? 'read' : 'control');
    const { method } = request;
    const { 'sec-fetch-site': site, 'sec-fetch-dest': dest, 'x-crawlstream': mark } = request.headers;
    const facts = { method, site: textOf(site), dest: textOf(dest), marked: mark !== undefined };
    const refusal = refusalOf(rules, { access, host, origin, authorization, ...facts });
    if (refusal === null) {
      const twice = Object.entries(request.query as object).find(([, value]) => Array.isArray(value));
      if (twice === undefined) return;
      // With repeated parameters, one part of the code could check one value and another part use the other.
      return reply
        .code(400)
        .send(problem('BAD_REQUEST', `the parameter ${twice[0]} is given more than once: send it once`));
    }
    // A refused caller must open a new connection for each further call.
    reply.header('connection', 'close');
    if (refusal.status === 401) reply.header('www-authenticate', 'Bearer');
    return reply
      .code(refusal.status)
      .send(problem(refusal.status === 401 ? 'UNAUTHORIZED' : 'FORBIDDEN', refusal.message));
  });
}

/** Bounds the answers that callers have not read yet. */
function limitAnswers(app: App): void {
  const answers = new AnswersUnderWay();
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
    const caller = request.headers.authorization ?? request.ip;
    if (reply.statusCode >= 400 || answers.add(caller, Buffer.byteLength(payload), reply.raw)) return payload;
    throw Object.assign(new Error('too many responses to this caller are unread: read them first'), {
      statusCode: 429,
      code: 'TOO_MANY',
    });
  });
}

function noteCalls(app: App, { onCall }: HttpOptions): void {
  app.addHook('onResponse', async ({ id, method, url, ip, routeOptions }, { statusCode: status, elapsedTime }) => {
    const { access, often } = routeOptions.config;
    if (onCall === undefined || often || access === 'open' || method === 'GET' || method === 'HEAD') return;
    onCall({ id, method, path: url.split('?')[0]!, status, ms: Math.round(elapsedTime), remote: ip });
  });
}

function answerErrors(app: App, { onBug }: HttpOptions): void {
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send(problem('NOT_FOUND', `there is no endpoint ${request.method} ${request.url.split('?')[0]}`)),
  );
  app.setErrorHandler(
    async (error: Error & { readonly statusCode?: number; readonly code?: string }, request, reply) => {
      if (error instanceof CrawlstreamError) {
        // The store that the request needs is closed already.
        const message = error.code === 'STORE_CLOSED' ? stopping : error.message;
        const status = statusOf(error.code);
        if (status === 503) reply.header('retry-after', `${httpLimits.againS}`);
        return reply.code(status).send(problem(error.code, message));
      }
      const status = error.statusCode ?? 500;
      if (status === 413) await readOut(request.raw);
      if (status < 500) return reply.code(status).send(problemOf(error, status, request.routeOptions.bodyLimit));
      onBug(error);
      return reply.code(500).send(problem('INTERNAL', 'a bug of this service; see its log'));
    },
  );
}

/** Probes and metrics. */
function serveStatus(app: App, { probes, metrics }: HttpOptions): void {
  const facts = { config: { access: 'public' } } as const;
  app.get('/livez', facts, () => ({ status: 'alive' }));
  app.get('/startupz', facts, (_, reply) => probe(probes.started ? null : (probes.waitsFor ?? 'starting'), reply));
  app.get('/readyz', facts, (_, reply) => probe(probes.waitsFor, reply, probes.note));
  app.get('/metrics', { config: { access: 'metrics' } }, async (_, reply) => {
    const { type, text } = await metrics();
    return reply.type(type).send(text);
  });
}

function probe(waitsFor: string | null, reply: { code(status: number): unknown }, note: string | null = null): object {
  if (waitsFor === null) return { status: 'ready', ...(note !== null && { note }) };
  reply.code(503);
  return { status: 'waiting', for: waitsFor };
}

/**
 * Reads and discards the rest of a request. If the connection were closed earlier, it would be reset, and the client
 * would never read the error. The timeout is that of any request.
 */
async function readOut(request: IncomingMessage): Promise<void> {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > httpLimits.refusedBytesMax) request.pause().emit('refused');
  });
  request.resume();
  if (request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error', 'refused']) request.once(event, () => resolve());
  });
}

/** Differs between processes. Random bytes for each request would take more time than its route. */
const idOfProcess = randomBytes(4).toString('hex');
let requests = 0;

/** The caller's own id connects its log to ours. An id that cannot be repeated in a header is replaced. */
function requestIdOf(sent: string | undefined): string {
  if (sent !== undefined && /^[\w.:-]{1,64}$/.test(sent)) return sent;
  requests = (requests + 1) % 2 ** 32;
  return idOfProcess + requests.toString(16).padStart(8, '0');
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'object' ? header[0] : header;
}

const stopping = 'this process is stopping: retry in a moment';

const unavailable: ReadonlySet<ErrorCode> = new Set([
  'OWNERSHIP_LOST',
  'NOT_READY',
  'BUSY',
  'PROCESS_ENDED',
  'STORE_CLOSED',
]);

function statusOf(code: ErrorCode): number {
  if (code.startsWith('INVALID_')) return 400;
  if (code === 'NO_MATCH') return 404;
  if (code === 'NOT_RUNNING') return 409;
  return unavailable.has(code) || code.endsWith('_UNREACHABLE') ? 503 : 500;
}
