/** Messages between a crawl's process and its fetch workers, beside the calls of the log. */
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import type { FetcherConfig } from '../../fetcher/fetcher-config.ts';
import type { FetcherStats } from '../../fetcher/fetcher-stats.ts';
import type { Manifest } from '../../runtime/data-folder/manifest.ts';
import type { Distribution } from '../../runtime/metrics/distribution.ts';

/** A fetcher's configuration without what cannot leave its process. */
export type PlainFetcherConfig = Omit<
  FetcherConfig,
  'groupSize' | 'hooks' | 'openPayments' | 'onPolicy' | 'onReport' | 'onPage' | 'room' | 'say' | 'outside'
>;

/** Given to a worker as its first order, by the call `begin`. */
export interface WorkerOrders {
  readonly manifest: Pick<Manifest, 'crawl' | 'partitions' | 'keyMode'>;
  readonly config: PlainFetcherConfig;
  /** The `normalize` part of the current policy. */
  readonly normalize: PolicyConfig['normalize'];
  /** Paths of plugins, absolute: each worker loads them for itself. */
  readonly plugins: readonly string[];
  /** Time of the crawl, which may be ahead of the machine's. ms since the Unix epoch */
  readonly nowMs: number;
  /** Spans are wanted. */
  readonly isTraced: boolean;
}

type Spread = Pick<Distribution, 'counts' | 'sum'>;

/** The form that is sent over a channel: distributions as their counts. */
export interface PlainStats extends Omit<FetcherStats, 'requestSeconds' | 'hostIntervalSeconds'> {
  readonly requestSeconds: Spread;
  readonly hostIntervalSeconds: Spread;
}

export function plainStats(stats: FetcherStats): PlainStats {
  const plain = ({ counts, sum }: Spread): Spread => ({ counts, sum });
  const { requestSeconds, hostIntervalSeconds, hooks } = stats;
  return {
    ...stats,
    requestSeconds: plain(requestSeconds),
    hostIntervalSeconds: plain(hostIntervalSeconds),
    hooks: hooks.map((one) => ({ ...one })),
  };
}
