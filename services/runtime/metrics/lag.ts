/**
 * How far a group is behind, and how old the oldest record is that it has not dealt with.
 *
 * The age is that of the record at the group's position, read from the log when somebody scrapes: one record for each
 * partition that is behind, and only while time allows, so that a scrape ends in time whatever the backlog.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Log, Position } from '../log/log.ts';
import type { Telling } from './metrics.ts';

export interface Lagging {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly clock: Clock;
  readonly group: string;
  /** The next offset to deal with, by partition of full topic names. */
  readonly positions: readonly Position[];
}

/** A scrape waits this long for ends, and for ages; Prometheus gives up after 10 s. */
const patienceMs = 1_000;

export async function tellLag(tell: Telling, { log, clock, group, positions }: Lagging): Promise<void> {
  const behind: Position[] = [];
  await Promise.all(
    positions.map(async ({ topic, partition, offset }) => {
      const range = await inTime(log.offsets(topic, partition));
      // The broker is away: the other series are answered all the same.
      if (range === undefined) return;
      const { start, end } = range;
      const from = Math.max(start, offset);
      const labels = { group, topic, partition };
      tell.value('crawlstream_lag_records', Math.max(0, end - from), labels);
      if (end > from) behind.push({ topic, partition, offset: from });
      else tell.value('crawlstream_lag_seconds', 0, labels);
    }),
  );
  if (behind.length === 0) return;
  for (const { topic, partition, timestampMs } of await firstRecords(log, clock, behind)) {
    const ageMs = Math.max(0, clock.nowMs() - timestampMs);
    tell.value('crawlstream_lag_seconds', ageMs / 1000, { group, topic, partition });
  }
}

async function inTime<T>(asked: Promise<T>): Promise<T | undefined> {
  const late = new AbortController();
  const timeout = sleep(patienceMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined);
  try {
    return await Promise.race([asked, timeout]);
  } finally {
    late.abort();
    asked.catch(() => {});
  }
}

async function firstRecords(log: Lagging['log'], clock: Clock, positions: readonly Position[]) {
  const wanted = new Set(positions.map(nameOf));
  const found: { readonly topic: string; readonly partition: number; readonly timestampMs: number }[] = [];
  const reader = log.reader();
  try {
    for (const { topic, partition, offset } of positions) reader.seek(topic, partition, offset);
    const untilMs = clock.nowMs() + patienceMs;
    for (let leftMs = patienceMs; wanted.size > 0 && leftMs > 0; leftMs = untilMs - clock.nowMs()) {
      for (const record of await reader.poll({ maxBytes: 1, waitMs: leftMs })) {
        if (!wanted.delete(nameOf(record))) continue;
        reader.drop(record.topic, record.partition);
        found.push(record);
      }
    }
  } finally {
    await reader.close();
  }
  return found;
}

function nameOf({ topic, partition }: Pick<Position, 'topic' | 'partition'>): string {
  return `${topic}/${partition}`;
}
