/**
 * Estimates a crawl's errors of the last hour, by kind and by host, from `results`. A bounded number of records is read,
 * evenly spaced by offset, and each stands for those between it and the next.
 */
import type { OutcomeKind } from '../../../schemas/types.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { dashboardLimits } from './limits.ts';
import { isFailure } from './recent-outcomes.ts';
import type { ErrorsStatus } from './status.ts';

export interface ResultSample {
  readonly atMs: number;
  /** Records that it stands for. */
  readonly weight: number;
  readonly outcomes: readonly { readonly kind: string; readonly url: string; readonly status: number }[];
}

type ReadableLog = Pick<Log, 'offsets' | 'offsetAt' | 'reader'>;

export async function errorsOf(
  log: ReadableLog,
  codec: RecordCodec,
  crawl: string,
  partitions: number,
): Promise<ErrorsStatus> {
  const { errorReads, errorReadsMin, errorPoints } = dashboardLimits;
  const reads = Math.max(errorReadsMin, Math.floor(errorReads / partitions));
  const samples: ResultSample[] = [];
  for (let partition = 0; partition < partitions; partition++)
    samples.push(...(await samplesOf(log, codec, { topic: `${crawl}.results`, partition }, reads)));
  return binned(samples, errorPoints);
}

async function samplesOf(
  log: ReadableLog,
  codec: RecordCodec,
  { topic, partition }: { readonly topic: string; readonly partition: number },
  reads: number,
): Promise<ResultSample[]> {
  const { start, end } = await log.offsets(topic, partition);
  if (end <= start) return [];
  const reader = log.reader();
  const take = async (offset: number) => {
    reader.seek(topic, partition, offset);
    return (await reader.poll({ maxBytes: 1, waitMs: 1_000 }))[0];
  };
  try {
    // An hour before the last result, whenever that was.
    const last = await take(end - 1);
    if (last === undefined) return [];
    const from = Math.max(start, await log.offsetAt(topic, partition, last.timestampMs - dashboardLimits.historyMs));
    const step = Math.max(1, (end - from) / reads);
    const samples: ResultSample[] = [];
    for (let at = from; at < end; at += step) {
      const record = await take(Math.floor(at));
      const result = record && (await readRecord(codec, 'results', record.value));
      if (result !== undefined) samples.push({ atMs: record!.timestampMs, weight: step, outcomes: result.outcomes });
    }
    return samples;
  } finally {
    await reader.close();
  }
}

interface UrlErrors {
  /** Of the newest. */
  readonly status: number;
  readonly count: number;
}

/** Outcomes of URLs that were not requested: an earlier error remains the newest news of them. */
const isUntried: ReadonlySet<string> = new Set<OutcomeKind>([
  'robotsDenied',
  'refused',
  'crawlDelayTooLong',
  'returned',
]);

/** Errors in `points` equal spans of time; the counts are estimates, and their sums are those of the samples. */
export function binned(samples: readonly ResultSample[], points: number): ErrorsStatus {
  const times = samples.map(({ atMs }) => atMs);
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const spanMs = Math.max(1, (lastMs - firstMs) / points);
  const kinds = new Map<string, number[]>();
  const hosts = new Map<string, { host: string; kind: string; urls: Map<string, UrlErrors> }>();
  /** URLs with an error; true: the server answered a later request without one. */
  const solved = new Map<string, boolean>();
  for (const { atMs, weight, outcomes } of samples) {
    const bin = Math.min(points - 1, Math.floor((atMs - firstMs) / spanMs));
    for (const { kind, url, status } of outcomes) {
      const isError = isFailure(kind as OutcomeKind);
      if (isError) solved.set(url, false);
      else if (solved.has(url) && !isUntried.has(kind)) solved.set(url, true);
      if (!isError) continue;
      const counts = kinds.get(kind) ?? new Array<number>(points).fill(0);
      kinds.set(kind, counts);
      counts[bin]! += weight;
      const host = hostKeyOf(url);
      const { urls } = hosts.get(`${host} ${kind}`) ?? { urls: new Map<string, UrlErrors>() };
      const before = urls.get(url)?.count ?? 0;
      // The newest comes last.
      urls.delete(url);
      urls.set(url, { status, count: before + weight });
      hosts.set(`${host} ${kind}`, { host, kind, urls });
    }
  }
  const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
  const rounded = (counts: readonly number[]) => counts.map((count) => Math.round(10 * count) / 10);
  return {
    atMs: samples.length === 0 ? [] : Array.from({ length: points }, (_, bin) => Math.round(firstMs + bin * spanMs)),
    kinds: [...kinds]
      .sort(([, a], [, b]) => sum(b) - sum(a))
      .map(([kind, counts]) => ({ kind, counts: rounded(counts) })),
    hosts: [...hosts.values()]
      .flatMap(({ host, kind, urls }) => {
        const left = [...urls].filter(([url]) => solved.get(url) === false);
        const [url, newest] = left.at(-1) ?? [];
        if (url === undefined || newest === undefined) return [];
        return [{ host, kind, count: sum(left.map(([, { count }]) => count)), url, status: newest.status }];
      })
      .sort((a, b) => b.count - a.count)
      .slice(0, dashboardLimits.errorHosts)
      .map((one) => ({ ...one, count: Math.round(one.count) })),
    isEstimate: samples.some(({ weight }) => weight > 1),
  };
}
