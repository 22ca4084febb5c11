/** A call of each route that a fleet declares, about a crawl. */
import type { DeclaredRoute } from './fleet-here.ts';

export interface RacedCall {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

export interface About {
  readonly name: string;
  /** A URL of the crawl. */
  readonly url: string;
}

/** By the end of a route's path. Absent: a route needs none. */
const bodies: Readonly<Record<string, (about: About) => object>> = {
  '/v1/crawls': ({ name, url }) => ({ seeds: [url], name, policy: { delayMs: 100, delayFactor: 0 } }),
  '/v1/scrape': ({ url }) => ({ url, waitSeconds: 0 }),
  '/hosts/:key/delay': () => ({ amount: 70_000 }),
  '/hosts/:key/limit': () => ({ amount: 7 }),
  '/crawl/seeds': ({ url }) => ({ urls: [url] }),
  '/letters/replay': () => ({ ids: ['0/0'] }),
};
const queries: Readonly<Record<string, (about: About) => string>> = {
  '/dashboard/host': ({ url }) => `?host=${new URL(url).host}`,
  '/dashboard/explain': ({ url }) => `?url=${encodeURIComponent(url)}`,
  '/dashboard/story': ({ url }) => `?url=${encodeURIComponent(url)}`,
  '/dashboard/record': ({ url }) => `?url=${encodeURIComponent(url)}`,
};

export function racedCall({ method, path }: DeclaredRoute, about: About): RacedCall {
  const values: Readonly<Record<string, string>> = { name: about.name, key: new URL(about.url).host };
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = values[parameter];
    if (value === undefined) throw new Error(`${path} has the parameter ${parameter}: add an example of it here`);
    return encodeURIComponent(value);
  });
  const query = exampleOf(queries, path)?.(about) ?? '';
  if (method === 'GET' || method === 'DELETE') return { method, path: `${filled}${query}` };
  return { method, path: filled, body: exampleOf(bodies, path)?.(about) ?? {} };
}

function exampleOf<T>(examples: Readonly<Record<string, T>>, path: string): T | undefined {
  return Object.entries(examples).find(([end]) => path.endsWith(end))?.[1];
}
