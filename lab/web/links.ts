/**
 * The links of a page: the tree that reaches everything, then random ones up to the requested number.
 *
 * Random links stay on their host for the given share; the others choose hosts by a power law (probability proportional
 * to 1 / rank), as in-links of real hosts are distributed.
 */
import type { WebOptions } from './options.ts';
import { fraction, mix, numbers } from './random.ts';
import { type HostShape, monthOf, monthPath, pagePath, type Resource } from './resources.ts';

export interface Target {
  readonly host: number;
  /** Normal form. */
  readonly path: string;
  /** 32 random bits that decide on spelling and anchor. */
  readonly dice: number;
}

export type PageSize = 'tiny' | 'ordinary' | 'long';

/** Only ordinary pages vary: the others have an ordinary size. */
export function sizeOf({ seed, tinyPages, longPages }: WebOptions, host: number, resource: Resource): PageSize {
  if (resource.kind !== 'page' || tinyPages + longPages === 0) return 'ordinary';
  const drawn = fraction(seed, 64, host, resource.index);
  return drawn < tinyPages ? 'tiny' : drawn >= 1 - longPages ? 'long' : 'ordinary';
}

export interface LinkSource {
  readonly options: WebOptions;
  readonly shape: HostShape;
  readonly childHosts: ReadonlyMap<number, readonly number[]>;
}

/** In the order on the page. */
export function targetsOf({ options, shape, childHosts }: LinkSource, resource: Resource): Target[] {
  const { pagesPerHost, hosts, sameHostShare } = options;
  const { host } = shape;
  const linksPerPage = options.linksPerPage * { tiny: 0, ordinary: 1, long: 10 }[sizeOf(options, host, resource)];
  const month = resource.index < 0 || resource.kind === 'month' ? monthOf(resource.path) : -1;
  const next = numbers(mix(options.seed, 40, host, resource.index < 0 ? -1 - month : resource.index));
  const targets: Target[] = [];
  const add = (toHost: number, path: string) => targets.push({ host: toHost, path, dice: next() });

  if (resource.kind === 'page') {
    const page = resource.index;
    for (let child = 4 * page + 1; child <= 4 * page + 4 && child < pagesPerHost; child++) add(host, pagePath(child));
    for (const special of shape.onPage.get(page) ?? []) add(host, special.path);
    for (const child of childHosts.get(host * pagesPerHost + page) ?? []) add(child, '/');
    if (page === 0 && shape.traits.calendar && options.calendarMonths < 0) add(host, monthPath(0));
  }
  if (month >= 0 && (options.calendarMonths < 0 || month + 1 < options.calendarMonths)) add(host, monthPath(month + 1));

  const across = hosts === 1 ? 0 : Math.round(linksPerPage * (1 - sameHostShare));
  const acrossAlready = targets.reduce((count, target) => count + (target.host === host ? 0 : 1), 0);
  const logHosts = Math.log(hosts + 1);
  for (let n = acrossAlready; n < across; n++) {
    const rank = Math.floor(Math.exp((next() / 0x1_0000_0000) * logHosts)) - 1;
    add(Math.min(rank, hosts - 1), pagePath(next() % pagesPerHost));
  }
  while (targets.length < linksPerPage) add(host, pagePath(next() % pagesPerHost));
  return targets;
}
