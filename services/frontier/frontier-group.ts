/**
 * The frontier as a member of its consumer group: owns the partitions it is assigned, and hands over those it is not.
 *
 * The group only says who should try; who owns a partition is settled by the claim in its changelog. So nothing is lost
 * where two members hold one partition for a moment: the newer claim counts, and the older owner, whose next ack is not
 * the offset it expects, drops its memory. DESIGN §4.2, §6.
 */
import type { FrontierPartition } from '../../topology/frontier/partition.ts';
import type { Membership } from '../runtime/log/log.ts';
import type { StateStore } from '../runtime/store/store.ts';
import type { Committed, OwnerOptions } from './partition-owner.ts';
import { PartitionOwner } from './partition-owner.ts';
import { waitsForText } from './restore.ts';

export interface FrontierGroupOptions extends Omit<OwnerOptions, 'store' | 'identity' | 'leasesMax'> {
  readonly crawl: string;
  readonly partitions: number;
  /** Leases out at once for each partition. */
  readonly leasesPerPartition: number;
  openStore(partition: number): Promise<StateStore>;
  onFailure(error: unknown): void;
}

export interface FrontierGroup {
  /** Of the partitions this member owns. */
  committed(): ReadonlyMap<number, Committed | undefined>;
  readonly members: number;
  /** Resolves once every partition assigned by now is restored and claimed, or assigned to another member. */
  ready(): Promise<void>;
  /** The partitions of this member that are being restored, in words; null: none. */
  waitsFor(): string | null;
  /** Hands everything over and leaves. */
  stop(): Promise<void>;
}

export async function joinFrontierGroup(options: FrontierGroupOptions): Promise<FrontierGroup> {
  const { crawl, partitions, log, onFailure } = options;
  const owners = new Map<number, PartitionOwner>();
  /** A partition's turns: it is opened again only when its last owner here has closed its store. */
  const turns = new Map<number, Promise<void>>();
  let stopped = false;

  const own = (partition: number) => {
    const identity = { crawl, partition, partitions };
    let wanted = true;
    let settle = () => {};
    const opened = new Promise<void>((resolve) => (settle = resolve));
    const handle = { stop: () => (wanted = false), owner: undefined as PartitionOwner | undefined, opened };
    const onOpened = (core: FrontierPartition) => {
      options.onOpened?.(core);
      settle();
    };
    const turn = (turns.get(partition) ?? Promise.resolve()).then(async () => {
      if (!wanted || stopped) return settle();
      const store = await options.openStore(partition);
      try {
        const leasesMax = options.leasesPerPartition;
        const owner = new PartitionOwner({ ...options, store, identity, leasesMax, onOpened });
        handle.owner = owner;
        owners.set(partition, owner);
        if (wanted) await owner.run();
      } finally {
        settle();
        owners.delete(partition);
        await store.close();
      }
    });
    turns.set(
      partition,
      turn.catch((error) => onFailure(error)),
    );
    return handle;
  };

  const handles = new Map<number, ReturnType<typeof own>>();
  const release = (partition: number) => {
    const handle = handles.get(partition);
    handles.delete(partition);
    handle?.stop();
    handle?.owner?.stop();
  };

  const membership: Membership = await log.join({
    group: `${crawl}.frontier`,
    topics: ['discovered', 'results', 'control'].map((topic) => `${crawl}.${topic}`),
    onFailure,
    onAssigned: (assigned) => {
      for (const partition of handles.keys()) if (!assigned.includes(partition)) release(partition);
      for (const partition of assigned) if (!handles.has(partition)) handles.set(partition, own(partition));
    },
  });

  return {
    committed: () => new Map([...owners].map(([partition, owner]) => [partition, owner.committed])),
    get members() {
      return membership.members;
    },
    ready: async () => {
      await Promise.all([...handles.values()].map(({ opened }) => opened));
    },
    waitsFor: () => waitsForText([...handles.keys()].filter((one) => owners.get(one)?.committed === undefined)),
    stop: async () => {
      stopped = true;
      for (const partition of [...handles.keys()]) release(partition);
      await Promise.all(turns.values());
      await membership.leave();
    },
  };
}
