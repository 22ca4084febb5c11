/**
 * What fetchers reported in the last minute: a sample of `results`, read while somebody looks. A look reads the newest
 * records of each partition, whatever their number, so that a fast crawl costs no more than a slow one.
 */
import type { Outcome, OutcomeKind } from '../../schemas/types.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import type { Log } from '../runtime/log/log.ts';
import { recordsOf } from '../runtime/log/records-of.ts';
import { dashboardLimits } from './limits.ts';
import type { FetchTold, RecentTold } from './told.ts';

/** What a crawl meets anyway, and is no sign of trouble. */
const fine: ReadonlySet<OutcomeKind> = new Set([
  'fetched',
  'notModified',
  'redirect',
  'clientError',
  'gone',
  'robotsDenied',
  'refused',
  'crawlDelayTooLong',
  'returned',
]);

export class RecentOutcomes {
  readonly #log: Pick<Log, 'offsets' | 'reader'>;
  readonly #codec: RecordCodec;
  readonly #topic: string;
  /** The next offset to read, by partition. */
  readonly #next: (number | undefined)[];
  /** Oldest first. */
  #outcomes: FetchTold[] = [];
  #newestMs: number | null = null;

  constructor(log: Pick<Log, 'offsets' | 'reader'>, codec: RecordCodec, crawl: string, partitions: number) {
    this.#log = log;
    this.#codec = codec;
    this.#topic = `${crawl}.results`;
    this.#next = Array.from({ length: partitions }, () => undefined);
  }

  async look(nowMs: number): Promise<RecentTold> {
    const found = (await Promise.all(this.#next.map((_, partition) => this.#read(partition)))).flat();
    const all = this.#outcomes.concat(found.sort((a, b) => a.atMs - b.atMs));
    this.#newestMs = all.at(-1)?.atMs ?? this.#newestMs;
    const { outcomesKept, outcomesForMs, fetchesShown } = dashboardLimits;
    this.#outcomes = all.slice(-outcomesKept).filter(({ atMs }) => atMs >= nowMs - outcomesForMs);
    const counts = new Map<string, number>();
    for (const { kind } of this.#outcomes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return {
      outcomes: this.#outcomes.length,
      kinds: [...counts]
        .map(([kind, count]) => ({ kind, count, failed: !fine.has(kind as OutcomeKind) }))
        .sort((a, b) => b.count - a.count),
      fetches: this.#outcomes.slice(-fetchesShown).reverse(),
      newestMs: this.#newestMs,
    };
  }

  async #read(partition: number): Promise<FetchTold[]> {
    const { start, end } = await this.#log.offsets(this.#topic, partition);
    const from = Math.max(start, this.#next[partition] ?? 0, end - dashboardLimits.resultsPerLook);
    const found: FetchTold[] = [];
    for await (const { value, timestampMs } of recordsOf(this.#log, this.#topic, partition, from, end)) {
      for (const outcome of await this.#outcomesOf(value)) {
        const { url, kind, status, bytes } = outcome;
        if (kind !== 'returned') found.push({ atMs: timestampMs, url, kind, status, bytes });
      }
    }
    this.#next[partition] = end;
    return found;
  }

  /** None of what nobody can read: the frontier dead-letters it. */
  async #outcomesOf(value: Buffer): Promise<readonly Outcome[]> {
    await this.#codec.prepare('results', value);
    try {
      return this.#codec.decode('results', value).outcomes;
    } catch {
      return [];
    }
  }
}
