/**
 * The frontier as a member of its consumer group: it owns its assigned partitions, keeps warm copies of others, and
 * hands over partitions that it must give up.
 *
 * The group only assigns partitions; the claim in a partition's changelog decides who owns it. So nothing is lost if
 * two members hold one partition for a moment: the newer claim counts. The older owner's next ack has an unexpected
 * offset, so it drops its memory. docs/design.md §4.2, §6.
 */

import type { CrawlstreamError } from '../../topology/errors.ts';
import type { KeyMode } from '../../topology/url/host-key.ts';
import { noFetcher } from '../runtime/crawl/fetcher-count.ts';
import type { Membership, StandbyPlace } from '../runtime/log/log.ts';
import type { StateStore } from '../runtime/store/store.ts';
import { commitLast, commitPositions } from './commit-positions.ts';
import { watchFetchers } from './demand/fetcher-watch.ts';
import { frontierPositions } from './frontier-metrics.ts';
import type { Committed } from './own/committed.ts';
import type { PartitionOwner } from './own/partition-owner.ts';
import type { Held } from './query/queries.ts';
import { waitsForText } from './restore/restore.ts';
import { PartitionTask, type PartitionTaskOptions } from './standby/partition-task.ts';
import type { Standby } from './standby/standby.ts';

export interface FrontierGroupOptions
  extends Omit<PartitionTaskOptions, 'openStore' | 'identity' | 'leasesMax' | 'fetchers' | 'onStopped'> {
  readonly crawl: string;
  readonly partitions: number;
  /** The key that assigns a host to its partition. Absent: its name. */
  readonly keyMode?: KeyMode | undefined;
  /** Fixed number of active leases for each partition; 0: there are no fetchers. Absent: as many as fetchers take. */
  readonly leasesPerPartition?: number | undefined;
  /** As in GroupOptions (../runtime/log/log.ts). */
  readonly instanceId?: string | undefined;
  readonly address?: string | undefined;
  readonly standbys?: number | undefined;
  /** Partitions with a state folder here. */
  holds?(): readonly number[];
  openStore(partition: number): Promise<StateStore>;
  /** Called when records of a partition stop it, while the others continue. */
  onStopped?(error: CrawlstreamError): void;
}

export interface FrontierGroup {
  /** Status of the partitions that this member owns; undefined while one is being restored. */
  committed(): ReadonlyMap<number, Committed | undefined>;
  /** The name of this member, as the others see it. */
  readonly name: string;
  /** This member's part of a partition. */
  held(partition: number): Held;
  /** The partitions that this member keeps a copy of. */
  standbys(): ReadonlyMap<number, Standby>;
  /** The owner of a partition, if it is this member. */
  owner(partition: number): PartitionOwner | undefined;
  readonly members: number;
  /** Number of members in the fetchers' group; null: unknown yet, or not watched. */
  readonly fetchers: number | null;
  /** Resolves once every partition assigned by now is restored and claimed, or assigned to another member. */
  ready(): Promise<void>;
  /** The partitions of this member that are being restored, or are stopped and why, in words; null: none. */
  waitsFor(): string | null;
  /** The copies of this member that have not caught up yet since they were assigned, in words; null: none. */
  warms(): string | null;
  /** A note in words if there is no fetcher; null: there is one, or it is unknown. */
  note(): string | null;
  /** The partitions of this member that have stopped. */
  stopped(): readonly number[];
  /** Hands everything over and leaves. */
  stop(): Promise<void>;
}

export async function joinFrontierGroup(options: FrontierGroupOptions): Promise<FrontierGroup> {
  const group = new JoinedFrontier(options);
  await group.join();
  return group;
}

/** Its public acts are fields, since callers hand out single ones. */
class JoinedFrontier implements FrontierGroup {
  readonly #options: FrontierGroupOptions;
  readonly #fetchers: ReturnType<typeof watchFetchers> | undefined;
  readonly #partitionTasks: readonly PartitionTask[];
  readonly #ofGroup: Pick<FrontierGroupOptions, 'log' | 'clock'> & { readonly group: string };
  readonly #committing = new AbortController();
  #commits: Promise<void> = Promise.resolve();
  /** Set by `join`. */
  #membership: Membership | undefined;
  #stopped = false;
  /** An outage of the brokers does not make a copy cold again. */
  readonly #warmed = new WeakSet<Standby>();

  constructor(options: FrontierGroupOptions) {
    this.#options = options;
    this.#fetchers = options.leasesPerPartition === 0 ? undefined : watchFetchers(options);
    this.#ofGroup = { log: options.log, clock: options.clock, group: `${options.crawl}.frontier` };
    this.#partitionTasks = Array.from({ length: options.partitions }, (_, partition) => this.#taskOf(partition));
  }

  #taskOf(partition: number): PartitionTask {
    const { crawl, partitions, keyMode, leasesPerPartition: leasesMax } = this.#options;
    const openStore = () => this.#options.openStore(partition);
    const identity = { crawl, partition, partitions, keyMode };
    const onStopped = (error: CrawlstreamError) => {
      if (this.#partitionTasks.every(({ owns, stopped: fault }) => !owns || fault !== undefined)) return false;
      this.#options.onStopped?.(error);
      return true;
    };
    return new PartitionTask({ ...this.#options, identity, leasesMax, fetchers: this.#fetchers, openStore, onStopped });
  }

  async join(): Promise<void> {
    const { crawl, partitions, log, onFailure, instanceId, address, standbys, holds } = this.#options;
    const joining = log.join({
      group: `${crawl}.frontier`,
      topics: ['discovered', 'results', 'control'].map((topic) => `${crawl}.${topic}`),
      partitions,
      instanceId,
      address,
      standbys: standbys ?? 0,
      ...(holds && { holds }),
      caughtUp: () =>
        this.#partitionTasks.flatMap(({ standby }, partition) => (standby?.status.hasCaughtUp ? [partition] : [])),
      onFailure,
      onAssigned: (owned, copies) => this.#assign(owned, copies),
    });
    this.#membership = await joining.catch(async (error) => {
      await this.#fetchers?.stop();
      throw error;
    });
    this.#commits = commitPositions({
      ...{ ...this.#ofGroup, signal: this.#committing.signal },
      positions: () => frontierPositions(crawl, this.committed()),
    });
    this.#commits.catch(onFailure);
  }

  #assign(owned: readonly number[], copies: readonly StandbyPlace[]): void {
    if (this.#stopped) return;
    const rankOf = new Map(copies.map(({ partition, rank }) => [partition, rank]));
    this.#partitionTasks.forEach((partitionTask, partition) => {
      const rank = rankOf.get(partition);
      if (owned.includes(partition)) partitionTask.take({ is: 'owner' });
      else partitionTask.take(rank === undefined ? { is: 'none' } : { is: 'standby', rank });
    });
  }

  readonly committed: FrontierGroup['committed'] = () =>
    new Map(
      this.#partitionTasks.flatMap(({ owner, stopped: fault }, partition) =>
        owner !== undefined || fault !== undefined ? [[partition, owner?.committed]] : [],
      ),
    );

  readonly standbys: FrontierGroup['standbys'] = () =>
    new Map(this.#partitionTasks.flatMap(({ standby }, partition) => (standby ? [[partition, standby]] : [])));

  readonly owner: FrontierGroup['owner'] = (partition) => this.#partitionTasks[partition]?.owner;
  get name() {
    return this.#membership!.name;
  }

  readonly held: FrontierGroup['held'] = (partition) => this.#partitionTasks[partition] ?? {};
  get members() {
    return this.#membership!.members;
  }

  get fetchers() {
    return this.#fetchers?.fetchers ?? null;
  }

  readonly ready: FrontierGroup['ready'] = async () => {
    await Promise.all(this.#partitionTasks.map(({ ready }) => ready));
  };

  readonly waitsFor: FrontierGroup['waitsFor'] = () => {
    const faults = this.#partitionTasks.flatMap(({ stopped: fault }) => (fault === undefined ? [] : [fault.message]));
    const isRestored = ({ owns, owner, stopped: fault }: PartitionTask) =>
      !owns || fault !== undefined || owner?.committed !== undefined;
    const restoring = waitsForText(
      this.#partitionTasks.flatMap((partitionTask, one) => (isRestored(partitionTask) ? [] : [one])),
    );
    return [...faults, ...(restoring === null ? [] : [restoring])].join('; ') || null;
  };

  readonly warms: FrontierGroup['warms'] = () => {
    const cold = this.#partitionTasks.flatMap((task, partition) =>
      task.copies && !this.#isWarm(task.standby) ? [partition] : [],
    );
    return cold.length === 0 ? null : `copying partition${cold.length === 1 ? '' : 's'} ${cold.join(', ')}`;
  };

  #isWarm(copy: Standby | undefined): boolean {
    if (copy?.status.hasCaughtUp) this.#warmed.add(copy);
    return copy !== undefined && this.#warmed.has(copy);
  }

  readonly stopped: FrontierGroup['stopped'] = () =>
    this.#partitionTasks.flatMap(({ stopped: fault }, partition) => (fault === undefined ? [] : [partition]));
  readonly note: FrontierGroup['note'] = () => (this.#fetchers?.fetchers === 0 ? noFetcher : null);
  readonly stop: FrontierGroup['stop'] = async () => {
    this.#stopped = true;
    this.#committing.abort();
    const owners = this.#partitionTasks.map(({ owner }, partition) => [partition, owner] as const);
    await Promise.all(this.#partitionTasks.map((partitionTask) => partitionTask.end()));
    await this.#fetchers?.stop();
    await this.#commits.catch(() => {});
    const last = owners.map(([partition, owner]) => [partition, owner?.committed] as const);
    await commitLast({ ...this.#ofGroup, positions: () => frontierPositions(this.#options.crawl, last) });
    await this.#membership!.leave();
  };
}
