/** Servers on loopback for the fetcher's tests: real sockets, torn down with the test. */
import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface Hit {
  /** Host header, without port. */
  readonly host: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Arrival of the request and end of the response, ms by performance.now(). */
  readonly startMs: number;
  endMs: number;
}

export interface Site {
  readonly port: number;
  readonly hits: Hit[];
  /** `http://<host>:<port><path>` */
  url(host: string, path: string): string;
}

export type Answer = (request: IncomingMessage, response: ServerResponse, host: string) => void;

/** A web server for any number of host names; `answer` gets everything. */
export async function serveSite(test: TestContext, answer: Answer): Promise<Site> {
  const hits: Hit[] = [];
  const server = createHttpServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    const hit: Hit = { host, path: request.url ?? '', headers: request.headers, startMs: performance.now(), endMs: 0 };
    hits.push(hit);
    response.on('close', () => (hit.endMs = performance.now()));
    answer(request, response, host);
  });
  const port = await listen(test, server, () => server.closeAllConnections());
  return { port, hits, url: (host, path) => `http://${host}:${port}${path}` };
}

/** A server that treats its sockets as it likes. */
export async function serveSockets(test: TestContext, onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  return listen(test, server, () => {
    for (const socket of sockets) socket.destroy();
  });
}

/** Sends `parts` when a request has come, then leaves the connection open unless told to end. */
export function serveBytes(test: TestContext, parts: readonly (string | Buffer)[], end = false): Promise<number> {
  return serveSockets(test, (socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
      if (end) socket.end();
    });
  });
}

async function listen(test: TestContext, server: Server, closeConnections: () => void): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  test.after(async () => {
    server.close();
    closeConnections();
    await once(server, 'close');
  });
  return (server.address() as AddressInfo).port;
}

/** A port where nobody listens. */
export async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
