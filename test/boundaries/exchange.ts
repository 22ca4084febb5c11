/** Exchanges with a server on a socket that sends exactly so much. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { compileOverrides } from '../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../services/fetcher/connect/resolver.ts';
import { createHttpClient, type HttpRequest, type HttpResponse } from '../../services/fetcher/http/client.ts';
import { SystemClock } from '../../services/runtime/clock.ts';

/** What a request gets of such an answer; `again`: is its connection used for the next? */
async function exchange(
  answer: Buffer,
  request: Partial<HttpRequest> = {},
): Promise<HttpResponse & { readonly again: boolean }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('data', () => socket.write(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = new SystemClock();
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 1_000 });
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  const client = createHttpClient({ clock, resolver });
  try {
    const url = `http://a.test:${(server.address() as AddressInfo).port}/`;
    const response = await client.request({ url, headers: [], ...request });
    await client.request({ url, headers: [], ...request });
    return { ...response, again: connections === 1 };
  } finally {
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  }
}

const withBody = (bytes: number) =>
  Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes}\r\n\r\n`), Buffer.alloc(bytes, 'x')]);

const fieldBytes = 10_000;

export const exchanged = {
  body: (bytes: number) => exchange(withBody(bytes)),
  /** Is an unwanted body of so many bytes read off, so that its connection lives? */
  isDrained: async (bytes: number) => (await exchange(withBody(bytes), { wants: () => false })).again,
  /** Names and values of so many bytes together. */
  headers: (bytes: number) => {
    let left = bytes - 'content-length0'.length;
    let head = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n';
    for (; left > 0; left -= fieldBytes) head += `x: ${'y'.repeat(Math.min(left, fieldBytes) - 1)}\r\n`;
    return exchange(Buffer.from(`${head}\r\n`));
  },
  /** One value of so many bytes. */
  field: (bytes: number) =>
    exchange(Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: ${'y'.repeat(bytes)}\r\n\r\n`)),
};
