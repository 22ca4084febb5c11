/** A receiver of webhooks on loopback, which takes what it is sent, or not, as a test says. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';

export interface Post {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** As it was answered; 0: not at all. */
  readonly status: number;
}

export interface Receiver {
  readonly port: number;
  readonly posts: readonly Post[];
}

/** `answer`: a status, or 0 to close the connection without one, or null to leave it open. */
export async function startReceiver(
  answer: (path: string, nth: number) => number | null,
  headersOf: (path: string) => Record<string, string> = () => ({}),
): Promise<Receiver> {
  const posts: Post[] = [];
  const server = createServer((request, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      const status = answer(path, posts.filter((one) => one.path === path).length);
      posts.push({ path, headers: request.headers, body: Buffer.concat(chunks).toString(), status: status ?? 0 });
      if (status === null) return;
      if (status === 0) response.destroy();
      else response.writeHead(status, headersOf(path)).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, posts };
}
