/** The sites of honest owners: pages without end, each with some text, and when each was asked for. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { performance } from 'node:perf_hooks';

export interface HonestWeb {
  readonly port: number;
  seedsOf(owner: number): string[];
  /** Pages of an owner's sites that were answered between two times of `performance`, ms. */
  pages(owner: number, fromMs: number, toMs: number): number;
  close(): void;
}

export const honestName = (owner: number) => `honest-${owner}`;

/** Hosts of an owner, each a domain. */
export const hostsOfOwner = 3;
const text = 'some words of an honest page, ';

export async function startHonestWeb(): Promise<HonestWeb> {
  const answeredAtMs = new Map<number, number[]>();
  const server = createServer((request, response) => {
    const owner = Number(/^www\.honest(\d+)-\d+\.test/.exec(request.headers.host ?? '')?.[1] ?? -1);
    if (owner < 0) return void response.writeHead(421).end();
    if (request.url === '/robots.txt') return void response.writeHead(404).end();
    const n = Number(request.url!.slice(1)) || 1;
    response.setHeader('content-type', 'text/html');
    const links = [2 * n, 2 * n + 1].map((next) => `<a href="/${next}">next</a>`).join('');
    response.end(`<title>private of ${owner}: ${n}</title>${links}<p>${text.repeat(40)}`);
    const all = answeredAtMs.get(owner) ?? [];
    answeredAtMs.set(owner, all);
    all.push(performance.now());
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    seedsOf: (owner) => Array.from({ length: hostsOfOwner }, (_, n) => `http://www.honest${owner}-${n}.test:${port}/1`),
    pages: (owner, fromMs, toMs) =>
      (answeredAtMs.get(owner) ?? []).filter((atMs) => atMs >= fromMs && atMs < toMs).length,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
