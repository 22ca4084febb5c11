/**
 * Finds partitions beyond the crawl's number, which `kafka-topics --alter` adds to a topic. No process reads or writes
 * them, since keys lead to partitions by the number in the manifest.
 */
import { topicsOfCrawl } from '../../../topology/topics.ts';
import type { Clock } from '../clock.ts';
import { counted } from '../counted.ts';
import type { Log } from '../log/log.ts';

export interface Surplus {
  readonly topic: string;
  readonly partitions: number;
}

export interface CountedCrawl {
  readonly log: Pick<Log, 'partitionsOf'>;
  readonly crawl: string;
  /** The number of partitions in the manifest. */
  readonly partitions: number;
}

export async function surplusOf({ log, crawl, partitions }: CountedCrawl): Promise<Surplus[]> {
  const names = topicsOfCrawl(crawl, partitions).map(({ name }) => name);
  const counts = await Promise.all(names.map((name) => log.partitionsOf(name)));
  return names.flatMap((topic, i) => (counts[i]! > partitions ? [{ topic, partitions: counts[i]! }] : []));
}

/** Returns a warning about surplus partitions; null: there are none. */
export function surplusText(surplus: readonly Surplus[], partitions: number): string | null {
  if (surplus.length === 0) return null;
  const which = surplus.map((one) => `${one.topic} has ${one.partitions}`).join(', ');
  return `the crawl has ${counted(partitions, 'partition')}, but ${which}: the extra partitions are not read (to use more, run crawlstream repartition)`;
}

export interface SurplusWatch extends CountedCrawl {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Called at each change. */
  onChange(text: string | null): void;
}

/** Topics rarely change: once a minute is often enough. */
const lookEveryMs = 60_000;

/** Watches until `signal` aborts. An unreachable broker is asked again later. */
export async function watchSurplus({ clock, signal, onChange, ...counted }: SurplusWatch): Promise<void> {
  let lastText: string | null = null;
  while (!signal.aborted) {
    const text = await surplusOf(counted).then(
      (found) => surplusText(found, counted.partitions),
      () => lastText,
    );
    if (text !== lastText && !signal.aborted) onChange(text);
    lastText = text;
    await clock.sleepUntil(clock.nowMs() + lookEveryMs, signal);
  }
}
