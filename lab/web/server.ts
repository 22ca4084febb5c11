/**
 * The synthetic web on real sockets: one listening socket on 127.0.0.1 serves all hosts by their Host header.
 *
 * A web planned with `naming: 'addresses'` gets a socket for each host, on addresses that only Linux gives out freely.
 * Every request is recorded (records.ts defines its times). A client that breaks off costs nothing.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { answerWithMalice } from './hostile.ts';
import type { WebPlan } from './plan.ts';
import { createRequestLog, type RequestRecord } from './records.ts';
import { createResponder } from './responses.ts';

export interface WebServerOptions {
  /** Address to listen on. Default 127.0.0.1. */
  readonly address?: string;
  /** 0, the default: any free port. */
  readonly port?: number;
  /** Listen on the address of each host too. Default: when hosts are named by address. */
  readonly addresses?: boolean;
  /** Requests remembered at most. Default 4 million, about 400 MB when full. */
  readonly recordsMax?: number;
  /** JSON lines are appended here, a line per finished request. */
  readonly logFile?: string;
  /** Certificate and key of a web over TLS, in PEM. */
  readonly tls?: { readonly key: Buffer; readonly cert: Buffer };
  /** Answers requests to 127.0.0.1 or localhost itself. */
  readonly control?: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface RunningWeb {
  readonly port: number;
  /** In order of arrival; a snapshot. */
  requests(): RequestRecord[];
  /** Requests beyond `recordsMax`. */
  readonly dropped: number;
  /** Forgets all requests, and flaky URLs fail once more. */
  reset(): void;
  /** Breaks open connections. */
  close(): Promise<void>;
}

const recordsMaxDefault = 4_000_000;
const own = new Set(['127.0.0.1', 'localhost', '[::1]']);
const { timeOrigin } = performance;
const nowMs = () => timeOrigin + performance.now();

const forever = { keepAlive: true, noDelay: true, requestTimeout: 0, headersTimeout: 0 } as const;

function createServerOf(
  { options }: WebPlan,
  tls: WebServerOptions['tls'],
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  if (options.tls === 0) return createServer(forever, handle);
  if (tls === undefined) throw new RangeError('tls: a web over TLS needs a key and a certificate');
  if (options.tls === 1) return createTlsServer({ ...forever, ...tls }, handle);
  // Its requests and responses look like those of HTTP/1.1 (Node's compatibility API).
  return createSecureServer({ ...tls, allowHTTP1: true }, handle as never) as unknown as Server;
}

/** @throws the error of `listen`, such as EADDRINUSE, once nothing is left listening. */
export async function startWeb(plan: WebPlan, options: WebServerOptions = {}): Promise<RunningWeb> {
  const log = createRequestLog(options.recordsMax ?? recordsMaxDefault, options.logFile);
  const responder = createResponder(plan);
  const { control } = options;
  let port = options.port ?? 0;

  const handle = (request: IncomingMessage, response: ServerResponse) => {
    const startMs = nowMs();
    const authority = request.headers.host ?? String(request.headers[':authority'] ?? '');
    const colon = authority.lastIndexOf(':');
    const name = (colon < 0 || authority.endsWith(']') ? authority : authority.slice(0, colon)).toLowerCase();
    // A proxy's absolute form is accepted as the URL of the host in its authority (RFC 9112 §3.2.2).
    const target = originForm(request.url ?? '/');
    const host = plan.hostOf(name);
    if (host < 0 && control !== undefined && own.has(name)) return control(request, response);

    const path = host < 0 ? `//${authority}${target}` : target;
    const slot = log.start(host, path, request.headers['user-agent'] ?? '', startMs);
    response.on('error', () => {});
    if (host < 0) return send(421, ['Content-Type', 'text/plain'], Buffer.from('No such host here.\n'));

    const resource = plan.resolve(host, target);
    const malice = plan.traits(host).hostile;
    if (malice !== undefined && resource?.kind === 'hostile') {
      const { socket } = request;
      const writtenBefore = socket.bytesWritten;
      let over = false;
      const finish = () => {
        if (over) return;
        over = true;
        const socketBytes = socket.bytesWritten - writtenBefore;
        log.finish(slot, nowMs(), socketBytes === 0 ? 0 : response.statusCode, socketBytes, !response.writableFinished);
      };

      response.once('finish', finish).once('close', finish);
      answerWithMalice(malice, request, response, target);
      return;
    }

    const { headers } = request;
    const answer = responder.answer(
      {
        host,
        target,
        port,
        gzip: /\bgzip\b/.test(String(headers['accept-encoding'] ?? '')),
        ifNoneMatch: headers['if-none-match'],
        ifModifiedSince: headers['if-modified-since'],
      },
      resource,
    );
    if (answer.waitMs === 0) return send(answer.status, answer.headers, answer.body);
    const timer = setTimeout(() => send(answer.status, answer.headers, answer.body), answer.waitMs);
    response.once('close', () => {
      clearTimeout(timer);
      if (!response.headersSent) log.finish(slot, nowMs(), 0, 0, true);
    });

    function send(status: number, fields: string[], body: Buffer): void {
      if (status !== 304) fields.push('Content-Length', String(body.length));
      response.writeHead(status, fields);
      const bytes = request.method === 'HEAD' || status === 304 ? 0 : body.length;
      const beforeMs = nowMs();
      response.end(bytes === 0 ? undefined : body);
      const { socket } = response;
      if (socket !== null && socket.writableLength === 0) {
        log.finish(slot, beforeMs, status, bytes, false);
        return;
      }
      let over = false;
      const finish = () => {
        if (over) return;
        over = true;
        log.finish(slot, nowMs(), status, bytes, !response.writableFinished);
      };
      response.once('finish', finish).once('close', finish);
    }
  };

  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  const listen = async (address: string): Promise<void> => {
    const server = createServerOf(plan, options.tls, handle);
    // A crawler that keeps its delay must find its connection still open.
    server.keepAliveTimeout = 120_000;
    server.on('clientError', (_error, socket) => {
      if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host: address, backlog: 1024 }, () => resolve());
    });
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    servers.push(server);
    port = (server.address() as AddressInfo).port;
  };
  const close = async () => {
    await Promise.all(
      servers.map((server) => {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections?.();
        for (const socket of sockets) socket.destroy();
        return closed;
      }),
    );
    await log.close();
  };
  try {
    await listen(options.address ?? '127.0.0.1');
    if (options.addresses ?? plan.options.naming === 'addresses')
      for (const address of plan.hosts) await listen(address);
  } catch (error) {
    await close();
    throw error;
  }

  return {
    port,
    requests: () => [...log.records()],
    get dropped() {
      return log.dropped;
    },
    reset() {
      log.clear();
      responder.reset();
    },
    close,
  };
}

function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const match = /^https?:\/\/[^/?#]*(.*)$/i.exec(target);
  if (match === null) return '/';
  return match[1]!.startsWith('/') ? match[1]! : `/${match[1]!}`;
}
