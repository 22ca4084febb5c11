/**
 * Grades a crawler by the requests that a synthetic web recorded of its visit: politeness, RFC 9309, duplicates, traps,
 * safety, coverage.
 *
 * Pure: plan and requests in, card out. Every row counts errors against opportunities for them. A row is not applicable
 * if the visitor never reached its subject. It passes only without errors (traps, safety and coverage: within a bound
 * that the row names). Times are the server's (lab/web/records.ts): a measured gap is never shorter than the visitor's,
 * except after requests that the visitor broke off.
 */
import { checkCrawl } from '../web/check.ts';
import { normalPath } from '../web/normal-path.ts';
import type { WebPlan } from '../web/plan.ts';
import type { RequestRecord } from '../web/records.ts';
import { isDisallowed } from '../web/robots-text.ts';

export const areas = ['politeness', 'robots.txt', 'duplicates', 'traps', 'safety', 'coverage'] as const;
export type Area = (typeof areas)[number];

export interface CardRow {
  readonly area: Area;
  readonly rule: string;
  /** null: not applicable. */
  readonly ok: boolean | null;
  /** In words: how many of how many, or an amount. */
  readonly measured: string;
  readonly details: readonly string[];
}

export interface ScoreCard {
  readonly agents: readonly string[];
  readonly requests: number;
  readonly hosts: number;
  readonly seconds: number;
  /** Delay that a polite visitor must keep between requests to a host. */
  readonly delayMs: number;
  readonly rows: readonly CardRow[];
  readonly passed: number;
  /** Rows that are applicable. */
  readonly of: number;
}

export interface CardOptions {
  readonly delayMs: number;
  /** Requests beyond the server's memory; a card without them proves nothing. */
  readonly dropped: number;
}

/** Months of an endless calendar that a crawler may visit: two years are useful, ten are a trap. */
const monthsMax = 120;
/** Steps of one redirect maze or loop: browsers give up at 20. */
const stepsMax = 20;
/** Most bytes that a visitor may take from one response: far above any page. */
const bytesMax = 64 << 20;
/** And the longest time that one response may take. */
const heldMsMax = 120_000;
const coverageMin = 0.99;
const toleranceMs = 0.5;
/** A request that the visitor broke off ends when the server notices: at most this much later. */
const abortToleranceMs = 100;
const detailsMax = 5;

export function scoreCard(plan: WebPlan, requests: readonly RequestRecord[], options: CardOptions): ScoreCard {
  const { delayMs, dropped } = options;
  const report = checkCrawl(plan, requests, { delayMs, dropped, crawlDelays: false, abortToleranceMs });
  const known = requests.filter(({ host }) => host >= 0).sort((a, b) => a.startMs - b.startMs);
  const visits = byHost(known);
  const rows = [
    ...politeness(plan, visits, delayMs, report),
    ...robots(plan, visits),
    row('duplicates', 'no page twice', report.duplicates.count, report.fetched, report.duplicates.details, 'pages'),
    ...traps(plan, visits),
    ...safety(plan, visits),
    covered(report),
    row(
      'coverage',
      'no request for what nothing names',
      report.unexpected.count,
      known.length,
      report.unexpected.details,
    ),
  ];
  const applicable = rows.filter(({ ok }) => ok !== null);
  return {
    agents: [...new Set(requests.map(({ agent }) => agent))].slice(0, detailsMax),
    requests: requests.length,
    hosts: visits.size,
    seconds: Math.round(report.seconds * 10) / 10,
    delayMs,
    rows,
    passed: applicable.filter(({ ok }) => ok).length,
    of: applicable.length,
  };
}

type Visits = ReadonlyMap<number, readonly RequestRecord[]>;

function politeness(
  plan: WebPlan,
  visits: Visits,
  delayMs: number,
  { concurrency, shortGaps, smallestGapMs, requests }: ReturnType<typeof checkCrawl>,
): CardRow[] {
  const delays = broken();
  const pauses = broken();
  for (const [host, asked] of visits) {
    const { crawlDelayMs, throttled } = plan.traits(host);
    const readMs = asked.find(({ path, status }) => path === '/robots.txt' && status === 200)?.endMs ?? Number.NaN;
    let endMs = Number.NEGATIVE_INFINITY;
    let resumeMs = Number.NEGATIVE_INFINITY;
    for (const { startMs, endMs: thisEndMs, path, status, aborted } of asked) {
      const at = `${plan.hosts[host]}${path}`;
      if (crawlDelayMs > 0 && startMs >= readMs && endMs > 0) {
        const gap = `${at} came ${(startMs - endMs).toFixed(0)} ms after the last, not ${crawlDelayMs}`;
        delays.count(startMs - endMs < crawlDelayMs - toleranceMs, gap);
      }
      if (resumeMs > 0) {
        const early = startMs < resumeMs - toleranceMs;
        pauses.count(early, `${at} came ${(resumeMs - startMs).toFixed(0)} ms early`);
        if (!early) resumeMs = Number.NEGATIVE_INFINITY;
      }
      if (throttled && status === 429 && !aborted) resumeMs = thisEndMs + plan.options.retryAfterSeconds * 1000;
      if (Number.isFinite(thisEndMs)) endMs = Math.max(endMs, thisEndMs);
    }
  }
  const shortest = smallestGapMs === null || smallestGapMs < 0 ? '' : `, the shortest ${smallestGapMs.toFixed(0)} ms`;
  const gaps = row(
    'politeness',
    `${delayMs} ms between requests to a host`,
    shortGaps.count,
    requests,
    shortGaps.details,
  );
  return [
    row('politeness', 'one request at a time to a host', concurrency.count, requests, concurrency.details),
    { ...gaps, measured: gaps.measured + shortest },
    row('politeness', 'Crawl-delay kept', delays.wrong, delays.of, delays.details),
    row('politeness', 'Retry-After kept', pauses.wrong, pauses.of, pauses.details),
  ];
}

function robots(plan: WebPlan, visits: Visits): CardRow[] {
  const first = broken();
  const rules = broken();
  const moved = broken();
  const closed = broken();
  for (const [host, asked] of visits) {
    const traits = plan.traits(host);
    const pages = asked.filter(({ path }) => !isRobots(path));
    const askedMs = asked.find(({ path }) => path === '/robots.txt')?.startMs ?? Number.POSITIVE_INFINITY;
    for (const { startMs, path } of pages) {
      const at = `${plan.hosts[host]}${path}`;
      first.count(startMs < askedMs, `${at} came before /robots.txt`);
      if (traits.robots === 'unavailable') continue;
      const isMoved = traits.robots === 'movedHere' || traits.robots === 'movedAcross';
      (isMoved ? moved : rules).count(isDisallowed(traits, normalPath(path)), `${at} is disallowed`);
    }
    if (traits.robots === 'unavailable') {
      closed.count(pages.length > 0, `${plan.hosts[host]} got ${pages.length} requests though its robots.txt is a 503`);
    }
  }
  return [
    row('robots.txt', 'asked for before anything else', first.wrong, first.of, first.details),
    row('robots.txt', 'what it disallows is left alone (§2.2)', rules.wrong, rules.of, rules.details),
    row('robots.txt', 'found behind redirects, and obeyed (§2.3.1.2)', moved.wrong, moved.of, moved.details),
    row(
      'robots.txt',
      'a host where it is unreachable is left alone (§2.3.1.4)',
      closed.wrong,
      closed.of,
      closed.details,
      'hosts',
    ),
  ];
}

function traps(plan: WebPlan, visits: Visits): CardRow[] {
  const calendars = broken();
  const loops = broken();
  let [most, steps] = [0, 0];
  for (const [host, asked] of visits) {
    const traits = plan.traits(host);
    const name = plan.hosts[host]!;
    const months = new Set(
      asked.filter(({ path }) => plan.resolve(host, path)?.kind === 'trap').map(({ path }) => path),
    );
    if (months.size > 0) calendars.count(months.size > monthsMax, `${name}: ${months.size} months`);
    most = Math.max(most, months.size);
    const turns = asked.filter(({ path }) => path.startsWith('/maze/') || path.startsWith('/loop/')).length;
    const times = traits.hostile === 'redirectMaze' ? plan.options.pagesPerHost : 2;
    if (turns > 0) loops.count(turns > stepsMax * times, `${name}: ${turns} steps`);
    steps = Math.max(steps, turns);
  }
  const calendar = row(
    'traps',
    `an endless calendar is left within ${monthsMax} months`,
    calendars.wrong,
    calendars.of,
    calendars.details,
    'calendars',
  );
  const loop = row('traps', 'redirect loops and mazes are left', loops.wrong, loops.of, loops.details, 'hosts');
  return [
    calendar.ok === null ? calendar : { ...calendar, measured: `${calendar.measured}, ${most} months of one at most` },
    loop.ok === null ? loop : { ...loop, measured: `${loop.measured}, ${steps} steps on one at most` },
  ];
}

function safety(plan: WebPlan, visits: Visits): CardRow[] {
  const bodies = broken();
  const holds = broken();
  let [mostBytes, longestMs] = [0, 0];
  for (const [host, asked] of visits) {
    const { hostile } = plan.traits(host);
    if (hostile === undefined) continue;
    for (const { path, bytes, startMs, endMs } of asked) {
      if (isRobots(path)) continue;
      const at = `${plan.hosts[host]}${path} (${hostile})`;
      const heldMs = Number.isFinite(endMs) ? endMs - startMs : 0;
      bodies.count(bytes > bytesMax, `${at}: ${(bytes / 2 ** 20).toFixed(0)} MiB`);
      holds.count(heldMs > heldMsMax, `${at}: ${(heldMs / 1000).toFixed(0)} s`);
      mostBytes = Math.max(mostBytes, bytes);
      longestMs = Math.max(longestMs, heldMs);
    }
  }
  const body = row(
    'safety',
    `no more than ${bytesMax >> 20} MiB of one response`,
    bodies.wrong,
    bodies.of,
    bodies.details,
  );
  const hold = row(
    'safety',
    `no longer than ${heldMsMax / 1000} s on one response`,
    holds.wrong,
    holds.of,
    holds.details,
  );
  return [
    body.ok === null
      ? body
      : { ...body, measured: `${body.measured}, ${(mostBytes / 2 ** 20).toFixed(1)} MiB at most` },
    hold.ok === null ? hold : { ...hold, measured: `${hold.measured}, ${(longestMs / 1000).toFixed(0)} s at most` },
  ];
}

function covered({ expected, fetched, missing }: ReturnType<typeof checkCrawl>): CardRow {
  const measured = `${fetched} of ${expected} pages`;
  const rule = `${coverageMin * 100} % of the reachable pages`;
  return {
    area: 'coverage',
    rule,
    ok: fetched >= coverageMin * expected,
    measured,
    details: missing.details.slice(0, detailsMax),
  };
}

function isRobots(path: string): boolean {
  return path === '/robots.txt' || path === '/robots-moved.txt' || path.startsWith('/robots-for/');
}

function byHost(requests: readonly RequestRecord[]): Visits {
  const visits = new Map<number, RequestRecord[]>();
  for (const request of requests) {
    const there = visits.get(request.host);
    if (there === undefined) visits.set(request.host, [request]);
    else there.push(request);
  }
  return visits;
}

function broken() {
  return {
    wrong: 0,
    of: 0,
    details: [] as string[],
    count(isWrong: boolean, detail: string) {
      this.of += 1;
      if (!isWrong) return;
      this.wrong += 1;
      if (this.details.length < detailsMax) this.details.push(detail);
    },
  };
}

function row(
  area: Area,
  rule: string,
  wrong: number,
  of: number,
  details: readonly string[],
  what = 'requests',
): CardRow {
  const measured = of === 0 ? 'never visited it' : `${wrong === 0 ? 'none' : wrong} of ${of} ${what} broke it`;
  return { area, rule, ok: of === 0 ? null : wrong === 0, measured, details: details.slice(0, detailsMax) };
}
