/** The status of a partition as of what is durable, which its owner reports to others. */
import type { PartitionStatus } from '../../../topology/frontier/ask/crawl-end.ts';
import type { QueueSpread } from '../../../topology/frontier/ask/queue-sizes.ts';
import type { Leases } from '../../../topology/frontier/hosts/leases.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { QueueAges } from '../../../topology/frontier/queues/queue-ages.ts';
import type { Freshness } from '../../../topology/frontier/recrawl/freshness-now.ts';
import { type HeldTrap, heldTraps } from './held-traps.ts';
import { freshnessOf } from './measured-freshness.ts';
import { spreadOf } from './measured-queues.ts';

export interface Committed extends Omit<PartitionStatus, 'ends'> {
  /** The quota of the policy in force; null: there is none, or no policy yet. */
  readonly pageQuota: number | null;
  readonly paused: boolean;
  readonly readyHosts: number;
  readonly delayedHosts: number;
  /** Hosts on lease, each once, however many leases it has. */
  readonly leasedHosts: number;
  /** When the next of those may be contacted; null: there is none. */
  readonly nextReadyAtMs: number | null;
  /** Leases whose task no fetcher has taken yet; null: fetchers are in this process. */
  readonly tasksWaiting: number | null;
  /** How queued URLs are spread, as of a moment ago; undefined: not known yet. */
  readonly queueSpread: QueueSpread | undefined;
  /** Freshness as of a moment ago; null: nothing is to be fetched again. */
  readonly freshness: Freshness | null;
  /** Asked at the end of a crawl: the traps that stand, as of now. */
  traps(): readonly HeldTrap[];
  /** How long URLs have waited in the front queues. */
  queueAges(nowMs: number): ReturnType<QueueAges['at']>;
  /** The leases that are out, as of now. */
  leases(): Pick<Leases, 'get' | 'keys'>;
}

export function committedOf({ state, policy }: FrontierPartition, tasksWaiting: number | null): Committed {
  return {
    pageQuota: policy?.config.pageQuota ?? null,
    paused: policy?.config.paused ?? false,
    positions: { ...state.positions },
    counters: { ...state.counters },
    readyHosts: state.clock.ready,
    delayedHosts: state.clock.waiting,
    leasedHosts: state.hosts.leases.size,
    nextReadyAtMs: state.clock.nextReadyAtMs ?? null,
    tasksWaiting,
    queueSpread: spreadOf(state),
    freshness: freshnessOf(state),
    traps: () => heldTraps(state),
    queueAges: (nowMs) => state.queues.ages.at(nowMs),
    leases: () => state.leases,
  };
}
