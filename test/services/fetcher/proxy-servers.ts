/** Proxies on loopback for tests: HTTP with CONNECT, and SOCKS5; both tell what they were asked for. */
import { once } from 'node:events';
import { createServer as createHttpServer, type Server as HttpServer, request as httpRequest } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

export interface ProxyTwin {
  readonly port: number;
  /** `CONNECT host:port`, `GET http://…` or `SOCKS host:port`, in order. */
  readonly asked: string[];
  close(): Promise<void>;
}

interface Options {
  /** Where every connection is made to, whatever the name. */
  readonly port: number;
  /** `user:password` wanted. */
  readonly credentials?: string;
  /** Status for CONNECT in the place of 200; one of 2xx opens the tunnel, too (RFC 9110 §9.3.6). */
  readonly refusal?: number;
}

export async function serveHttpProxy(t: TestContext, options: Options): Promise<ProxyTwin> {
  const asked: string[] = [];
  const wanted = options.credentials && `Basic ${Buffer.from(options.credentials).toString('base64')}`;
  const server = createHttpServer((request, response) => {
    if (wanted !== undefined && request.headers['proxy-authorization'] !== wanted) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    asked.push(`${request.method} ${request.url}`);
    const { pathname, search } = new URL(request.url ?? '');
    const { 'proxy-authorization': _ours, ...headers } = request.headers;
    const onward = { host: '127.0.0.1', port: options.port, method: request.method, path: pathname + search, headers };
    request.pipe(
      httpRequest(onward, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }),
    );
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => {});
    const allowed = wanted === undefined || request.headers['proxy-authorization'] === wanted;
    asked.push(`CONNECT ${request.url}`);
    const status = allowed ? (options.refusal ?? 200) : 407;
    socket.write(`HTTP/1.1 ${status} x\r\n\r\n`);
    if (status >= 200 && status < 300) splice(socket as Socket, options.port);
    else socket.end();
  });
  return listening(t, server, asked, () => server.closeAllConnections());
}

/** RFC 1928, with user and password (RFC 1929) where they are wanted. */
export async function serveSocks5(t: TestContext, options: Options): Promise<ProxyTwin> {
  const asked: string[] = [];
  const server = createServer(async (socket) => {
    socket.on('error', () => {});
    const method = options.credentials === undefined ? 0 : 2;
    await bytes(socket);
    socket.write(Buffer.from([5, method]));
    if (method === 2) {
      const login = await bytes(socket);
      const user = login.subarray(2, 2 + login[1]!).toString();
      const password = login.subarray(3 + login[1]!).toString();
      const fits = `${user}:${password}` === options.credentials;
      socket.write(Buffer.from([1, fits ? 0 : 1]));
      if (!fits) return socket.end();
    }
    const wish = await bytes(socket);
    const host = wish[3] === 1 ? wish.subarray(4, 8).join('.') : wish.subarray(5, 5 + wish[4]!).toString();
    asked.push(`SOCKS ${host}:${wish.readUInt16BE(wish.length - 2)}`);
    const refused = options.refusal ?? 0;
    socket.write(Buffer.from([5, refused, 0, 1, 0, 0, 0, 0, 0, 0]));
    if (refused === 0) splice(socket, options.port);
    else socket.end();
  });
  return listening(t, server, asked, () => {});
}

async function bytes(socket: Socket): Promise<Buffer> {
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk;
}

function splice(socket: Socket, port: number): void {
  const onward = connect(port, '127.0.0.1');
  onward.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => onward.destroy());
  onward.pipe(socket).pipe(onward);
}

async function listening(
  t: TestContext,
  server: Server | HttpServer,
  asked: string[],
  closeAll: () => void,
): Promise<ProxyTwin> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    if (!server.listening) return;
    server.close();
    closeAll();
    for (const socket of sockets) socket.destroy();
    await once(server, 'close');
  };
  t.after(close);
  return { port: (server.address() as AddressInfo).port, asked, close };
}
