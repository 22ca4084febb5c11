/**
 * The hosts of a synthetic web: their names, their characters, and the tree that makes each reachable.
 *
 * Invariant: every crawlable host but the seeds hangs on one page of an earlier crawlable host, so the seeds reach
 * them all. Nothing hangs on a host that must not be crawled.
 */
import type { WebOptions } from './options.ts';
import { mix, shuffled } from './random.ts';

/** Behaviour of a host's robots.txt. `moved*`: it redirects to a copy, on the host itself or on the seed of its domain. */
export type RobotsKind = 'open' | 'rules' | 'missing' | 'unavailable' | 'movedHere' | 'movedAcross';

export const hostileKinds = [
  'endlessBody',
  'slowDrip',
  'gzipBomb',
  'longerThanSaid',
  'shorterThanSaid',
  'headerFlood',
  'redirectMaze',
  'reset',
  'silence',
  'deepNesting',
  'binaryAsHtml',
] as const;
export type HostileKind = (typeof hostileKinds)[number];

export interface HostTraits {
  readonly robots: RobotsKind;
  /** 0: none asked for. */
  readonly crawlDelayMs: number;
  readonly loop: boolean;
  readonly calendar: boolean;
  readonly sitemap: boolean;
  /** Its flaky URLs first answer with a pause. */
  readonly throttled: boolean;
  readonly hostile: HostileKind | undefined;
}

export interface HostTable {
  readonly names: readonly string[];
  readonly traits: readonly HostTraits[];
  /** Hosts that hang on a page, by `host × pagesPerHost + page`. */
  readonly childHosts: ReadonlyMap<number, readonly number[]>;
}

export function tableHosts(options: WebOptions): HostTable {
  const names = Array.from({ length: options.hosts }, (_, host) => nameOf(host, options));
  const traits = drawTraits(options);
  return { names, traits, childHosts: hangHosts(options, traits) };
}

/** True if more than robots.txt may be fetched there, and the host is well-behaved. */
export function isCrawlable(traits: HostTraits): boolean {
  return traits.robots !== 'unavailable' && traits.hostile === undefined;
}

/** True if robots.txt, once found, forbids anything. */
export function hasRules(traits: HostTraits): boolean {
  return traits.robots === 'rules' || traits.robots === 'movedHere' || traits.robots === 'movedAcross';
}

/** The seed of a host's domain. */
export function seedOf(host: number, options: WebOptions): number {
  return host % options.domains;
}

/** The host that serves the robots.txt of this `movedAcross` host, and the host with a file there; empty: none. */
export function movedPath(name: string): string {
  return `/robots-for/${name}/robots.txt`;
}
export function movedName(path: string): string {
  return /^\/robots-for\/(.+)\/robots\.txt$/.exec(path)?.[1] ?? '';
}

function nameOf(host: number, options: WebOptions): string {
  if (options.naming === 'addresses')
    return `127.${1 + (Math.floor(host / 62_500) % 250)}.${1 + (Math.floor(host / 250) % 250)}.${1 + (host % 250)}`;
  return `h${String(host).padStart(3, '0')}.site${host % options.domains}.test`;
}

function drawTraits(options: WebOptions): HostTraits[] {
  const { seed, hosts, domains } = options;
  const hostile = new Map<number, HostileKind>();
  const robots = new Map<number, RobotsKind>();

  // One shuffled row of hosts without the seeds, dealt out: a host gets one character at most.
  const row = shuffled(hosts - domains, mix(seed, 1)).map((n) => n + domains);
  const deal = (share: number, least: number, give: (host: number, nth: number) => void) => {
    const count = share === 0 ? 0 : Math.max(least, Math.round(share * hosts));
    for (const [nth, host] of row.splice(0, count).entries()) give(host, nth);
  };
  deal(options.hostileShare, 1, (host, nth) => hostile.set(host, hostileKinds[nth % hostileKinds.length]!));
  deal(options.robotsUnavailable, 1, (host) => robots.set(host, 'unavailable'));
  // Addresses have no subdomains, and no crawler should request a path of another's choice from a stranger.
  const isHere = (nth: number) => nth % 2 === 0 || options.naming === 'addresses';
  deal(options.robotsMoved, 2, (host, nth) => robots.set(host, isHere(nth) ? 'movedHere' : 'movedAcross'));
  deal(options.robotsMissing, 1, (host) => robots.set(host, 'missing'));
  deal(options.robotsRules, 1, (host) => robots.set(host, 'rules'));

  // Characters that need their own robots.txt, or pages, go to hosts that have them; seeds may have these, too.
  const pick = (share: number, salt: number, fits: (host: number) => boolean): Set<number> => {
    if (share === 0) return new Set();
    const fitting = shuffled(hosts, mix(seed, salt)).filter((host) => !hostile.has(host) && fits(host));
    return new Set(fitting.slice(0, Math.max(1, Math.round(share * hosts))));
  };
  const robotsOf = (host: number): RobotsKind => robots.get(host) ?? 'open';
  const hasBody = (host: number) => robotsOf(host) === 'open' || robotsOf(host) === 'rules';
  const crawled = (host: number) => robotsOf(host) !== 'unavailable';
  const delays = pick(options.crawlDelays, 2, (host) => hasBody(host) && host >= domains);
  const sitemaps = pick(options.sitemaps, 3, hasBody);
  const loops = pick(options.redirectLoops, 4, crawled);
  const calendars = pick(options.calendarMonths === 0 ? 0 : options.calendars, 5, crawled);

  const throttled = pick(options.throttled, 8, crawled);

  return Array.from({ length: hosts }, (_, host) => ({
    robots: robotsOf(host),
    crawlDelayMs: delays.has(host) ? options.crawlDelayMs : 0,
    loop: loops.has(host),
    calendar: calendars.has(host),
    sitemap: sitemaps.has(host),
    throttled: throttled.has(host),
    hostile: hostile.get(host),
  }));
}

function hangHosts(options: WebOptions, traits: readonly HostTraits[]): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (let host = options.domains; host < options.hosts; host++) {
    let parent = mix(options.seed, 6, host) % host;
    while (!isCrawlable(traits[parent]!)) parent--; // ends: host 0 is a seed
    const page = mix(options.seed, 7, host) % options.pagesPerHost;
    const slot = parent * options.pagesPerHost + page;
    const there = children.get(slot);
    if (there === undefined) children.set(slot, [host]);
    else there.push(host);
  }
  return children;
}
