/**
 * An owner's facts of its partitions that their logs do not have: the progress of a restore, the ready hosts, the
 * freshness of pages. They come from memory, so that a query costs a crawl nothing. Other members are asked by HTTP, at
 * the addresses that they gave their group.
 */
import type { FrontierMember } from '../../runtime/crawl/frontier-members.ts';
import type { Committed } from '../own/committed.ts';
import type { RestoreProgress } from '../restore/restore.ts';
import type { Asked, Queries } from './queries.ts';

export interface OwnPartition {
  readonly partition: number;
  /** Progress of its restore, 0 to 1. */
  readonly restored: number;
  /** Remaining time of the restore at the current rate, ms. */
  readonly restoreLeftMs: number;
  /** null: not restored yet. */
  readonly committed: Committed | null;
}

export type Restores = ReadonlyMap<number, RestoreProgress>;

export function ownPartitions(partitions: number, member: Asked, restores: Restores): OwnPartition[] {
  const own: OwnPartition[] = [];
  for (let partition = 0; partition < partitions; partition++) {
    const { owner } = member.held(partition);
    if (owner === undefined) continue;
    const committed = owner.committed ?? null;
    const progress = committed === null ? restores.get(partition) : undefined;
    const restored = progress === undefined ? 0 : progress.records / Math.max(1, progress.recordsTotal);
    const restoreLeftMs = progress?.leftMs ?? 0;
    own.push({ partition, restored: committed === null ? restored : 1, restoreLeftMs, committed });
  }
  return own;
}

/** The partitions of all members; a member that does not answer in time is left out. */
export async function reportedByOwners(
  queries: Pick<Queries, 'passOn'>,
  members: readonly FrontierMember[],
  self: string,
  own: readonly OwnPartition[],
): Promise<ReadonlyMap<number, OwnPartition>> {
  const others = members.filter(({ name, owned, address }) => name !== self && owned.length > 0 && address !== null);
  const answers = await Promise.all(others.map((member) => queries.passOn(member, '/partitions')));
  const reported = answers.flatMap((answer) => (answer?.body as { readonly own?: readonly OwnPartition[] })?.own ?? []);
  return new Map([...reported, ...own].map((one) => [one.partition, one]));
}
