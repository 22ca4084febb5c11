/**
 * Links as a crawl finds them, made from a seed: URLs of about 70 bytes on hosts with sizes by Zipf's law (exponent 1).
 * Some URLs are new. The others were given out before: half of them recently, half at any time.
 *
 * A URL is made from its number alone, so the source remembers none. Strings are flat and one byte a character, as the
 * decoder of real records returns them.
 */
import type { Discovered, Link, LinkGroup } from '../../../schemas/types.ts';

export interface LinkSourceOptions {
  readonly hosts: number;
  /** Share of links that were given out before, 0 to 1. */
  readonly duplicates: number;
  /** URLs that were given out before this source began: equal numbers give equal URLs. */
  readonly known?: number;
}

/** Every second duplicate is recent: nearly always among the last eighth of all URLs. */
const recentPower = 3;
const scratch = Buffer.allocUnsafeSlow(256);

/** Duplicates only: this many URLs must be known before the first of `urls` comes. */
export function knownFirst(urls: number, duplicates: number): number {
  return duplicates === 1 ? Math.round(0.3 * urls) : 0;
}

/** The numbers of URLs, in the order of links: a new one, or one that was given out before. */
export class UrlNumbers {
  readonly #duplicates: number;
  #state = 42;
  /** Distinct numbers given out. */
  #made: number;

  constructor({ duplicates, known = 0 }: Omit<LinkSourceOptions, 'hosts'>) {
    this.#made = known;
    this.#duplicates = duplicates;
  }

  next(): number {
    if (this.#made === 0 || this.#random() >= this.#duplicates) return this.#made++;
    if (this.#random() < 0.5) return Math.floor(this.#random() * this.#made);
    return this.#made - 1 - Math.floor(this.#random() ** recentPower * this.#made);
  }

  #random(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    return mix(this.#state) / 2 ** 32;
  }
}

export class LinkSource {
  readonly #logHosts: number;
  readonly #numbers: UrlNumbers;

  constructor(options: LinkSourceOptions) {
    this.#numbers = new UrlNumbers(options);
    this.#logHosts = Math.log(options.hosts + 1);
  }

  /** A message of `count` links, with those of one host in one group, as a fetcher gathers them from several pages. */
  message(count: number): Discovered {
    const groups = new Map<number, Link[]>();
    for (let i = 0; i < count; i++) {
      const number = this.#numbers.next();
      const host = this.#hostOf(number);
      const link = { url: urlOf(host, number), lastModifiedMs: 0, priority: -1, spelling: '' };
      const group = groups.get(host);
      if (group === undefined) groups.set(host, [link]);
      else group.push(link);
    }
    return { groups: Array.from(groups, ([host, links]) => groupOf(host, links)) };
  }

  #hostOf(number: number): number {
    return Math.floor(Math.exp((mix(number ^ 0x1234567) / 2 ** 32) * this.#logHosts)) - 1;
  }
}

/** A message of links on hosts `from`, `from + 1` … in turn: every host gets equally many. */
export function evenMessage(from: number, count: number, page: number): Discovered {
  const groups = Array.from({ length: count }, (_, i) => {
    const url = urlOf(from + i, page);
    return groupOf(from + i, [{ url, lastModifiedMs: 0, priority: -1, spelling: '' }]);
  });
  return { groups };
}

function urlOf(host: number, number: number): string {
  const text = `https://www.host${host}.example.com/section/${mix(number) % 1000}/article-${number}.html`;
  return scratch.toString('latin1', 0, scratch.write(text, 'latin1'));
}

function groupOf(host: number, links: readonly Link[]): LinkGroup {
  return {
    hostKey: `www.host${host}.example.com`,
    sourceUrl: '',
    sourceKey: '',
    depth: 1,
    hop: 0,
    front: false,
    intent: 'discover',
    discoveredAtMs: 0,
    share: 0,
    traceparent: '',
    payload: '',
    foundIn: 'unknown',
    tags: [],
    links,
  };
}

/** The finaliser of MurmurHash3: each bit of the number changes half of the bits of the result. Unsigned, 32 bits. */
export function mix(value: number): number {
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
