/**
 * Checks what a crawler did to a synthetic web against what it should have done. Pure: plan and requests in, report out.
 *
 * Politeness (per host, every request counts: pages, robots.txt, redirect hops, sitemaps): the gap from the completion of
 * everything before to the start of a request must reach the delay in force, which is `delayMs`, or the host's
 * Crawl-delay where that is larger and its robots.txt has been read. Half a millisecond is forgiven, for the resolution
 * of timers and clocks, no more. A request that starts before the last has completed counts under concurrency, not gaps.
 * A host that allows n connections has n slots, each with its own gaps: the gap then counts from the n-th last completion.
 * A Crawl-delay is the whole host's, however many connections it allows.
 *
 * Coverage: each expected URL answered 200 in full exactly once, whatever its spelling; 304 counts as neither.
 */
import { isCrawlable, movedPath, seedOf } from './hosts.ts';
import { normalPath } from './normal-path.ts';
import type { WebPlan } from './plan.ts';
import type { RequestRecord } from './records.ts';
import { isFetched, pagePath } from './resources.ts';
import { isDisallowed } from './robots-text.ts';

export const gapToleranceMs = 0.5;
const detailsMax = 10;

export interface CheckOptions {
  /** The delay that the crawler was given. 0: none; a Crawl-delay still counts. */
  readonly delayMs: number;
  /** Must a host's Crawl-delay be kept? Default true. */
  readonly crawlDelays?: boolean;
  /** Hosts that may have several requests under way at once, and how many. Default: none. */
  readonly connections?: Readonly<Record<string, number>>;
  /** Hosts with a larger Crawl-delay are deferred by the crawler: their pages are not missed. Default: no cap. */
  readonly crawlDelayCapMs?: number;
  /**
   * Forgiven in addition after an aborted request: its end is when the server saw the close, which is later than the
   * client's own end by the time that the server was busy. Default 0.
   */
  readonly abortToleranceMs?: number;
  /** True if the crawler reads sitemaps, so that pages in sitemaps alone are expected. Default true. */
  readonly sitemaps?: boolean;
  /** Requests that were not recorded. Above 0 the report is not ok. */
  readonly dropped?: number;
}

/** How many, and the first few in words. */
export interface Findings {
  readonly count: number;
  readonly details: readonly string[];
}

export interface CheckReport {
  /** True if the report below has no fault. */
  readonly ok: boolean;
  readonly requests: number;
  readonly dropped: number;
  readonly inFlight: number;
  readonly hosts: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Bytes of bodies on the wire, all requests. */
  readonly bytes: number;
  /** Expected URLs, and how many of them were answered 200 in full. */
  readonly expected: number;
  readonly fetched: number;
  readonly notModified: number;
  readonly aborted: number;
  /** Pages of endless calendars and of hostile hosts: neither expected nor wrong. */
  readonly tolerated: number;
  /** Time from the first start to the last end. */
  readonly seconds: number;
  /** Expected URLs fetched per second. */
  readonly pagesPerSecond: number;
  /** Smallest gap seen, and smallest of gap − delay in force. null: no host was asked twice. Negative: requests overlapped. */
  readonly smallestGapMs: number | null;
  readonly smallestSlackMs: number | null;
  readonly shortGaps: Findings;
  readonly concurrency: Findings;
  /** Requests for paths that robots.txt forbids, and for pages before robots.txt was requested. */
  readonly robotsViolations: Findings;
  readonly duplicates: Findings;
  readonly missing: Findings;
  /** Requests for URLs that no page, redirect or sitemap names, and for foreign hosts. */
  readonly unexpected: Findings;
}

/** `requests` in any order. */
export function checkCrawl(plan: WebPlan, requests: readonly RequestRecord[], options: CheckOptions): CheckReport {
  const shortGaps = findings();
  const concurrency = findings();
  const robotsViolations = findings();
  const duplicates = findings();
  const missing = findings();
  const unexpected = findings();
  const statuses: Record<string, number> = {};
  const seen = new Map<number, HostTally>();
  const movedTo = new Map<string, number>();
  for (const [host, name] of plan.hosts.entries())
    if (plan.traits(host).robots === 'movedAcross') movedTo.set(movedPath(name), seedOf(host, plan.options));

  let firstMs = Number.POSITIVE_INFINITY;
  let lastMs = Number.NEGATIVE_INFINITY;
  let [bytes, inFlight, notModified, aborted, tolerated] = [0, 0, 0, 0, 0];
  let smallestGapMs = Number.POSITIVE_INFINITY;
  let smallestSlackMs = Number.POSITIVE_INFINITY;

  const tallyOf = (host: number): HostTally => {
    let tally = seen.get(host);
    if (tally === undefined)
      seen.set(
        host,
        (tally = {
          underWay: [],
          ends: [],
          robotsAskedMs: Number.NaN,
          crawlDelayFromMs: Number.POSITIVE_INFINITY,
          counts: new Map(),
        }),
      );
    return tally;
  };

  for (const request of inOrder(requests)) {
    const { host, startMs, endMs } = request;
    const at = host < 0 ? request.path : `${plan.hosts[host]}${request.path}`;
    statuses[request.status] = (statuses[request.status] ?? 0) + 1;
    bytes += request.bytes;
    firstMs = Math.min(firstMs, startMs);
    if (Number.isFinite(endMs)) lastMs = Math.max(lastMs, endMs);
    else inFlight++;
    if (request.aborted) aborted++;
    if (request.status === 304) notModified++;
    if (host < 0) {
      unexpected.add(() => `${at} is no host of this web`);
      continue;
    }

    const tally = tallyOf(host);
    const traits = plan.traits(host);
    tally.underWay = tally.underWay.filter((untilMs) => untilMs > startMs);
    const askedMs = startMs >= tally.crawlDelayFromMs && options.crawlDelays !== false ? traits.crawlDelayMs : 0;
    const allowed = options.connections?.[plan.hosts[host]!] ?? 1;
    const atMost = askedMs > 0 ? 1 : allowed;
    const before = tally.ends[atMost - 1];
    if (before !== undefined) {
      const delayMs = Math.max(options.delayMs, askedMs);
      const toleranceMs = gapToleranceMs + (before.aborted ? (options.abortToleranceMs ?? 0) : 0);
      const gapMs = startMs - before.endMs;
      smallestGapMs = Math.min(smallestGapMs, gapMs);
      smallestSlackMs = Math.min(smallestSlackMs, gapMs - delayMs);
      if (tally.underWay.length >= atMost)
        concurrency.add(() => `${at} started at ${startMs.toFixed(1)} with ${tally.underWay.length} under way`);
      else if (delayMs > 0 && gapMs < delayMs - toleranceMs)
        shortGaps.add(
          () => `${at} started at ${startMs.toFixed(1)}, ${gapMs.toFixed(2)} ms after the last request, not ${delayMs}`,
        );
    }
    tally.underWay.push(endMs);
    const place = tally.ends.findIndex((one) => one.endMs < endMs);
    tally.ends.splice(place < 0 ? tally.ends.length : place, 0, { endMs, aborted: request.aborted });
    tally.ends.splice(allowed);

    const path = normalPath(request.path);
    if (path === '/robots.txt' && Number.isNaN(tally.robotsAskedMs)) tally.robotsAskedMs = startMs;
    const isRobots =
      path === '/robots.txt' ||
      (path === '/robots-moved.txt' && traits.robots === 'movedHere') ||
      movedTo.get(path) === host;
    if (isRobots) {
      if (request.status === 200 && !request.aborted && !movedTo.has(path))
        tally.crawlDelayFromMs = Math.min(tally.crawlDelayFromMs, endMs);
      continue;
    }
    if (isDisallowed(traits, path)) robotsViolations.add(() => `${at} is disallowed`);
    else if (Number.isNaN(tally.robotsAskedMs)) robotsViolations.add(() => `${at} was asked for before /robots.txt`);

    const resource = plan.resolve(host, request.path);
    if (resource === undefined) unexpected.add(() => `${at} is named nowhere`);
    else if (resource.kind === 'hostile' || resource.kind === 'trap') tolerated++;
    else if (isFetched(resource.kind) && request.status === 200 && !request.aborted && Number.isFinite(endMs)) {
      const count = (tally.counts.get(resource.index) ?? 0) + 1;
      tally.counts.set(resource.index, count);
      if (count > 1)
        duplicates.add(() => `${at} is ${plan.hosts[host]}${resource.path} for the ${ordinal(count)} time`);
    }
  }

  const { expected, fetched } = checkCoverage(plan, seen, options, missing);
  const seconds = lastMs > firstMs ? (lastMs - firstMs) / 1000 : 0;
  const dropped = options.dropped ?? 0;
  const wrong = [shortGaps, concurrency, robotsViolations, duplicates, missing, unexpected];
  return {
    ok: dropped === 0 && wrong.every((kind) => kind.count === 0),
    requests: requests.length,
    dropped,
    inFlight,
    hosts: seen.size,
    statuses,
    bytes,
    expected,
    fetched,
    notModified,
    aborted,
    tolerated,
    seconds,
    pagesPerSecond: seconds === 0 ? 0 : fetched / seconds,
    smallestGapMs: finiteOrNull(smallestGapMs),
    smallestSlackMs: finiteOrNull(smallestSlackMs),
    shortGaps,
    concurrency,
    robotsViolations,
    duplicates,
    missing,
    unexpected,
  };
}

interface HostTally {
  /** Ends of requests that may still be in flight. */
  underWay: number[];
  /** The last completions, latest first, as many as the host allows connections. */
  readonly ends: { readonly endMs: number; readonly aborted: boolean }[];
  robotsAskedMs: number;
  crawlDelayFromMs: number;
  /** Full 200 answers by resource number. */
  readonly counts: Map<number, number>;
}

function checkCoverage(
  plan: WebPlan,
  seen: ReadonlyMap<number, HostTally>,
  options: CheckOptions,
  missing: Collector,
): { expected: number; fetched: number } {
  const capMs = options.crawlDelayCapMs ?? Number.POSITIVE_INFINITY;
  let expected = 0;
  let fetched = 0;
  for (const [host, name] of plan.hosts.entries()) {
    const traits = plan.traits(host);
    if (!isCrawlable(traits) || traits.crawlDelayMs > capMs) continue;
    const counts = seen.get(host)?.counts;
    const expect = (index: number, path: string) => {
      expected++;
      if (counts?.has(index)) fetched++;
      else missing.add(() => `${name}${path}`);
    };
    for (let page = 0; page < plan.options.pagesPerHost; page++) expect(page, pagePath(page));
    for (const special of plan.shape(host).specials)
      if (isFetched(special.kind) && (special.kind !== 'listed' || (options.sitemaps ?? true)))
        expect(special.index, special.path);
  }
  return { expected, fetched };
}

interface Collector extends Findings {
  count: number;
  readonly details: string[];
  add(describe: () => string): void;
}

/** `add` is not an own property, so that JSON shows only count and details. */
function findings(): Collector {
  const collector = { count: 0, details: [] as string[] };
  const add = (describe: () => string) => {
    if (collector.count++ < detailsMax) collector.details.push(describe());
  };
  return Object.defineProperty(collector, 'add', { value: add, enumerable: false }) as Collector;
}

function inOrder(requests: readonly RequestRecord[]): readonly RequestRecord[] {
  const sorted = requests.every((request, i) => i === 0 || requests[i - 1]!.startMs <= request.startMs);
  return sorted ? requests : [...requests].sort((a, b) => a.startMs - b.startMs);
}

function finiteOrNull(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

function ordinal(count: number): string {
  return count === 2 ? 'second' : count === 3 ? 'third' : `${count}th`;
}
