/**
 * Computes a crawl's last hour from its changelog: every commit has the counters of its partition. So a late viewer
 * sees the past, and no process had to keep it.
 *
 * A bounded number of commits is read, evenly spaced by offset; between two of them, counters are assumed to grow
 * evenly.
 */
import { readChangelog } from '../../../topology/frontier/changes/changelog.ts';
import type { Log } from '../../runtime/log/log.ts';
import { dashboardLimits } from './limits.ts';
import { type HistoryColumn, type HistoryStatus, historyColumns } from './status.ts';

export interface Sample {
  readonly atMs: number;
  readonly counters: Readonly<Record<HistoryColumn, number>>;
}

type ReadableLog = Pick<Log, 'offsets' | 'offsetAt' | 'reader'>;

export async function historyOf(log: ReadableLog, crawl: string, partitions: number): Promise<HistoryStatus> {
  const { historyReads, historyReadsMin, historyPoints, historyPartitionsAtOnce } = dashboardLimits;
  const reads = Math.max(historyReadsMin, Math.floor(historyReads / partitions));
  const topic = `${crawl}.frontier-changelog`;
  const all: Sample[][] = [];
  for (let first = 0; first < partitions; first += historyPartitionsAtOnce) {
    const some = Array.from({ length: Math.min(historyPartitionsAtOnce, partitions - first) }, (_, i) => first + i);
    all.push(...(await Promise.all(some.map((partition) => samplesOf(log, topic, partition, reads)))));
  }
  return summed(all, historyPoints);
}

async function samplesOf(log: ReadableLog, topic: string, partition: number, reads: number): Promise<Sample[]> {
  const { start, end } = await log.offsets(topic, partition);
  if (end <= start) return [];
  const samples: Sample[] = [];
  const reader = log.reader();
  const take = async (offset: number) => {
    reader.seek(topic, partition, offset);
    const [record] = await reader.poll({ maxBytes: 1, waitMs: 1_000 });
    if (record === undefined) return undefined;
    const commit = readChangelog(record.value);
    if (commit.kind === 'commit' && commit.nowMs > (samples.at(-1)?.atMs ?? 0)) {
      samples.push({ atMs: commit.nowMs, counters: commit.counters });
    }
    return record.timestampMs;
  };
  try {
    // An hour before the last word, whenever that was.
    const lastMs = await take(end - 1);
    samples.length = 0;
    if (lastMs === undefined) return [];
    const from = Math.max(start, await log.offsetAt(topic, partition, lastMs - dashboardLimits.historyMs));
    const step = Math.max(1, (end - 1 - from) / Math.max(1, reads - 1));
    for (let at = from; at < end; at += step) await take(Math.round(at));
    if (samples.length === 0) await take(end - 1);
  } finally {
    await reader.close();
  }
  return samples;
}

/** The partitions' samples, each in order of time, as sums at evenly spaced moments. */
export function summed(all: readonly (readonly Sample[])[], points: number): HistoryStatus {
  const filled = all.filter((samples) => samples.length > 0);
  const firstMs = Math.min(...filled.map((samples) => samples[0]!.atMs));
  const lastMs = Math.max(...filled.map((samples) => samples.at(-1)!.atMs));
  const count = filled.length === 0 ? 0 : lastMs === firstMs ? 1 : points;
  const atMs = Array.from({ length: count }, (_, i) =>
    count === 1 ? firstMs : Math.round(firstMs + ((lastMs - firstMs) * i) / (count - 1)),
  );
  const columnOf = (name: HistoryColumn) => {
    const sums = new Array<number>(count).fill(0);
    for (const samples of filled) addTo(sums, samples, name, atMs);
    return sums;
  };
  const columns = Object.fromEntries(historyColumns.map((name) => [name, columnOf(name)] as const));
  return { atMs, columns: columns as Record<HistoryColumn, number[]> };
}

function addTo(sums: number[], samples: readonly Sample[], name: HistoryColumn, atMs: readonly number[]): void {
  let next = 0;
  for (const [i, moment] of atMs.entries()) {
    while (next < samples.length && samples[next]!.atMs <= moment) next += 1;
    const after = samples[next];
    // The past before the first commit read is unknown, not zero: the line starts at its counters.
    const before = samples[next - 1] ?? after!;
    const from = before.counters[name];
    const grown = after === undefined || after === before ? 0 : after.counters[name] - from;
    const share = grown === 0 ? 0 : (moment - before.atMs) / (after!.atMs - before.atMs);
    sums[i]! += Math.round(from + grown * share);
  }
}
