/**
 * Who gets which partition numbers: the same for all of a group's topics (co-partitioned), counts that differ by at most
 * one, and as few moves as that allows.
 *
 * A member tells what it held and in which generation of the group; where two claim a number, the later generation is
 * right, as the earlier one comes from a member that was away.
 */
export interface Claimant {
  readonly id: string;
  readonly owned: readonly number[];
  /** In which `owned` was given to it. */
  readonly generation: number;
}

export function assign(members: readonly Claimant[], partitions: number): Map<string, number[]> {
  const ownerOf = owners(members, partitions);
  const claims = members
    .map(({ id }) => ({ id, owned: [...ownerOf.keys()].filter((partition) => ownerOf.get(partition) === id) }))
    .sort((a, b) => b.owned.length - a.owned.length || (a.id < b.id ? -1 : 1));
  const least = Math.floor(partitions / members.length);
  let extras = partitions % members.length;
  const free = new Set(Array.from({ length: partitions }, (_, partition) => partition));
  // Those who hold most keep one more than the others, so that least moves.
  const shares = claims.map(({ id, owned }) => {
    const quota = extras > 0 && owned.length > least ? least + 1 : least;
    if (quota > least) extras--;
    const kept = owned.sort((a, b) => a - b).slice(0, quota);
    for (const partition of kept) free.delete(partition);
    return { id, kept };
  });
  const left = [...free];
  for (const { kept } of shares) while (kept.length < least) kept.push(left.shift() as number);
  for (const { kept } of shares) if (left.length > 0 && kept.length === least) kept.push(left.shift() as number);
  return new Map(shares.map(({ id, kept }) => [id, kept.sort((a, b) => a - b)]));
}

function owners(members: readonly Claimant[], partitions: number): Map<number, string> {
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
