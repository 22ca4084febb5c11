/**
 * Every partition of a crawl, at once whatever is away: its present state or, if the brokers do not answer in time, its
 * last known state, with this process's own partitions as they are now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { OwnPartition } from './own-partitions.ts';
import { figuresOf, type PartitionPlace } from './partition-places.ts';

export interface KnownPlaces {
  /** Empty: the brokers have not answered since this process was started. */
  readonly partitions: readonly PartitionPlace[];
  /** How old that is, ms; null: it was never seen. */
  readonly ageMs: number | null;
}

export interface PlacesSeen {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Asks brokers and members, however long that takes. */
  look(): Promise<readonly PartitionPlace[]>;
  /** From memory. */
  own(): readonly OwnPartition[];
  /** Is it known that no broker answers? Then nobody waits for one. */
  isCutOff(): boolean;
}

/** Begins with a look, so that something is known from the start. */
export function keepPlaces({ clock, look, own, isCutOff }: PlacesSeen): () => Promise<KnownPlaces> {
  let seen: { readonly partitions: readonly PartitionPlace[]; readonly atMs: number } | undefined;
  let looking: Promise<void> | undefined;
  const begin = () => {
    looking ??= look()
      .then((partitions) => {
        seen = { partitions, atMs: clock.nowMs() };
      })
      .finally(() => (looking = undefined));
    return looking;
  };
  begin().catch(() => {});
  return async () => {
    const askedMs = clock.nowMs();
    const late = isCutOff() ? undefined : sleep(httpLimits.knownMs);
    // What keeps a look from its end is in /readyz and in the log.
    await Promise.race([begin(), late]).catch(() => {});
    if (seen === undefined) return { partitions: [], ageMs: null };
    if (seen.atMs >= askedMs) return { partitions: seen.partitions, ageMs: 0 };
    const ours = new Map(own().map((one) => [one.partition, one.committed]));
    const partitions = seen.partitions.map((place) => {
      const committed = ours.get(place.partition) ?? null;
      return committed === null ? place : { ...place, ...figuresOf(committed) };
    });
    return { partitions, ageMs: clock.nowMs() - seen.atMs };
  };
}
