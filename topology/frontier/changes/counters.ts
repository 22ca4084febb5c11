/** Counters of one partition: tallies, and the numbers of admitted URLs by place. Every commit carries them. */
import type { ByteReader, ByteWriter } from '../storage/bytes.ts';
import type { PlaceName, TallyName } from './changes.ts';
import { placeNames, tallyNames } from './changes.ts';

/** Each by its name: how often a decision was made, or how many URLs are in a place. */
export type Counters = { -readonly [name in CounterName]: number };
export type CounterName = TallyName | PlaceName | (typeof otherNames)[number];

/** `hosts`: host keys known. `quotaSpent`: pages spent of the quota, refunds taken off. */
const otherNames = ['admitted', 'hosts', 'leases', 'quotaGranted', 'quotaReturned', 'quotaSpent'] as const;

export const counterNames: readonly CounterName[] = [...otherNames, ...placeNames, ...tallyNames];

/** Counters that were added after digests were first kept in snapshots. */
const laterNames: ReadonlySet<CounterName> = new Set(tallyNames.slice(tallyNames.indexOf('untaken')));

/**
 * The counters that digests and checks cover: those added later only if they are not zero, so that older digests still
 * hold.
 */
export function countersPresent(counters: Counters): readonly CounterName[] {
  return counterNames.filter((name) => counters[name] > 0 || !laterNames.has(name));
}

const zeros = Object.fromEntries(counterNames.map((name) => [name, 0])) as Counters;

export function zeroCounters(): Counters {
  return { ...zeros };
}

export function sumCounters(all: readonly Counters[]): Counters {
  const sum = zeroCounters();
  for (const counters of all) for (const name of counterNames) sum[name] += counters[name];
  return sum;
}

/** The URLs that conservation misses: admitted, less the sum of all places. Anything but zero is a bug. */
export function lostUrls(counters: Counters): number {
  return placeNames.reduce((left, name) => left - counters[name], counters.admitted);
}

/**
 * Pages fetched, each visit counted: it only grows, while `page` falls when known pages are on lease again. A lease
 * uses the quota, and outcomes without a page refund it.
 */
export function pagesFetched({ quotaSpent, leased }: Counters): number {
  return quotaSpent - leased;
}

export function writeCounters(writer: ByteWriter, counters: Counters): void {
  writer.uint(counterNames.length);
  for (const name of counterNames) writer.uint(counters[name]);
}

/** Counters a newer writer appended are skipped; ones an older writer lacked are zero. */
export function readCounters(reader: ByteReader): Counters {
  const counters = zeroCounters();
  const length = reader.uint();
  for (let i = 0; i < length; i++) {
    const value = reader.uint();
    const name = counterNames[i];
    if (name !== undefined) counters[name] = value;
  }
  return counters;
}
