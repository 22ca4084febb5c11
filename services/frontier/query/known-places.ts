/**
 * The status of all partitions of a crawl, without waiting for absent brokers: the current state or, if they do not
 * answer in time, the last known state with the current state of this process's own partitions.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';
import { httpLimits } from '../../runtime/http/http-limits.ts';
import type { OwnPartition } from './own-partitions.ts';
import { figuresOf, type PartitionPlace } from './partition-places.ts';

export interface KnownPlaces {
  /** Empty: the brokers have not answered since this process was started. */
  readonly partitions: readonly PartitionPlace[];
  /** Age of the state, ms; null: no state is known. */
  readonly ageMs: number | null;
}

export interface PlacesSeen {
  readonly clock: Pick<Clock, 'nowMs'>;
  /** Asks brokers and members, however long that takes. */
  look(): Promise<readonly PartitionPlace[]>;
  /** From memory. */
  own(): readonly OwnPartition[];
  /** True if it is known that no broker answers; callers then do not wait for one. */
  isCutOff(): boolean;
}

/** Asks once at the start, so that a state is known early. */
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
    // The error that prevents an answer is in /readyz and in the log.
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
