/**
 * The plan of a synthetic web: a deterministic function of its options, and the answer book to check a crawl against.
 *
 * No page is stored; any URL's meaning, links and text follow from the seed, so a web of a thousand hosts with a
 * thousand pages each costs a few megabytes. The port is an argument of every function that writes URLs: a web served
 * on another port is the same web.
 *
 * A correct, polite crawler (RFC 9309, RFC 9110 §15.4) with unlimited depth and every host in scope fetches each URL of
 * `expected().fetch` with 200 exactly once, requests none of `never`, and gives up `failures`.
 */
import { type HostTraits, isCrawlable, movedName, movedPath, seedOf, tableHosts } from './hosts.ts';
import { type PageSize, sizeOf, type Target, targetsOf } from './links.ts';
import { normalPath } from './normal-path.ts';
import type { WebOptions } from './options.ts';
import { type presets, webOptions } from './options.ts';
import { type HostShape, isFetched, monthOf, pageOf, pagePath, type Resource, shapeHost } from './resources.ts';
import { robotsText, sitemapText } from './robots-text.ts';
import { type Scheme, urlOf } from './spellings.ts';

export interface WebPlan {
  readonly options: WebOptions;
  /** Host names by number. */
  readonly hosts: readonly string[];
  /** −1: not a host of this web. `name` in lower case, without port. */
  hostOf(name: string): number;
  traits(host: number): HostTraits;
  shape(host: number): HostShape;
  /** The resource of a request target on a host, in any spelling. undefined: none, a 404. */
  resolve(host: number, target: string): Resource | undefined;
  /** Links of all its URLs. */
  readonly scheme: Scheme;
  sizeOf(host: number, resource: Resource): PageSize;
  /** Links of a resource that answers 200 with a page. */
  targets(host: number, resource: Resource): Target[];
  /** Text of /robots.txt, or of its copy if it redirects. */
  robots(host: number, port: number): string;
  sitemap(host: number, port: number): string;
  url(host: number, path: string, port: number): string;
  /** One page on each registrable domain; together they reach everything. */
  seeds(port: number): string[];
  expected(port: number): Expected;
}

/** Sets of normalised URLs. */
export interface Expected {
  /** Answer 200 to a crawler, each once. */
  readonly fetch: Set<string>;
  /** Forbidden: disallowed by robots.txt and linked, or a page of a host that answers 503 to robots.txt. */
  readonly never: Set<string>;
  /** Answer 404, 410 or 500 each time, or redirect for ever. */
  readonly failures: Set<string>;
  /** Answer with a redirect that ends somewhere. */
  readonly redirects: Set<string>;
}

/** @throws RangeError naming the option, if one is out of range. */
export function planWeb(changes: Partial<WebOptions> & { readonly preset?: keyof typeof presets } = {}): WebPlan {
  const { preset, ...given } = changes;
  const options = webOptions(preset ?? 'plain', given);
  const { names, traits, childHosts } = tableHosts(options);
  const numbersByName = new Map(names.map((name, host) => [name, host]));
  const shapes = new Map<number, HostShape>();
  const { pagesPerHost } = options;

  const shape = (host: number): HostShape => {
    let known = shapes.get(host);
    if (known === undefined) shapes.set(host, (known = shapeHost(host, traits, options)));
    return known;
  };
  const scheme: Scheme = options.tls > 0 ? 'https' : 'http';
  const url = (host: number, path: string, port: number) => urlOf(names[host]!, path, port, scheme);

  const resolve = (host: number, target: string): Resource | undefined => {
    const path = normalPath(target);
    const own = traits[host]!;
    const page = pageOf(path, pagesPerHost);
    if (page >= 0) return { kind: own.hostile === undefined ? 'page' : 'hostile', index: page, path, status: 200 };
    const infra = resolveInfra(host, path);
    if (infra !== undefined) return infra;
    if (own.hostile === 'redirectMaze' && path.startsWith('/maze/'))
      return { kind: 'hostile', index: -1, path, status: 302 };
    const special = shape(host).byPath.get(path);
    if (special !== undefined) return special;
    if (own.calendar && options.calendarMonths < 0 && monthOf(path) >= 0)
      return { kind: 'trap', index: -1, path, status: 200 };
    return undefined;
  };

  const resolveInfra = (host: number, path: string): Resource | undefined => {
    const infra = (status: number, target?: Resource['target']): Resource => ({
      kind: 'infra',
      index: -1,
      path,
      status,
      ...(target === undefined ? {} : { target }),
    });
    const own = traits[host]!;
    if (path === '/robots.txt') {
      if (own.robots === 'missing') return infra(404);
      if (own.robots === 'unavailable') return infra(503);
      if (own.robots === 'movedHere') return infra(301, { host, path: '/robots-moved.txt' });
      if (own.robots === 'movedAcross')
        return infra(302, { host: seedOf(host, options), path: movedPath(names[host]!) });
      return infra(200);
    }
    if (path === '/sitemap.xml' && own.sitemap) return infra(200);
    if (path === '/robots-moved.txt' && own.robots === 'movedHere') return infra(200);
    if (robotsFor(host, path) >= 0) return infra(200);
    return undefined;
  };

  /** The host with a robots.txt that moved to this path of a seed. −1: none. */
  const robotsFor = (seed: number, path: string): number => {
    const host = numbersByName.get(movedName(path)) ?? -1;
    return host >= 0 && traits[host]!.robots === 'movedAcross' && seedOf(host, options) === seed ? host : -1;
  };

  return {
    options,
    hosts: names,
    hostOf: (name) => numbersByName.get(name) ?? -1,
    traits: (host) => traits[host]!,
    shape,
    resolve,
    scheme,
    sizeOf: (host, resource) => sizeOf(options, host, resource),
    targets: (host, resource) => targetsOf({ options, shape: shape(host), childHosts }, resource),
    robots: (host, port) =>
      robotsText({ traits: traits[host]!, seed: options.seed, host, sitemapUrl: url(host, '/sitemap.xml', port) }),
    sitemap: (host, port) => {
      const listed = shape(host).specials.filter((special) => special.kind === 'listed');
      const pages = Array.from({ length: Math.min(pagesPerHost, 1000) }, (_, page) => pagePath(page));
      return sitemapText([...pages, ...listed.map((special) => special.path)].map((path) => url(host, path, port)));
    },
    url,
    seeds: (port) => Array.from({ length: options.domains }, (_, host) => url(host, '/', port)),
    expected: (port) => expectedOf(names.length, traits, shape, pagesPerHost, (host, path) => url(host, path, port)),
  };
}

function expectedOf(
  hosts: number,
  traits: readonly HostTraits[],
  shape: (host: number) => HostShape,
  pagesPerHost: number,
  url: (host: number, path: string) => string,
): Expected {
  const expected: Expected = { fetch: new Set(), never: new Set(), failures: new Set(), redirects: new Set() };
  for (let host = 0; host < hosts; host++) {
    const own = traits[host]!;
    if (own.hostile !== undefined) continue;
    const pages = isCrawlable(own) ? expected.fetch : expected.never;
    for (let page = 0; page < pagesPerHost; page++) pages.add(url(host, pagePath(page)));
    for (const special of shape(host).specials) {
      const at = url(host, special.path);
      if (isFetched(special.kind)) expected.fetch.add(at);
      else if (special.kind === 'disallowed') expected.never.add(at);
      else if (special.kind === 'redirect') expected.redirects.add(at);
      else expected.failures.add(at);
    }
  }
  return expected;
}
