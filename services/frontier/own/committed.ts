/** The durable status of a partition, which its owner reports. */
import type { PartitionStatus } from '../../../topology/frontier/ask/crawl-end.ts';
import type { QueueSpread } from '../../../topology/frontier/ask/queue-sizes.ts';
import type { Leases } from '../../../topology/frontier/hosts/leases.ts';
import type { FrontierPartition } from '../../../topology/frontier/partition.ts';
import type { QueueAges } from '../../../topology/frontier/queues/queue-ages.ts';
import type { Freshness } from '../../../topology/frontier/recrawl/freshness-now.ts';
import type { Clock } from '../../runtime/clock.ts';
import { type HeldTrap, heldTraps } from './held-traps.ts';
import { freshnessOf } from './measured-freshness.ts';
import { spreadOf } from './measured-queues.ts';

/** `atMs`: when the host may be contacted. */
export interface NextContact {
  readonly hostKey: string;
  readonly atMs: number;
}

export interface Committed extends Omit<PartitionStatus, 'ends'> {
  /** Page quota of the current policy; null: none, or no policy yet. */
  readonly pageQuota: number | null;
  readonly paused: boolean;
  /** Hosts that may be contacted, and hosts that may not yet: at the time of reading, also while nothing is granted. */
  readonly readyHosts: number;
  readonly delayedHosts: number;
  /** Hosts on lease, each once, however many leases it has. */
  readonly leasedHosts: number;
  /** The first of these hosts that may be contacted; null: none of them. */
  readonly nextContact: NextContact | null;
  /** Leases with a task that no fetcher has taken yet; null: fetchers are in this process. */
  readonly tasksWaiting: number | null;
  /** Distribution of queued URLs, recent but not current; undefined: not known yet. */
  readonly queueSpread: QueueSpread | undefined;
  /** Freshness, recent but not current; null: no page is scheduled again. */
  readonly freshness: Freshness | null;
  /** The current active traps, for the end of a crawl. */
  traps(): readonly HeldTrap[];
  /** How long URLs have waited in the front queues. */
  queueAges(nowMs: number): ReturnType<QueueAges['at']>;
  /** The current active leases. */
  leases(): Pick<Leases, 'get' | 'keys'>;
}

export function committedOf(
  { state, policy }: FrontierPartition,
  tasksWaiting: number | null,
  clock: Pick<Clock, 'nowMs'>,
): Committed {
  return {
    pageQuota: policy?.config.pageQuota ?? null,
    paused: policy?.config.paused ?? false,
    positions: { ...state.positions },
    counters: { ...state.counters },
    get readyHosts() {
      return state.clock.ready + state.clock.due(clock.nowMs());
    },
    get delayedHosts() {
      return state.clock.waiting - state.clock.due(clock.nowMs());
    },
    leasedHosts: state.hosts.leases.size,
    get nextContact() {
      const { nextReadyAtMs: atMs, nextReadyHost: host } = state.clock;
      return atMs === undefined || host === undefined ? null : { atMs, hostKey: state.hosts.keys.keyOf(host) };
    },
    tasksWaiting,
    queueSpread: spreadOf(state),
    freshness: freshnessOf(state),
    traps: () => heldTraps(state),
    queueAges: (nowMs) => state.queues.ages.at(nowMs),
    leases: () => state.leases,
  };
}
