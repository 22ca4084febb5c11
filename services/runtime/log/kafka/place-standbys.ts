/**
 * Decides which members keep a standby copy of which partition: `count` members each if there are enough, never the
 * owner. Copies are spread evenly, so that the standbys of a dead member's partitions are on all the others, which
 * then own equally many again. Within these limits, copies stay where they are, and new ones go to members with some
 * of the state.
 *
 * The first copy of every partition is placed, then the second, in the order of ranks.
 */
import type { StandbyPlace } from '../log.ts';
import type { Warmth } from './assigner.ts';
import { matching } from './matching.ts';

export interface Standbys {
  /** By member: its own partitions. */
  readonly shares: ReadonlyMap<string, readonly number[]>;
  /** Members that keep copies. */
  readonly able: readonly string[];
  readonly count: number;
  readonly warmth: Warmth;
}

export function placeStandbys({ shares, able, count, warmth }: Standbys): Map<string, StandbyPlace[]> {
  const ownerOf = new Map([...shares].flatMap(([id, owned]) => owned.map((partition) => [partition, id] as const)));
  const partitions = [...ownerOf.keys()].sort((a, b) => a - b);
  const usedBy = new Map([...ownerOf].map(([partition, id]) => [partition, new Set([id])]));
  const places = new Map<string, StandbyPlace[]>(able.map((id) => [id, []]));
  for (let rank = 1; rank <= count; rank++) {
    const room = Math.ceil((rank * partitions.length) / able.length);
    const rooms = new Map(able.map((id) => [id, room - places.get(id)!.length]));
    const fits = (partition: number, has: ReadonlyMap<string, ReadonlySet<number>>) => {
      const siblings = shares.get(ownerOf.get(partition)!)!;
      const each = Math.ceil(siblings.length / Math.max(1, able.length - 1));
      const ranked = able
        .filter((id) => !usedBy.get(partition)!.has(id))
        .map((id) => {
          const mine = has.get(id)!;
          const together = siblings.filter((one) => one !== partition && mine.has(one)).length;
          return { id, crowded: Number(together >= each), warm: warmth(id, partition), together, load: mine.size };
        });
      ranked.sort((a, b) => a.crowded - b.crowded || b.warm - a.warm || a.together - b.together || a.load - b.load);
      return ranked.map(({ id }) => id);
    };
    // Existing copies are placed first.
    const isThere = (partition: number) =>
      able.some((id) => !usedBy.get(partition)!.has(id) && warmth(id, partition) === 2);
    const order = [...partitions.filter(isThere), ...partitions.filter((partition) => !isThere(partition))];
    for (const [partition, id] of matching(order, fits, rooms)) {
      places.get(id)!.push({ partition, rank });
      usedBy.get(partition)!.add(id);
    }
  }
  for (const all of places.values()) all.sort((a, b) => a.partition - b.partition);
  return places;
}
