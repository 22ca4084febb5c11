/**
 * The connections to one origin by one route: one at a time by default, kept alive, HTTP/2 if the server chose it.
 *
 * The protocol of a server is known after a handshake (ALPN), so the first request of an origin waits for it. A
 * connection with HTTP/1.1 is passed to undici. A server that requires HTTP/1.1 (RFC 9113 §7) is not offered HTTP/2
 * again.
 */
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { Client, type Dispatcher, Pool } from 'undici';
import type { ConnectorFor } from '../connect/connector.ts';
import type { ProxyServer } from '../connect/proxy-tunnel.ts';
import type { ConnectionState, ExchangeLimits } from './exchange.ts';
import { H2Connection, type StreamHandler, type StreamRequest } from './h2-connection.ts';
import { h2Limits } from './h2-limits.ts';
import { LenientSender } from './lenient-sender.ts';
import { GaveUp } from './request-failure.ts';
import { spokenOn } from './sent-request.ts';

/** Sends requests to an origin. */
export interface Sender {
  dispatch(request: StreamRequest, handler: StreamHandler): void;
  /** Closes the connections once the requests in progress have ended. */
  close(): Promise<void>;
  destroy(): Promise<void>;
}

export interface Origin extends ConnectionState {
  readonly dispatcher: Sender;
  readonly connections: number;
  readonly lenient: boolean;
  inFlight: number;
}

/** `address`: the one to connect to; empty: any that answers. `lenient`: use the lenient parser, over HTTP/1.1. */
export type OpenOrigin = (
  name: string,
  proxy: ProxyServer | null,
  address: string,
  connections: number,
  lenient: boolean,
) => Origin;

export function createOrigins(connectors: ConnectorFor, limits: ExchangeLimits, http2: boolean): OpenOrigin {
  const watch = createWatch();
  /** Origins that want HTTP/1.1, in order of their saying so. */
  const http1 = new Set<string>();

  return (name, proxy, address, connections, lenient) => {
    const onConnected = (peer: string, socket: Socket) => {
      socket.once('error', asBreak);
      origin.socket = connections === 1 ? socket : null;
      origin.address = peer;
      // Of several, it is not known which one serves: any may have been idle before. Lenient ones serve once.
      if (connections === 1 || lenient) origin.served = 0;
      origin.spoken = spokenOn(socket, name.startsWith('https:'));
    };
    const connect = (offered: boolean) => connectors(onConnected, proxy, address, offered);
    const openHttp1 = (connector: ReturnType<ConnectorFor>): Sender => {
      const settings = {
        connect: connector,
        pipelining: 1,
        // Our own deadlines cover these two phases, and end slow drips as well as silence.
        headersTimeout: 0,
        bodyTimeout: 0,
        maxHeaderSize: limits.headerBytesMax,
        keepAliveTimeout: limits.keepAliveMs,
        // A server that offers more gets no more.
        keepAliveMaxTimeout: limits.keepAliveMs,
      };
      return http1Sender(connections === 1 ? new Client(name, settings) : new Pool(name, { ...settings, connections }));
    };
    const openSecure = () =>
      new SecureSender({
        name,
        limits,
        watch,
        connect,
        openHttp1,
        wantsHttp1: () => http1.has(name),
        onHttp1Required() {
          http1.add(name);
          if (http1.size > h2Limits.http1OriginsMax) http1.delete(http1.values().next().value!);
        },
      });
    const openStrict = () => (name.startsWith('https:') && http2 ? openSecure() : openHttp1(connect(false)));
    const { headerBytesMax } = limits;
    const dispatcher = lenient
      ? new LenientSender({ name, connect: connect(false), connections, headerBytesMax })
      : openStrict();
    const origin: Origin = { dispatcher, connections, lenient, socket: null, address: '', served: 0, inFlight: 0 };
    return origin;
  };
}

/**
 * undici takes ECONNRESET as the end of a body without a length. Such a body is incomplete after an error of its
 * connection (RFC 9112 §8): without its code, a reset is like any other error.
 */
function asBreak(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') delete error.code;
}

/** Makes room for one more, least recently used first; origins at work stay. */
export function closeIdle(origins: Map<string, Origin>, originsMax: number): void {
  if (origins.size < originsMax) return;
  for (const [name, origin] of origins) {
    if (origin.inFlight > 0) continue;
    origins.delete(name);
    void origin.dispatcher.destroy();
    if (origins.size < originsMax) return;
  }
}

function http1Sender(dispatcher: Dispatcher): Sender {
  return {
    dispatch({ path, method, body, headers }, handler) {
      dispatcher.dispatch(
        { path, method: method as Dispatcher.HttpMethod, body, headers: headers as string[] },
        handler,
      );
    },
    close: () => dispatcher.close(),
    destroy: () => dispatcher.destroy(),
  };
}

/** One timer for all connections. */
interface Watch {
  add(connection: H2Connection): void;
  remove(connection: H2Connection): void;
}

function createWatch(): Watch {
  const connections = new Set<H2Connection>();
  let timer: NodeJS.Timeout | undefined;
  return {
    add(connection) {
      connections.add(connection);
      timer ??= setInterval(() => {
        const nowMs = performance.now();
        for (const one of connections) one.look(nowMs);
      }, h2Limits.lookMs).unref();
    },
    remove(connection) {
      connections.delete(connection);
      if (connections.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    },
  };
}

interface SecureSenderOptions {
  readonly name: string;
  readonly limits: ExchangeLimits;
  readonly watch: Watch;
  readonly connect: (offersHttp2: boolean) => ReturnType<ConnectorFor>;
  readonly openHttp1: (connector: ReturnType<ConnectorFor>) => Sender;
  readonly wantsHttp1: () => boolean;
  readonly onHttp1Required: () => void;
}

interface Waiting {
  readonly request: StreamRequest;
  readonly handler: StreamHandler;
}

class SecureSender implements Sender {
  readonly #options: SecureSenderOptions;
  readonly #all = new Set<H2Connection>();
  /** The newest. */
  #connection: H2Connection | undefined;
  #http1: Sender | undefined;
  /** Requests that wait for a handshake. Undefined: there is none. */
  #waiting: Waiting[] | undefined;
  #isClosed = false;

  constructor(options: SecureSenderOptions) {
    this.#options = options;
  }

  dispatch(request: StreamRequest, handler: StreamHandler): void {
    if (this.#isClosed) return handler.onError(new GaveUp('aborted', 'the connection is closed'));
    if (this.#http1 === undefined && this.#options.wantsHttp1()) this.#openHttp1(null);
    if (this.#http1 !== undefined) return this.#http1.dispatch(request, handler);
    if (this.#connection?.isOpen === true) return this.#connection.request(request, handler);
    if (this.#waiting !== undefined) {
      this.#waiting.push({ request, handler });
      return;
    }
    this.#waiting = [{ request, handler }];
    this.#connect();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const connection of this.#all) connection.retire();
    await this.#http1?.close();
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    const error = new GaveUp('aborted', 'shutting down');
    for (const connection of this.#all) connection.destroy(error);
    this.#connected((handler) => handler.onError(error));
    await this.#http1?.destroy();
  }

  #connect(): void {
    const { host, hostname, port, protocol } = new URL(this.#options.name);
    const target = { host, hostname: hostname.replace(/^\[|\]$/g, ''), port, protocol };
    this.#options.connect(true)(target, (...[error, socket]) => {
      if (error !== null) return this.#connected((handler) => handler.onError(error));
      if (this.#waiting === undefined) {
        // It was destroyed meanwhile.
        socket.destroy();
        return;
      }
      if ((socket as { readonly alpnProtocol?: unknown }).alpnProtocol !== 'h2') {
        const sender = this.#openHttp1(socket);
        this.#connected((handler, request) => sender.dispatch(request, handler));
        if (this.#isClosed) void sender.close();
        return;
      }
      const connection = this.#speak(socket);
      this.#connected((handler, request) => connection.request(request, handler));
      if (this.#isClosed) connection.retire();
    });
  }

  #connected(go: (handler: StreamHandler, request: StreamRequest) => void): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const { request, handler } of waiting) go(handler, request);
  }

  #speak(socket: Socket): H2Connection {
    const { name, limits, watch, onHttp1Required } = this.#options;
    const connection = new H2Connection({
      socket,
      origin: name,
      headerBytesMax: limits.headerBytesMax,
      keepAliveMs: limits.keepAliveMs,
      onHttp1Required,
      onClosed: (closed) => {
        watch.remove(closed);
        this.#all.delete(closed);
        if (this.#connection === closed) this.#connection = undefined;
      },
    });
    this.#all.add(connection);
    watch.add(connection);
    this.#connection = connection;
    return connection;
  }

  /** `socket`: one that is connected already, which is used first. */
  #openHttp1(socket: Socket | null): Sender {
    let ready = socket;
    const connect = this.#options.connect(false);
    this.#http1 = this.#options.openHttp1((target, callback) => {
      const first = ready;
      ready = null;
      // undici misses data that arrives while it asks.
      if (first === null) connect(target, callback);
      else queueMicrotask(() => (first.destroyed ? connect(target, callback) : callback(null, first)));
    });
    return this.#http1;
  }
}
