/**
 * Partitions with state move to a member once its copy of the state has caught up (KIP-441): until then they stay with
 * their owner, or go to a member that has a copy, even if it then has more than its share, while the member they are
 * meant for warms up a copy. After `warmUpMsMax` it gets them even if its copy has not caught up.
 */
export interface Warming {
  readonly id: string;
  /** Partitions of which it has all but the newest state. Absent: of a group or release without state to warm. */
  readonly caughtUp?: readonly number[] | undefined;
  /** For how long it has warmed a copy up for a partition that is meant for it, ms. */
  readonly warmingMs?: Readonly<Record<string, number>> | undefined;
}

export interface WarmFirst {
  /** By member: what it owns now. */
  readonly shares: Map<string, number[]>;
  /** By member: what it is to warm up. */
  readonly warmUps: Map<string, number[]>;
}

/** `target`: where partitions are meant to be. `owners`: of the generation before, as far as they are still there. */
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
