/**
 * The simplest correct crawl: breadth first, one request at a time per host, with the plan's verdict for robots.txt.
 *
 * It knows nothing of how the plan reaches its pages: it reads links out of HTML. If it agrees with `expected()`, the
 * plan's claims of reachability are true.
 */
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { normalPath } from './normal-path.ts';
import type { WebPlan } from './plan.ts';
import { isDisallowed } from './robots-text.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}
export type Get = (url: URL, headers?: Record<string, string>) => Promise<Reply>;

/** Contacts 127.0.0.1 for every host, one connection per request. */
export const getFromLoopback: Get = (url, headers = {}) =>
  new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port: url.port, path: url.pathname + url.search, headers: { host: url.host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const body = response.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string | undefined>,
            body: body.toString(),
          });
        });
      },
    );
    asked.on('error', reject);
    asked.end();
  });

export interface CrawlFinding {
  readonly fetched: Set<string>;
  readonly redirected: Set<string>;
  readonly failed: Set<string>;
  /** Links that were not followed because robots.txt forbids them. */
  readonly refused: Set<string>;
}

/** Fetches all that can be reached; a 500 or 429 is tried twice. */
export async function crawlNaively(plan: WebPlan, port: number, get: Get): Promise<CrawlFinding> {
  const found: CrawlFinding = { fetched: new Set(), redirected: new Set(), failed: new Set(), refused: new Set() };
  const queue = plan.seeds(port);
  const known = new Set(queue);
  const robotsRead = new Set<string>();
  const discover = (href: string, base: URL) => {
    const url = new URL(href, base);
    const normal = `${url.protocol}//${url.host}${normalPath(url.pathname + url.search)}`;
    if (known.has(normal)) return;
    known.add(normal);
    queue.push(normal);
  };
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const url = new URL(next);
    if (!robotsRead.has(url.host)) {
      robotsRead.add(url.host);
      await followRobots(new URL('/robots.txt', url), get);
    }
    if (isDisallowed(plan.traits(plan.hostOf(url.hostname)), url.pathname + url.search)) {
      found.refused.add(next);
      continue;
    }
    let reply = await get(url, { 'accept-encoding': 'gzip' });
    if (reply.status >= 500 || reply.status === 429) reply = await get(url, { 'accept-encoding': 'gzip' });
    if (reply.status === 200) {
      found.fetched.add(next);
      for (const match of reply.body.matchAll(/<a href="([^"]*)"/g)) discover(match[1]!.replace(/&amp;/g, '&'), url);
    } else if (reply.headers['location'] !== undefined) {
      found.redirected.add(next);
      discover(reply.headers['location'], url);
    } else found.failed.add(next);
  }
  return found;
}

async function followRobots(url: URL, get: Get): Promise<void> {
  for (let hops = 0; hops <= 5; hops++) {
    const reply = await get(url);
    if (reply.headers['location'] === undefined) return;
    url = new URL(reply.headers['location'], url);
  }
}
