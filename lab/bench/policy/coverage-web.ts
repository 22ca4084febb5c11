/**
 * A web for the coverage bench: sites of power-law sizes, power-law in-links, good and poor sites, and link farms.
 *
 * Sites link to each other by attractiveness (a Pareto draw times their quality), to front pages and to popular pages,
 * half of which are anywhere in the site. A site's own pages form a tree, with a menu on each page. Poor sites have
 * missing pages (soft 404), and sometimes a spammer's link. Farms have few domains and many host names; their pages
 * link to each other, to the few pages they promote, and to well-known sites.
 *
 * A crawl should find the good part: PageRank is computed over the good pages and the links among them only. Otherwise
 * a spammer's links would raise the value of the spammer's pages.
 */
import { pageRank } from '../../../topology/extras/graph/pagerank.ts';
import { chanceOf } from '../../simulation/chance.ts';

export interface CoverageWeb {
  readonly urls: readonly string[];
  /** Pages from this number on are spam. */
  readonly goodPages: number;
  /** Links of page p: `targets` from `starts[p]` to `starts[p + 1]`. */
  readonly starts: Int32Array;
  readonly targets: Int32Array;
  /** Share of the good part's PageRank. */
  readonly ranks: Float64Array;
  readonly missing: Uint8Array;
  readonly seeds: readonly number[];
}

export interface WebOptions {
  readonly pages: number;
  /** Spam pages for each good one. */
  readonly spam: number;
  readonly seed: number;
}

interface Site {
  readonly first: number;
  readonly size: number;
  /** 0 to 1. */
  readonly quality: number;
  readonly weight: number;
}

const sizeMean = 25;
const farmPagesMin = 500;
const farmDomains = 8;
const farmHosts = 10;
const seedCount = 10;

export function drawCoverageWeb({ pages, spam, seed }: WebOptions): CoverageWeb {
  const chance = chanceOf(seed, 'coverage');
  const unit = () => chance.next() / 2 ** 32;
  const sites = drawSites(pages, unit);
  const urls = sites.flatMap(({ size }, site) =>
    Array.from({ length: size }, (_, page) => `https://site${site}.com/${page === 0 ? '' : `p${page}`}`),
  );
  const goodPages = urls.length;
  const missing = new Uint8Array(goodPages);
  for (const { first, size, quality } of sites)
    for (let page = 1; page < size; page++) if (unit() < 0.4 * (1 - quality)) missing[first + page] = 1;
  const farms: { readonly first: number; readonly size: number }[] = [];
  // Each is half as large as the one before.
  for (let left = Math.round(goodPages * spam); left > 0; ) {
    const size = left < farmPagesMin ? left : Math.ceil(left / 2);
    left -= size;
    farms.push({ first: urls.length, size });
    for (let page = 0; page < size; page++) {
      const [domain, host] = [page % farmDomains, Math.floor(page / farmDomains) % farmHosts];
      urls.push(`https://shop${host}.farm${farms.length}-${domain}.com/offer${page}`);
    }
  }
  const pick = attraction(sites, unit);
  const linkTo = (site: Site) => popularPage(site, unit);
  const links: number[][] = [];
  for (const site of sites) for (let page = 0; page < site.size; page++) links.push(linksWithin(site, page, unit));
  for (const site of sites) {
    for (let page = 0; page < site.size; page++) {
      if (missing[site.first + page] === 1) {
        links[site.first + page] = [site.first];
        continue;
      }
      for (let outside = Math.floor(6 * unit()); outside > 0; outside--) links[site.first + page]!.push(linkTo(pick()));
      if (farms.length > 0 && unit() < 0.06 * (1 - site.quality)) {
        const farm = chance.pick(farms);
        links[site.first + page]!.push(farm.first + Math.floor(unit() * farm.size));
      }
    }
  }
  for (const { first, size } of farms) {
    for (let page = 0; page < size; page++) {
      const own = Array.from({ length: 20 }, () => first + Math.floor(unit() * size));
      const promoted = Array.from({ length: 3 }, (_, n) => first + n);
      links.push([...own, ...promoted, pick().first, pick().first]);
    }
  }
  const distinct = links.map((targets, page) => [...new Set(targets)].filter((target) => target !== page));
  const ranks = ranksOf(distinct, goodPages);
  const known = [...sites].sort((a, b) => b.weight - a.weight).slice(0, 5 * seedCount);
  const seeds = Array.from({ length: seedCount }, () => chance.pick(known).first);
  return { urls, goodPages, ...packed(distinct), ranks, missing, seeds: [...new Set(seeds)] };
}

function drawSites(pages: number, unit: () => number): Site[] {
  const count = Math.max(seedCount, Math.round(pages / sizeMean));
  const drawn = Array.from({ length: count }, (_, rank) => (1 + rank) ** -0.75);
  const scale = pages / drawn.reduce((sum, size) => sum + size, 0);
  const sites: Site[] = [];
  let first = 0;
  for (const share of drawn) {
    const size = Math.max(1, Math.round(share * scale));
    const quality = Math.min(1, 0.1 + 1.2 * unit());
    // In-links of sites follow a power law with an exponent of about 2.1, whatever their sizes.
    const weight = quality * Math.min(1_000, (1 - unit()) ** (-1 / 1.1)) * size ** 0.3;
    sites.push({ first, size, quality, weight });
    first += size;
  }
  return sites;
}

/** Draws sites by their weights. */
function attraction(sites: readonly Site[], unit: () => number): () => Site {
  const sums = new Float64Array(sites.length);
  let sum = 0;
  for (const [number, { weight }] of sites.entries()) sums[number] = sum += weight;
  return () => {
    const draw = unit() * sum;
    let [low, high] = [0, sites.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle]! > draw) high = middle;
      else low = middle + 1;
    }
    return sites[low]!;
  };
}

/** The front page, or a page by its place in the site's own order of popularity, near the front or anywhere. */
function popularPage({ first, size }: Site, unit: () => number): number {
  if (unit() < 0.4) return first;
  const place = Math.floor(size * unit() ** 4);
  return first + (unit() < 0.5 ? place : (place * 7919 + 13) % size);
}

function linksWithin(site: Site, page: number, unit: () => number): number[] {
  const { first, size } = site;
  const links: number[] = [];
  for (let child = 4 * page + 1; child <= 4 * page + 4 && child < size; child++) links.push(first + child);
  for (const menu of [0, 1, 2]) if (menu < size) links.push(first + menu);
  for (let n = 0; n < 4; n++) links.push(popularPage(site, unit));
  return links;
}

function ranksOf(links: readonly (readonly number[])[], goodPages: number): Float64Array {
  const good = links.slice(0, goodPages).map((targets) => targets.filter((target) => target < goodPages));
  const { starts, targets } = packed(good);
  const sources = Int32Array.from(good.keys());
  const none = new Int32Array(0);
  const { ranks } = pageRank({
    hosts: Array.from({ length: goodPages }, () => ''),
    sources,
    starts,
    targets,
    links: none,
    pages: none,
  });
  return ranks;
}

function packed(links: readonly (readonly number[])[]) {
  const starts = new Int32Array(links.length + 1);
  for (const [page, targets] of links.entries()) starts[page + 1] = starts[page]! + targets.length;
  return { starts, targets: Int32Array.from(links.flat()) };
}
