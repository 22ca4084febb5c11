/**
 * One HTTP/2 connection (RFC 9113) over Node's session: requests as streams, with the same handler as over HTTP/1.1.
 *
 * Invariants: a response is complete only with END_STREAM, whatever the code of a reset (§8.1). Fields reach the
 * handler one by one, as bytes. A connection takes no new stream once it was shut down (GOAWAY), failed, timed out or
 * left a PING unanswered; the streams that a GOAWAY covers continue to their end (§6.8). Requests that the server
 * declares unprocessed may be sent again.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { h2Limits } from './h2-limits.ts';
import { GaveUp, NotProcessed } from './request-failure.ts';

/** The handler of a request: the part of undici's interface that is used. */
export interface StreamHandler {
  onConnect(abort: (error?: Error) => void): void;
  onHeaders(status: number, raw: Buffer[], resume: () => void, statusText?: string): boolean;
  onData(chunk: Buffer): boolean;
  onComplete(): void;
  onError(error: Error): void;
}

export interface StreamRequest {
  readonly method: string;
  readonly path: string;
  /** Names in lower case and values alternating. */
  readonly headers: readonly string[];
  /** Null: none. */
  readonly body: string | null;
}

export interface H2ConnectionOptions {
  readonly socket: Socket;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly headerBytesMax: number;
  readonly keepAliveMs: number;
  /** The server wants HTTP/1.1 (§7, HTTP_1_1_REQUIRED). */
  readonly onHttp1Required: () => void;
  readonly onClosed: (connection: H2Connection) => void;
}

/** A stream in progress. */
interface Under {
  readonly handler: StreamHandler;
  readonly sinceMs: number;
  hasHead: boolean;
  hasEnded: boolean;
  isOver: boolean;
  error: Error | undefined;
}

export class H2Connection {
  readonly #options: H2ConnectionOptions;
  readonly #session: ClientHttp2Session;
  readonly #streams = new Map<ClientHttp2Stream, Under>();
  readonly #authority: string;
  #isOpen = true;
  #served = 0;
  #heardMs = performance.now();
  #idleSinceMs = performance.now();
  /** Time of the unanswered PING; 0: none. */
  #pingedMs = 0;
  /** Frames that may wait in the library's queue once that PING has left: one for each stream that the server does not allow yet. */
  #queuedMax = 0;
  /** The last stream that was processed, of the newest GOAWAY. */
  #lastProcessed = Number.POSITIVE_INFINITY;
  #lostBy: Error | undefined;

  constructor(options: H2ConnectionOptions) {
    this.#options = options;
    this.#authority = options.origin.slice('https://'.length);
    const session = connect(options.origin, {
      createConnection: () => options.socket,
      maxHeaderListPairs: h2Limits.headerFieldsMax,
      settings: {
        enablePush: false,
        initialWindowSize: h2Limits.streamWindowBytes,
        // The library refuses larger values in a way that looks like a fault of the server, so our bound is lower.
        maxHeaderListSize: h2Limits.headerListFactor * options.headerBytesMax,
      },
    });
    this.#session = session;
    session.once('connect', () => session.setLocalWindowSize(h2Limits.connectionWindowBytes));
    session.on('goaway', (code: number, lastStream: number) => this.#shutDown(code, lastStream));
    session.on('error', (error) => {
      this.#isOpen = false;
      this.#lostBy ??= error;
    });
    session.once('close', () => {
      this.#isOpen = false;
      options.onClosed(this);
    });
    session.unref();
  }

  /** True if it takes another stream. */
  get isOpen(): boolean {
    return this.#isOpen && !this.#session.closed && !this.#session.destroyed && !this.#options.socket.destroyed;
  }

  get isIdle(): boolean {
    return this.#streams.size === 0;
  }

  request(request: StreamRequest, handler: StreamHandler): void {
    let stream: ClientHttp2Stream | undefined;
    let isAborted = false;
    try {
      handler.onConnect((error) => {
        isAborted = true;
        if (stream !== undefined) this.#abort(stream, error);
      });
    } catch (error) {
      handler.onError(error as Error);
      return;
    }
    if (isAborted) return;
    try {
      stream = this.#session.request(this.#headersOf(request), { endStream: request.body === null });
    } catch (error) {
      handler.onError(error as Error);
      return;
    }
    this.#queuedMax += 1;
    if (this.isIdle) this.#session.ref();
    const nothingYet = { hasHead: false, hasEnded: false, isOver: false, error: undefined };
    const under: Under = { handler, sinceMs: performance.now(), ...nothingYet };
    this.#streams.set(stream, under);
    this.#listen(stream, under);
    if (request.body !== null) stream.end(request.body);
  }

  /** Takes no new stream; those in progress continue. */
  retire(): void {
    this.#isOpen = false;
    if (this.isIdle) this.destroy();
  }

  destroy(error?: Error): void {
    this.#isOpen = false;
    this.#lostBy ??= error;
    this.#session.destroy();
    this.#options.socket.destroy();
  }

  /** Called every now and then: ends a connection that has been idle for long, or is dead. */
  look(nowMs: number): void {
    if (this.isIdle) {
      if (nowMs - this.#idleSinceMs >= this.#options.keepAliveMs) this.destroy();
      return;
    }
    if (this.#pingedMs > 0) return this.#endIfDead(nowMs);
    const [oldest] = this.#streams.values();
    if (nowMs - Math.max(oldest!.sinceMs, this.#heardMs) < h2Limits.silenceMs) return;
    this.#pingedMs = nowMs;
    this.#queuedMax = this.#session.state.outboundQueueSize ?? 0;
    this.#session.ping((error) => {
      if (error !== null) return;
      this.#pingedMs = 0;
      this.#heardMs = performance.now();
    });
  }

  /** There is a PING without an answer. */
  #endIfDead(nowMs: number): void {
    // The library ends a connection on which the server broke the rules, and reports nothing: it reads and sends no more.
    if ((this.#session.state.outboundQueueSize ?? 0) > this.#queuedMax) {
      this.destroy(new GaveUp('badResponse', 'HTTP/2: the server broke the rules of the connection'));
      return;
    }
    // On a new connection, and within a body, the request's timeouts show a fault soon enough.
    const waiting = [...this.#streams.values()].find(({ hasHead }) => !hasHead);
    if (this.#served === 0 || waiting === undefined) return;
    if (nowMs - Math.max(this.#pingedMs, this.#heardMs, waiting.sinceMs) >= h2Limits.pingAnswerMs)
      this.destroy(new NotProcessed('HTTP/2: the connection is dead, a PING was not answered'));
  }

  #headersOf({ method, path, headers, body }: StreamRequest): Record<string, string | string[]> {
    const fields: Record<string, string | string[]> = {
      ':authority': this.#authority,
      ':method': method,
      ':path': path,
      ':scheme': 'https',
    };
    for (let i = 0; i + 1 < headers.length; i += 2) {
      const name = headers[i]!;
      const value = headers[i + 1]!;
      // RFC 9113 §8.2.2: fields of a connection are not allowed in a stream.
      if (ofConnections.has(name)) continue;
      if (name === 'host') fields[':authority'] = value;
      else
        fields[name] = fields[name] === undefined ? value : `${fields[name]}${name === 'cookie' ? '; ' : ', '}${value}`;
    }
    if (body !== null) fields['content-length'] = `${Buffer.byteLength(body)}`;
    return fields;
  }

  #listen(stream: ClientHttp2Stream, under: Under): void {
    const { handler } = under;
    // The library ends a stream that was reset with NO_ERROR or CANCEL as if END_STREAM had come, but closes it first.
    const push = stream.push.bind(stream);
    stream.push = (chunk, encoding) => {
      if (chunk === null && !stream.closed) under.hasEnded = true;
      return push(chunk, encoding);
    };
    stream.once('response', (_, __, raw?: readonly string[]) => {
      this.#heardMs = performance.now();
      under.hasHead = true;
      if (under.isOver) return;
      const { status, fields, bytes } = headOf(raw ?? []);
      if (bytes > this.#options.headerBytesMax) {
        this.#end(under, new GaveUp('badResponse', `${bytes} bytes of header fields`));
        this.#abort(stream);
        return;
      }
      if (!handler.onHeaders(status, fields, () => stream.resume(), '')) stream.pause();
      stream.on('data', (chunk: Buffer) => {
        this.#heardMs = performance.now();
        if (!under.isOver && !handler.onData(chunk)) stream.pause();
      });
    });
    stream.once('end', () => {
      if (under.hasEnded && under.hasHead) this.#end(under, null);
    });
    stream.on('error', (error) => {
      under.error = error;
    });
    stream.once('close', () => {
      this.#streams.delete(stream);
      this.#end(under, this.#whyClosed(stream, under));
      this.#served += 1;
      if (!this.isIdle) return;
      this.#idleSinceMs = performance.now();
      this.#session.unref();
      if (!this.#isOpen) this.destroy();
    });
  }

  #end(under: Under, error: Error | null): void {
    if (under.isOver) return;
    under.isOver = true;
    if (error === null) under.handler.onComplete();
    else under.handler.onError(error);
  }

  #abort(stream: ClientHttp2Stream, error?: Error): void {
    const under = this.#streams.get(stream);
    if (under === undefined || under.isOver) return;
    under.isOver = true;
    stream.close(constants.NGHTTP2_CANCEL);
    stream.resume();
    // Either the stream or the connection is silent; the next request must not find out which.
    if (error instanceof GaveUp && error.kind === 'timeout') {
      this.#isOpen = false;
      if (this.#streams.size === 1) this.destroy();
    }
  }

  #shutDown(code: number, lastStream: number): void {
    this.#isOpen = false;
    this.#lastProcessed = Math.min(this.#lastProcessed, lastStream);
    if (code === constants.NGHTTP2_HTTP_1_1_REQUIRED) this.#options.onHttp1Required();
    if (code !== constants.NGHTTP2_NO_ERROR) this.#lostBy ??= errorOf(code, 'the connection was shut down');
    if (this.isIdle) this.destroy();
  }

  #whyClosed(stream: ClientHttp2Stream, under: Under): Error {
    const code = stream.rstCode;
    const isReset = this.#lostBy === undefined;
    const required = constants.NGHTTP2_HTTP_1_1_REQUIRED;
    if (code === required) this.#options.onHttp1Required();
    if (!under.hasHead) {
      const isAbove = stream.id !== undefined && stream.id > this.#lastProcessed;
      if (code === required || (this.#lostBy instanceof GaveUp && this.#lostBy.code === required))
        return new NotProcessed('HTTP/2: the server wants HTTP/1.1 (HTTP_1_1_REQUIRED)');
      if (code === constants.NGHTTP2_REFUSED_STREAM || isAbove)
        return new NotProcessed('HTTP/2: the server did not process the request (REFUSED_STREAM, or beyond a GOAWAY)');
    }
    if (!isReset) return this.#lostBy!;
    // An error of the library: the server broke the rules of the connection, and the session does not know it yet.
    if ((under.error as NodeJS.ErrnoException | undefined)?.code === 'ERR_HTTP2_ERROR') return under.error!;
    if (code !== undefined && (code !== constants.NGHTTP2_NO_ERROR || under.error === undefined))
      return errorOf(code, 'the stream ended before its END_STREAM');
    return under.error ?? errorOf(constants.NGHTTP2_INTERNAL_ERROR, 'the stream ended');
  }
}

const ofConnections = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings'],
]);

interface Head {
  readonly status: number;
  readonly fields: Buffer[];
  readonly bytes: number;
}

/** `raw`: names and values alternating, each character a byte. */
function headOf(raw: readonly string[]): Head {
  const fields: Buffer[] = [];
  let status = 0;
  let bytes = 0;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!;
    const value = raw[i + 1]!;
    if (name === ':status') status = Number(value);
    if (name.startsWith(':')) continue;
    bytes += name.length + value.length;
    fields.push(Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1'));
  }
  return { status, fields, bytes };
}

/** By their codes (§7). */
const names = [
  ...['NO_ERROR', 'PROTOCOL_ERROR', 'INTERNAL_ERROR', 'FLOW_CONTROL_ERROR', 'SETTINGS_TIMEOUT', 'STREAM_CLOSED'],
  ...['FRAME_SIZE_ERROR', 'REFUSED_STREAM', 'CANCEL', 'COMPRESSION_ERROR', 'CONNECT_ERROR', 'ENHANCE_YOUR_CALM'],
  ...['INADEQUATE_SECURITY', 'HTTP_1_1_REQUIRED'],
];

/** Codes of a server that breaks the rules, or states that we do. */
const broken = new Set(['PROTOCOL_ERROR', 'FLOW_CONTROL_ERROR', 'FRAME_SIZE_ERROR', 'COMPRESSION_ERROR']);

function errorOf(code: number, what: string): GaveUp {
  const name = names[code] ?? `code ${code}`;
  const calm = name === 'ENHANCE_YOUR_CALM' ? 'throttled' : undefined;
  const kind = calm ?? (broken.has(name) ? 'badResponse' : 'connectionFailed');
  return new GaveUp(kind, `HTTP/2: ${what} (${name})`, code);
}
