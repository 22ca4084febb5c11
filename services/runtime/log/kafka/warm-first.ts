/**
 * Partitions with state move to a member once its copy of the state has caught up (KIP-441). Until then, they stay
 * with their owner, or go to a member with a copy, even beyond its share, while the new member warms up a copy. After
 * `warmUpMsMax`, the new member gets them even if its copy has not caught up.
 */
export interface Warming {
  readonly id: string;
  /** Partitions with a copy that lacks only the newest state. Absent: a group or release without state to warm up. */
  readonly caughtUp?: readonly number[] | undefined;
  /** Time for which it has warmed up a copy of a partition that it will get, ms. */
  readonly warmingMs?: Readonly<Record<string, number>> | undefined;
}

export interface WarmFirst {
  /** By member: the partitions that it owns now. */
  readonly shares: Map<string, number[]>;
  /** By member: the partitions to warm up. */
  readonly warmUps: Map<string, number[]>;
}

/** `target`: intended owners. `owners`: remaining owners of the previous generation. */
export function warmFirst(
  target: ReadonlyMap<string, readonly number[]>,
  owners: ReadonlyMap<number, string>,
  members: readonly Warming[],
  warmUpMsMax: number,
): WarmFirst {
  const byId = new Map(members.map((member) => [member.id, member]));
  const shares = new Map<string, number[]>([...target.keys()].map((id) => [id, []]));
  const warmUps = new Map<string, number[]>();
  const hasCaughtUp = (id: string, partition: number) => byId.get(id)?.caughtUp?.includes(partition) ?? false;
  const isReady = (id: string, partition: number) => {
    const { caughtUp, warmingMs = {} } = byId.get(id)!;
    if (caughtUp === undefined || owners.get(partition) === id || hasCaughtUp(id, partition)) return true;
    return (warmingMs[partition] ?? 0) >= warmUpMsMax;
  };
  const meant = [...target].flatMap(([id, partitions]) => partitions.map((partition) => ({ id, partition })));
  const later: typeof meant = [];
  for (const one of meant) {
    if (isReady(one.id, one.partition)) shares.get(one.id)!.push(one.partition);
    else later.push(one);
  }
  for (const { id, partition } of later) {
    const keeper = owners.get(partition) ?? leastLoaded(shares, (one) => hasCaughtUp(one, partition));
    shares.get(keeper ?? id)!.push(partition);
    if (keeper !== undefined) warmUps.set(id, [...(warmUps.get(id) ?? []), partition]);
  }
  for (const owned of shares.values()) owned.sort((a, b) => a - b);
  return { shares, warmUps };
}

function leastLoaded(shares: ReadonlyMap<string, readonly number[]>, fits: (id: string) => boolean) {
  const ids = [...shares.keys()].filter(fits);
  return ids.sort((a, b) => shares.get(a)!.length - shares.get(b)!.length)[0];
}
