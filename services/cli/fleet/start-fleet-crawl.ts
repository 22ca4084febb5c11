/** Starts one crawl of a fleet: as `crawl` runs it, over its data folder, and beside the others. */
import type { Counters } from '../../../topology/frontier/changes/counters.ts';
import { validatePolicy } from '../../../topology/policy/validate.ts';
import type { CrawlStatus } from '../../application/crawl/watch-crawl.ts';
import type { FetcherConfig } from '../../application/fetching.ts';
import type { Processor } from '../../application/processor/processor.ts';
import { startProcessors } from '../../application/start-processors.ts';
import type { FleetPace } from '../../fetcher/pace/fleet-pace.ts';
import { type ExtractRules, extractRulesSchema } from '../../fetcher/pages/extract-rules.ts';
import type { SharedRobots } from '../../fetcher/robots/shared-robots.ts';
import type { CrawlCounts, CrawlFile } from '../../fleet/crawl-file.ts';
import { fleetServiceLimits } from '../../fleet/fleet-service-limits.ts';
import type { ReadLog, RunningCrawl } from '../../fleet/running-crawl.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { createService } from '../../runtime/metrics/service.ts';
import type { BesideOthers } from '../crawl/embedded-crawl.ts';
import { runEmbeddedCrawl } from '../crawl/embedded-crawl.ts';
import type { SeenFlags } from '../flags/seen-flags.ts';
import { seenConfigOf } from '../flags/seen-flags.ts';
import type { SnapshotRoleFlags } from '../flags/snapshot-flags.ts';
import { QueryService } from '../roles/query-service.ts';

export interface FleetCrawlOptions {
  readonly pace: FleetPace;
  readonly addressPacer: NonNullable<BesideOthers['fetcher']['addressPacer']>;
  readonly robots: SharedRobots;
  readonly fetcher: FetcherConfig;
  /** Consumers that run beside the crawl. */
  readonly processors: readonly Processor[];
  readonly leasesMax: number;
  readonly seen: SeenFlags;
  readonly keepMs: number | null;
  readonly snapshots: SnapshotRoleFlags;
  say(text: string): void;
}

const { graceMs, openFiles, bufferBytes: writeBufferBytes, cacheBytes, linkCacheEntries } = fleetServiceLimits;

/** Two hundred crawls look for their ends so often. */
const lookEveryMs = 500;

export function startFleetCrawl(options: FleetCrawlOptions, file: CrawlFile, path: string): RunningCrawl {
  const { name, weight, seeds } = file;
  // Each goes on from where its log ends, which may be ahead of the machine.
  const clock = new SystemClock();
  const stop = new AbortController();
  const seat = options.pace.join(name, weight);
  const policy = validatePolicy(file.policy);
  const extract = withMarkdown(options.fetcher.extract);
  let reads: ReadLog | undefined;
  let status: CrawlStatus | undefined;
  let counters: Counters | undefined;
  let isUp = () => {};
  const up = new Promise<void>((resolve) => {
    isUp = resolve;
  });
  const run = async () => {
    const service = createService('fleet');
    const folder = await readDataFolder(path);
    const sayOf = (text: string) => options.say(`${name}: ${text}`);
    const outcome = await runEmbeddedCrawl({
      ...{ clock, policy, service, folder, desk: new QueryService(clock) },
      ...{ workers: 1, plugins: [], onReport: () => {}, options: {}, anew: false },
      seeds: seeds.map((url) => ({ url, priority: -1 })),
      // What was set since then stays in force.
      ask: (_, before) => before ?? policy,
      say: sayOf,
      fetcher: { ...options.fetcher, linkCacheEntries, ...(file.output.markdown && { extract }) },
      leasesMax: options.leasesMax,
      seen: seenConfigOf(options.seen, 1),
      keepMs: options.keepMs,
      snapshots: options.snapshots,
      signal: stop.signal,
      beside: {
        fetcher: { seat: Object.assign(seat, { robots: options.robots }), addressPacer: options.addressPacer },
        stores: { openFiles, writeBufferBytes, cacheBytes },
        ...{ lookEveryMs, graceMs },
      },
      onStatus(now) {
        status = now;
        counters = now.counters;
        isUp();
      },
      attach: async (log, codec) => {
        reads = { log, codec, crawl: name };
        const { manifest, part } = folder;
        const { resolve = [], allowPrivate = false } = options.fetcher;
        const reach = { ...options.fetcher, resolve, allowPrivate };
        const run = { shared: false, fromStart: false, reach, service, say: sayOf };
        return startProcessors({ log, codec, clock, manifest, part, ...run }, options.processors, {});
      },
    });
    // What was decided after the last look.
    counters = outcome.counters;
    return outcome.end;
  };
  const ended = run().finally(() => {
    reads = undefined;
    seat.leave();
  });
  return {
    up,
    ended,
    get counts() {
      return counters === undefined ? file.counts : countsOf(counters);
    },
    get pagesPerSecond() {
      return status?.pagesPerSecond ?? 0;
    },
    get reads() {
      return reads;
    },
    stop: () => stop.abort(),
  };
}

/** Beside what the operator has pages asked for. */
export function withMarkdown(given: FetcherConfig['extract']): ExtractRules {
  return { ...(given ?? extractRulesSchema.parse({})), mainText: true, markdown: true, language: true };
}

function countsOf(counters: Counters): CrawlCounts {
  const { page: pages, queued, retrying, deferred, leased, failed, dead, denied, hosts, bytes } = counters;
  return { pages, queued: queued + retrying + deferred, leased, failed: failed + dead + denied, hosts, bytes };
}
