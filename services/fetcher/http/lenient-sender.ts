/**
 * Sends requests over HTTP/1.1 to an origin after undici's parser has rejected its responses. They are read leniently,
 * each over a connection that is closed afterwards.
 */
import type { Socket } from 'node:net';
import type { ConnectorFor } from '../connect/connector.ts';
import type { StreamHandler, StreamRequest } from './h2-connection.ts';
import { LenientResponse } from './lenient-response.ts';
import type { Sender } from './origins.ts';
import { GaveUp } from './request-failure.ts';

export interface LenientSenderOptions {
  /** Scheme, host and port. */
  readonly name: string;
  readonly connect: ReturnType<ConnectorFor>;
  /** At once. */
  readonly connections: number;
  readonly headerBytesMax: number;
}

interface Waiting {
  readonly request: StreamRequest;
  readonly handler: StreamHandler;
}

export class LenientSender implements Sender {
  readonly #options: LenientSenderOptions;
  readonly #waiting: Waiting[] = [];
  /** Ends each request under way. */
  readonly #underWay = new Set<(error: Error) => void>();
  #isClosed = false;
  #onIdle: (() => void)[] = [];

  constructor(options: LenientSenderOptions) {
    this.#options = options;
  }

  dispatch(request: StreamRequest, handler: StreamHandler): void {
    if (this.#isClosed) return handler.onError(new GaveUp('aborted', 'the connection is closed'));
    this.#waiting.push({ request, handler });
    this.#next();
  }

  close(): Promise<void> {
    this.#isClosed = true;
    if (this.#underWay.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  async destroy(): Promise<void> {
    this.#isClosed = true;
    const error = new GaveUp('aborted', 'shutting down');
    for (const { handler } of this.#waiting.splice(0)) handler.onError(error);
    for (const end of [...this.#underWay]) end(error);
  }

  #next(): void {
    while (this.#underWay.size < this.#options.connections) {
      const next = this.#waiting.shift();
      if (next === undefined) break;
      this.#start(next);
    }
    if (this.#underWay.size > 0) return;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #start({ request, handler }: Waiting): void {
    let socket: Socket | undefined;
    let isOver = false;
    const over = (resolve: () => void) => {
      if (isOver) return;
      isOver = true;
      socket?.destroy();
      this.#underWay.delete(fail);
      resolve();
      this.#next();
    };
    const fail = (error: Error) => over(() => handler.onError(error));
    this.#underWay.add(fail);
    const { name, connect } = this.#options;
    const { host, hostname, port, protocol } = new URL(name);
    const target = { host, hostname: hostname.replace(/^\[|\]$/g, ''), port, protocol };
    connect(target, (...[error, connected]) => {
      if (error !== null) return fail(error);
      socket = connected;
      // It was destroyed meanwhile.
      if (isOver) return void socket.destroy();
      try {
        handler.onConnect(() => over(() => {}));
      } catch (gaveUp) {
        return fail(gaveUp as Error);
      }
      if (!isOver) this.#exchange(socket, request, handler, over);
    });
  }

  #exchange(socket: Socket, request: StreamRequest, handler: StreamHandler, over: (resolve: () => void) => void): void {
    const fail = (error: Error) => {
      answer.stop();
      over(() => handler.onError(error));
    };
    const attempt = (read: () => void) => {
      try {
        read();
      } catch (error) {
        fail(error as Error);
      }
    };
    const resume = () => socket.resume();
    const answer = new LenientResponse(
      {
        onHead(status, fields, reason) {
          if (!handler.onHeaders(status, fields, resume, reason)) socket.pause();
        },
        onData(chunk) {
          // A few bytes that were read from the socket already are still passed on.
          if (!socket.destroyed && !handler.onData(chunk)) socket.pause();
        },
        onComplete: () => over(() => handler.onComplete()),
      },
      { isHead: request.method === 'HEAD', headerBytesMax: this.#options.headerBytesMax },
    );
    socket.on('data', (chunk: Buffer) => {
      if (socket.destroyed) answer.stop();
      else attempt(() => answer.push(chunk));
    });
    socket.once('end', () => attempt(() => answer.end()));
    socket.once('error', fail);
    socket.once('close', () => fail(new GaveUp('connectionFailed', 'other side closed')));
    const head = headOf(request, this.#options.name);
    if (head === null) return fail(new GaveUp('refused', 'the request holds a line break in a field or in its path'));
    socket.write(Buffer.from(head, 'latin1'));
    if (request.body !== null) socket.write(request.body);
    socket.resume();
  }
}

/** Null: it would end its own line. */
function headOf({ method, path, headers, body }: StreamRequest, name: string): string | null {
  const lines = [`${method} ${path} HTTP/1.1`];
  let hasHost = false;
  for (let i = 0; i + 1 < headers.length; i += 2) {
    if (headers[i] === 'host') hasHost = true;
    lines.push(`${headers[i]}: ${headers[i + 1]}`);
  }
  if (!hasHost) lines.push(`host: ${name.slice(name.indexOf('//') + 2)}`);
  if (body !== null) lines.push(`content-length: ${Buffer.byteLength(body)}`);
  lines.push('connection: close');
  return lines.some((line) => /[\r\n\0]/.test(line)) ? null : `${lines.join('\r\n')}\r\n\r\n`;
}
