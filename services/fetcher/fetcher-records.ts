/** The records that a fetcher publishes, and what keeps their order safe. */

import { fetcherLimits } from './fetcher-limits.ts';
import type { Running } from './fetcher-options.ts';
import { requestLimits } from './http/request-limits.ts';
import { createLateReports, type LateReports } from './leases/late-reports.ts';
import { bodyArchive, createExchangeRecords, type ExchangeRecords } from './publish/exchange-records.ts';
import { createLinkCache, type LinkCache } from './publish/link-cache.ts';
import { createPublisher, type Publisher } from './publish/publisher.ts';

export interface FetcherRecords {
  readonly publisher: Publisher;
  readonly linkCache: LinkCache;
  readonly lateReports: LateReports;
  /** undefined: no archive wants requests and responses. */
  readonly exchanges: ExchangeRecords | undefined;
  readonly archive: ReturnType<typeof bodyArchive> | undefined;
  readonly totalTimeoutMs: number;
}

export function openRecords({ options, clock, agreed, signal, fail }: Running): FetcherRecords {
  const { log, codec, config, crawl, partitions, keyMode, fetcherId } = options;
  const linkCache = createLinkCache(config.linkCacheEntries ?? fetcherLimits.linkCacheEntries, options.randomInt);
  const totalTimeoutMs = config.limits?.totalTimeoutMs ?? requestLimits.totalTimeoutMs;
  const lateReports = createLateReports(options.clock, signal, totalTimeoutMs);
  const publisher = createPublisher({
    log,
    codec,
    clock,
    topics: {
      pages: `${crawl}.pages`,
      discovered: `${crawl}.discovered`,
      results: `${crawl}.results`,
      responses: `${crawl}.responses`,
      render: `${crawl}.render`,
      robots: `${crawl}.robots`,
    },
    partitions,
    keyMode,
    fetcherId,
    names: agreed.namesOf,
    linkCache,
    onDurable(task, outcomes, last) {
      lateReports.durable(task, outcomes, last, clock.nowMs());
      if (last) options.onReported?.(task);
    },
    onFailure: fail,
  });
  const archive = config.archive && bodyArchive(config.archive);
  const exchanges = archive && createExchangeRecords(archive, publisher.responded);
  return { publisher, linkCache, lateReports, exchanges, archive, totalTimeoutMs };
}
