/** A whole crawl in one process, from its start to its end, over a given log, stores and clock. */
import type { Look } from '../../../topology/frontier/ask/crawl-end.ts';
import { inputTopics } from '../../../topology/frontier/changes/changelog.ts';
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { sumCounters, zeroCounters } from '../../../topology/frontier/changes/counters.ts';
import type { Frontier } from '../../frontier/frontier.ts';
import type { Clock } from '../../runtime/clock.ts';
import { DuplicateCounts } from '../../runtime/crawl/duplicate-counts.ts';
import type { Log } from '../../runtime/log/log.ts';
import { createApplication, endOfTasks } from '../application.ts';
import type { Ports } from '../ports.ts';
import type { RunningProcessors } from '../start-processors.ts';
import { CrawlChanges } from './crawl-changes.ts';
import type { CrawlOutcome } from './crawl-outcome.ts';
import { type RunningWhole, startWhole, type WholeCrawl } from './start-whole.ts';
import { type CrawlStatus, hostsOf, trapsOf, type WatchedCrawl, watchCrawl } from './watch-crawl.ts';

export interface CrawlRun extends Ports {
  readonly frontier: WholeCrawl['frontier'];
  readonly fetcher: Omit<WholeCrawl['fetcher'], 'onFailure'>;
  readonly workers?: WholeCrawl['workers'];
  readonly elsewhere?: WholeCrawl['elsewhere'];
  /** Processors that are running already; they drain before the crawl ends. */
  readonly processors: RunningProcessors;
  /** Aborted: drain and stop. */
  readonly signal: AbortSignal;
  /** How long current requests may take to finish then, ms. Absent: their whole timeout. */
  readonly graceMs?: number | undefined;
  /** Time between checks for its end and its status, ms. Absent: short, for a person who watches. */
  readonly lookEveryMs?: number | undefined;
  /** The same while nothing changes, ms. Absent: half a second. */
  readonly waitingEveryMs?: number | undefined;
  readonly onStatus: (status: CrawlStatus) => void;
  /** As in WatchedCrawl. */
  readonly stays?: WatchedCrawl['stays'];
  readonly awaitsRelease?: WatchedCrawl['awaitsRelease'];
  /** Starts additional work that runs beside frontier and fetcher. */
  readonly attend?: (running: RunningWhole) => Promise<Attendants>;
}

export interface Attendants {
  /** Rejects when one of them fails; never resolves. */
  readonly failed: Promise<never>;
  /** Called when the crawl has ended, before it stops. */
  over?(end: CrawlOutcome['end']): Promise<void>;
  stop(): Promise<void>;
}

const lookEveryMs = 50;
/** A drain waits this long for results to be decided; after that, the next start finds them on the log. */
const drainMs = 5_000;

export async function runCrawl(run: CrawlRun): Promise<CrawlOutcome> {
  const { log, codec, clock, processors } = run;
  const { crawl } = run.manifest;
  const startedAtMs = clock.nowMs();
  let failFetcher: (error: unknown) => void = () => {};
  const fetcherFailed = new Promise<never>((_, reject) => {
    failFetcher = reject;
  });
  fetcherFailed.catch(() => {});
  const at = await endOfTasks(run);
  const changes = new CrawlChanges();
  const whole = startWhole(createApplication(run), {
    ...{ at, graceMs: run.graceMs, workers: run.workers, elsewhere: run.elsewhere },
    frontier: { ...run.frontier, onCommitted: changes.note },
    fetcher: { ...run.fetcher, onFailure: failFetcher },
  });
  const { frontier } = whole;
  let attendants: Attendants | undefined;
  try {
    attendants = await run.attend?.(whole);
    const failures = [frontier.ended, fetcherFailed, processors.failed];
    if (attendants !== undefined) failures.push(attendants.failed);
    const end = await watchCrawl({
      clock,
      signal: run.signal,
      onStatus: run.onStatus,
      stays: run.stays,
      awaitsRelease: run.awaitsRelease,
      startedAtMs,
      failed: Promise.race(failures),
      everyMs: run.lookEveryMs ?? lookEveryMs,
      waiting: run.waitingEveryMs === undefined ? undefined : { changes, everyMs: run.waitingEveryMs },
      look: () => look(log, crawl, frontier),
      hosts: () => hostsOf(frontier.committed()),
      settle: processors.settle,
    });
    await attendants?.over?.(end);
    await whole.endLeases();
    await decided(clock, log, crawl, frontier);
    const traps = trapsOf(frontier.committed());
    await frontier.stop();
    await frontier.ended;
    await processors.drain();
    // A summary that cannot be read does not make a crawl fail that is done.
    const duplicates = await new DuplicateCounts({ log, codec, topics: run.manifest }).look().catch(() => null);
    return { end, counters: totals(frontier), traps, duplicates, seconds: (clock.nowMs() - startedAtMs) / 1000 };
  } finally {
    await Promise.allSettled([whole.fetcher.stop(run.graceMs), frontier.stop(), attendants?.stop()]);
  }
}

/** Undefined while a partition is not open yet. */
async function look(log: Log, crawl: string, frontier: Frontier): Promise<Look | undefined> {
  const partitions: Look['partitions'][number][] = [];
  // The quota of the policy in force, which may have been changed since the start.
  let pageQuota: number | null = null;
  for (const [partition, committed] of frontier.committed().entries()) {
    if (committed === undefined) return undefined;
    const ends = { control: 0, results: 0, discovered: 0 };
    for (const topic of inputTopics) ends[topic] = (await log.offsets(`${crawl}.${topic}`, partition)).end;
    pageQuota = committed.pageQuota;
    partitions.push({ positions: committed.positions, counters: committed.counters, ends });
  }
  return { partitions, pageQuota };
}

/** Waits until the fetcher's reports have been decided. */
async function decided(clock: Clock, log: Log, crawl: string, frontier: Frontier): Promise<void> {
  const untilMs = clock.nowMs() + drainMs;
  while (clock.nowMs() < untilMs) {
    const now = await look(log, crawl, frontier);
    if (now?.partitions.every(({ positions, ends }) => positions.results.offset >= ends.results)) return;
    await Promise.race([clock.sleepUntil(clock.nowMs() + 10), frontier.ended]);
  }
}

function totals(frontier: Frontier): Counters {
  return sumCounters(frontier.committed().map((committed) => committed?.counters ?? zeroCounters()));
}
