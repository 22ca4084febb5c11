/**
 * Matches partitions with members, within each member's room: as many partitions as possible (augmenting paths, Kuhn
 * 1955). `fits` lists the members for a partition, the best first, and may read the current matches. A partition may
 * be moved to another of its members, so that one more finds a place.
 */
export function matching(
  partitions: readonly number[],
  fits: (partition: number, has: ReadonlyMap<string, ReadonlySet<number>>) => readonly string[],
  rooms: ReadonlyMap<string, number>,
): Map<number, string> {
  const given = new Map<number, string>();
  const has = new Map<string, Set<number>>([...rooms.keys()].map((id) => [id, new Set()]));

  const give = (partition: number, id: string): true => {
    has.get(given.get(partition) ?? '')?.delete(partition);
    has.get(id)!.add(partition);
    given.set(partition, id);
    return true;
  };
  const place = (partition: number, tried: Set<string>): boolean => {
    const members = fits(partition, has);
    const roomy = members.find((id) => has.get(id)!.size < rooms.get(id)!);
    if (roomy !== undefined) return give(partition, roomy);
    for (const id of members) {
      if (tried.has(id)) continue;
      tried.add(id);
      for (const other of has.get(id)!) if (place(other, tried)) return give(partition, id);
    }
    return false;
  };

  for (const partition of partitions) place(partition, new Set());
  return given;
}
