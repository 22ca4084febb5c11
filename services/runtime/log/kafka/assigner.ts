/**
 * Assigns partition numbers to members (warm-first.ts decides when each moves): the same numbers for all of a group's
 * topics (co-partitioned), counts that differ by at most one, and as few moves as possible. If there is a choice, a
 * partition moves to a member that has its state: in memory as a standby, or on disk from before.
 *
 * A member reports its partitions, and their generation of the group. If two members claim the same number, the later
 * generation is right, because the other member was away.
 */
import { matching } from './matching.ts';

export interface Claimant {
  readonly id: string;
  readonly owned: readonly number[];
  /** Generation in which it received `owned`. */
  readonly generation: number;
  /** Partitions that it has as a standby. */
  readonly standbys?: readonly number[];
  /** Partitions with a state on its disk. */
  readonly holds?: readonly number[];
}

/** Amount of a partition's state that a member has: 2, nearly all, in memory; 1, an older one on disk; 0, none. */
export type Warmth = (member: string, partition: number) => 0 | 1 | 2;

export function assign(members: readonly Claimant[], partitions: number): Map<string, number[]> {
  const ownerOf = owners(members, partitions);
  const warmth = warmthOf(members);
  const claims = members
    .map(({ id }) => ({ id, owned: [...ownerOf.keys()].filter((partition) => ownerOf.get(partition) === id) }))
    .sort((a, b) => b.owned.length - a.owned.length || (a.id < b.id ? -1 : 1));
  const least = Math.floor(partitions / members.length);
  let extras = partitions % members.length;
  const free = new Set(Array.from({ length: partitions }, (_, partition) => partition));
  const receivers = claims.filter(({ owned }) => owned.length < least);
  const wanted = (partition: number) => Math.max(0, ...receivers.map(({ id }) => warmth(id, partition)));
  // Members with the most partitions keep one more than the others, so that as few as possible move. Partitions for
  // which the new member has the state are given up first.
  const shares = claims.map(({ id, owned }) => {
    const quota = extras > 0 && owned.length > least ? least + 1 : least;
    if (quota > least) extras--;
    const kept = owned.sort((a, b) => wanted(a) - wanted(b) || a - b).slice(0, quota);
    for (const partition of kept) free.delete(partition);
    return { id, kept, quota };
  });
  const left = [...free];
  const warmFor = ({ id }: { readonly id: string }) => left.filter((partition) => warmth(id, partition) === 2).length;
  const more = shares.filter(({ quota }) => quota === least).sort((a, b) => warmFor(b) - warmFor(a));
  for (const share of more.slice(0, extras)) share.quota += 1;
  const rooms = new Map(shares.map(({ id, kept, quota }) => [id, quota - kept.length]));
  const given = new Map<number, string>();
  for (const least of [2, 1, 0] as const) {
    const open = left.filter((partition) => !given.has(partition));
    const fits = (partition: number) => members.map(({ id }) => id).filter((id) => warmth(id, partition) >= least);
    for (const [partition, id] of matching(open, fits, rooms)) {
      given.set(partition, id);
      rooms.set(id, rooms.get(id)! - 1);
    }
  }
  for (const { id, kept } of shares) kept.push(...left.filter((partition) => given.get(partition) === id));
  return new Map(shares.map(({ id, kept }) => [id, kept.sort((a, b) => a - b)]));
}

export function warmthOf(members: readonly Claimant[]): Warmth {
  const inMemory = new Map(members.map(({ id, owned, standbys = [] }) => [id, new Set([...owned, ...standbys])]));
  const onDisk = new Map(members.map(({ id, holds = [] }) => [id, new Set(holds)]));
  return (id, partition) => (inMemory.get(id)?.has(partition) ? 2 : onDisk.get(id)?.has(partition) ? 1 : 0);
}

/** Returns, by partition, the present member that had it last. */
export function owners(members: readonly Claimant[], partitions: number): Map<number, string> {
  const owner = new Map<number, Claimant>();
  for (const member of members) {
    for (const partition of member.owned) {
      if (partition < 0 || partition >= partitions) continue;
      const other = owner.get(partition);
      if (!other || member.generation > other.generation) owner.set(partition, member);
    }
  }
  return new Map([...owner].map(([partition, { id }]) => [partition, id]));
}
