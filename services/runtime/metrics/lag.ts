/**
 * The lag of consumer groups, and the age of the oldest record that each has not handled.
 *
 * Ends of partitions and times of records are requested every few seconds, independently of scrapes. A scrape returns
 * the last known values with their age, so an absent broker does not delay it. While a broker is away, the values stay
 * and the ages grow: a group that stops with its brokers falls behind, as far as is known.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type TopicName, topics } from '../../../topology/topics.ts';
import type { Clock } from '../clock.ts';
import type { Log, Position } from '../log/log.ts';
import type { MetricSink, MetricSource } from './metrics.ts';

export interface Lagging {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly clock: Clock;
  readonly group: string;
  /** The current next offset to handle, by partition of full topic names. */
  positions(): readonly Position[];
}

/** Last known range of a partition. */
interface Seen {
  readonly start: number;
  readonly end: number;
  /** Time of the measurement, by the clock. */
  readonly atMs: number;
  /** Offset and time of the first record from `offset` on; null: there was none, or it could not be read in time. */
  oldest: { readonly offset: number; readonly timestampMs: number } | null;
}

/** Time between two measurements, ms. Each requests the ends of all partitions, and a record of those with a lag. */
const everyMs = 10_000;
/** A partition that is new since the last measurement is measured after this time, ms. */
const newMs = 500;
/** Longest time for reading old records in a measurement, ms: one record for each partition with a lag. */
const readMs = 1_000;

export class LagWatch {
  readonly #groups = new Map<Lagging, Map<string, Seen>>();

  /** Call the function that it returns when the group is left. */
  add(lagging: Lagging): () => void {
    this.#groups.set(lagging, new Map());
    return () => void this.#groups.delete(lagging);
  }

  /** Current positions of each group, for another process that measures the lag. */
  positions(): [group: string, positions: readonly Position[]][] {
    return [...this.#groups.keys()].map(({ group, positions }) => [group, positions()]);
  }

  /** Forgets all groups. */
  clear(): void {
    this.#groups.clear();
  }

  /** Reports the last known values, without waiting. */
  readonly metrics: MetricSource = (sink) => {
    for (const [lagging, seen] of this.#groups) groupMetrics(sink, lagging, seen);
  };

  /** Sees how far each group is, regularly, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const looking = new Set<Lagging>();
    const lookedAt = new WeakMap<Lagging, number>();
    while (!signal.aborted) {
      for (const [lagging, seen] of this.#groups) {
        if (looking.has(lagging)) continue;
        const isNew = lagging.positions().some((position) => !seen.has(nameOf(position)));
        if (!isNew && performance.now() - (lookedAt.get(lagging) ?? -everyMs) < everyMs) continue;
        looking.add(lagging);
        lookedAt.set(lagging, performance.now());
        // A broker that is away ends a look, and no more.
        void look(lagging, seen)
          .catch(() => {})
          .finally(() => looking.delete(lagging));
      }
      await sleep(newMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }
}

function groupMetrics(sink: MetricSink, { group, clock, positions }: Lagging, seen: ReadonlyMap<string, Seen>): void {
  const nowMs = clock.nowMs();
  let ageMs = -1;
  for (const position of positions()) {
    const { topic, partition, offset } = position;
    const known = seen.get(nameOf(position));
    if (known === undefined) continue;
    const { start, end, atMs, oldest } = known;
    const labels = { group, topic, partition };
    ageMs = Math.max(ageMs, nowMs - atMs);
    const left = Math.max(0, end - Math.max(start, offset));
    sink.value('crawlstream_lag_records', left, labels);
    if (isForgotten(topic)) {
      sink.value('crawlstream_lag_retained_ratio', start === 0 || end === start ? 0 : left / (end - start), labels);
    }
    if (offset >= end) sink.value('crawlstream_lag_seconds', 0, labels);
    else if (oldest !== null) {
      sink.value('crawlstream_lag_seconds', Math.max(0, nowMs - oldest.timestampMs) / 1000, labels);
    }
  }
  if (ageMs >= 0) sink.value('crawlstream_lag_age_seconds', ageMs / 1000, { group });
}

/** True if the topic has an age limit. State topics are trimmed below decided records. */
function isForgotten(topic: string): boolean {
  const name = topic.slice(topic.lastIndexOf('.') + 1) as TopicName;
  return topics[name]?.retention === 'time';
}

async function look(lagging: Lagging, seen: Map<string, Seen>): Promise<void> {
  const { log, clock } = lagging;
  const positions = lagging.positions();
  const names = new Set(positions.map(nameOf));
  for (const name of seen.keys()) if (!names.has(name)) seen.delete(name);
  const behind: Position[] = [];
  await Promise.all(
    positions.map(async (position) => {
      const { topic, partition, offset } = position;
      const { start, end } = await log.offsets(topic, partition);
      const from = Math.max(start, offset);
      const before = seen.get(nameOf(position))?.oldest ?? null;
      seen.set(nameOf(position), { start, end, atMs: clock.nowMs(), oldest: before });
      if (end > from && before?.offset !== from) behind.push({ topic, partition, offset: from });
    }),
  );
  if (behind.length > 0) await readOldest(lagging, behind, seen);
}

async function readOldest({ log }: Lagging, behind: readonly Position[], seen: ReadonlyMap<string, Seen>) {
  const wanted = new Map(behind.map((position) => [nameOf(position), position]));
  const reader = log.reader();
  try {
    for (const { topic, partition, offset } of behind) reader.seek(topic, partition, offset);
    const untilMs = performance.now() + readMs;
    for (let leftMs = readMs; wanted.size > 0 && leftMs > 0; leftMs = untilMs - performance.now()) {
      for (const record of await reader.poll({ maxBytes: 1, waitMs: leftMs })) {
        const name = nameOf(record);
        const position = wanted.get(name);
        if (position === undefined) continue;
        wanted.delete(name);
        reader.drop(record.topic, record.partition);
        const known = seen.get(name);
        if (known !== undefined) known.oldest = { offset: position.offset, timestampMs: record.timestampMs };
      }
    }
  } finally {
    await reader.close();
  }
}

function nameOf({ topic, partition }: Pick<Position, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}
