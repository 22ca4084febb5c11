/** The frontier service: an owner per partition, over one log. */
import type { PartitionIdentity } from '../../topology/frontier/decide/decision.ts';
import type { KeyMode } from '../../topology/url/host-key.ts';
import type { StateStore } from '../runtime/store/store.ts';
import type { Committed } from './own/committed.ts';
import type { OwnerOptions } from './own/partition-owner.ts';
import { PartitionOwner } from './own/partition-owner.ts';
import { waitsForText } from './restore/restore.ts';

export interface FrontierOptions extends Omit<OwnerOptions, 'store' | 'identity' | 'leasesMax' | 'fetchers'> {
  readonly crawl: string;
  readonly partitions: number;
  /** The key that leads a host to its partition. Absent: its name. */
  readonly keyMode?: KeyMode | undefined;
  /** The state store of each partition; its opener closes it, after `stop`. */
  readonly stores: readonly StateStore[];
  /** Leases that may be out at once, over all partitions. */
  readonly leasesMax: number;
  /**
   * Leases that the fetcher beside it would hold now, including current ones; `look` wakes it when the number grows.
   * Absent: `leasesMax`.
   */
  readonly leasesHeld?: (() => number) | undefined;
  /** Leases of a partition that take no place with that fetcher: as many more may be out. Absent: none. */
  readonly leasesAside?: ((partition: number) => number) | undefined;
}

export interface Frontier {
  /** The durable status of each partition; undefined while it is being opened. */
  committed(): readonly (Committed | undefined)[];
  /** The partitions that are being restored, in words; null: none. */
  waitsFor(): string | null;
  /** The owner of each partition, by number. */
  readonly owners: readonly PartitionOwner[];
  /** Resolves once every owner has ended; rejects with the first failure. */
  readonly ended: Promise<void>;
  /** Call when more leases may be granted. */
  look(): void;
  /** Grants no more leases: the fetchers are about to stop. */
  endGrants(): void;
  stop(): Promise<void>;
}

/**
 * The share of a partition: at least one if there are any leases, because a partition without grants would never end.
 */
function shareOf(leases: number, partition: number, partitions: number): number {
  return Math.min(leases, Math.max(1, Math.floor(leases / partitions) + (partition < leases % partitions ? 1 : 0)));
}

export function startFrontier(options: FrontierOptions): Frontier {
  const { crawl, partitions, keyMode, stores, leasesHeld = () => Number.POSITIVE_INFINITY } = options;
  const owners = stores.map((store, partition) => {
    const identity: PartitionIdentity = { crawl, partition, partitions, keyMode };
    const share = shareOf(options.leasesMax, partition, partitions);
    const leasesMax = () => Math.min(share + (options.leasesAside?.(partition) ?? 0), leasesHeld());
    return new PartitionOwner({ ...options, store, identity, leasesMax });
  });
  const stopAll = () => {
    for (const owner of owners) owner.stop();
  };
  const runs = owners.map((owner) => owner.run());
  // If one partition cannot go on, all of them end: a crawl in which one partition stopped would never end.
  const ended = Promise.all(runs).then(() => {});
  ended.catch(stopAll);
  return {
    committed: () => owners.map((owner) => owner.committed),
    waitsFor: () => waitsForText([...owners.keys()].filter((partition) => owners[partition]!.committed === undefined)),
    owners,
    ended,
    look: () => {
      for (const owner of owners) owner.calls.wake();
    },
    endGrants: () => {
      for (const owner of owners) owner.endGrants();
    },
    stop: async () => {
      stopAll();
      await Promise.allSettled(runs);
    },
  };
}
