/**
 * Collects fetchers' reports of the last minute: a sample of `results`, read while somebody views the page. Each read
 * takes a fixed number of the newest records of each partition, so a fast crawl costs no more than a slow one.
 */
import type { Outcome, OutcomeKind } from '../../../schemas/types.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { dashboardLimits } from './limits.ts';
import type { FetchStatus, RecentStatus } from './status.ts';

/** Outcomes that are normal in every crawl, and no sign of a problem. */
const fine: ReadonlySet<OutcomeKind> = new Set([
  'fetched',
  'notModified',
  'redirect',
  'clientError',
  'gone',
  'paymentRequired',
  'robotsDenied',
  'refused',
  'crawlDelayTooLong',
  'returned',
]);

/** Outcomes that are not failures of a page. */
const pageKinds: ReadonlySet<string> = new Set<OutcomeKind>(['fetched', 'notModified', 'redirect']);

export function isFailure(kind: OutcomeKind): boolean {
  return !fine.has(kind);
}

export class RecentOutcomes {
  readonly #log: Pick<Log, 'offsets' | 'reader'>;
  readonly #codec: RecordCodec;
  readonly #topic: string;
  /** The next offset to read, by partition. */
  readonly #next: (number | undefined)[];
  /** Oldest first. */
  #outcomes: FetchStatus[] = [];
  #newestMs: number | null = null;
  /** The newest outcome without a page, by kind. */
  readonly #causes = new Map<string, FetchStatus>();
  /** By host, the newest last. */
  readonly #failures = new Map<string, { readonly kind: string; readonly status: number }>();

  constructor(log: Pick<Log, 'offsets' | 'reader'>, codec: RecordCodec, crawl: string, partitions: number) {
    this.#log = log;
    this.#codec = codec;
    this.#topic = `${crawl}.results`;
    this.#next = Array.from({ length: partitions }, () => undefined);
  }

  async look(nowMs: number): Promise<RecentStatus> {
    const read = await Promise.all(this.#next.map((_, partition) => this.#read(partition)));
    const found = read.flat().sort((a, b) => a.atMs - b.atMs);
    for (const one of found) this.#remember(one);
    const all = this.#outcomes.concat(found);
    this.#newestMs = all.at(-1)?.atMs ?? this.#newestMs;
    const { outcomesKept, outcomesForMs, fetchesShown } = dashboardLimits;
    this.#outcomes = all.slice(-outcomesKept).filter(({ atMs }) => atMs >= nowMs - outcomesForMs);
    const counts = new Map<string, number>();
    for (const { kind } of this.#outcomes) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return {
      outcomes: this.#outcomes.length,
      kinds: [...counts]
        .map(([kind, count]) => ({ kind, count, failed: isFailure(kind as OutcomeKind) }))
        .sort((a, b) => b.count - a.count),
      fetches: this.#outcomes.slice(-fetchesShown).reverse(),
      newestMs: this.#newestMs,
      causes: [...this.#causes.values()].sort((a, b) => b.atMs - a.atMs),
    };
  }

  /** The newest answer of a host that was no page; undefined: none was seen. */
  lastFailure(hostKey: string): { readonly kind: string; readonly status: number } | undefined {
    return this.#failures.get(hostKey);
  }

  /** Results of one host, newest first. */
  async ofHost(hostKey: string, partition: number): Promise<readonly FetchStatus[]> {
    const { start, end } = await this.#log.offsets(this.#topic, partition);
    const all = await this.#between(partition, Math.max(start, end - dashboardLimits.hostResults), end);
    const own = all.filter(({ url }) => hostKeyOf(url) === hostKey);
    return own.slice(-dashboardLimits.hostOutcomes).reverse();
  }

  #remember(one: FetchStatus): void {
    if (pageKinds.has(one.kind)) return;
    this.#causes.set(one.kind, one);
    const hostKey = hostKeyOf(one.url);
    this.#failures.delete(hostKey);
    this.#failures.set(hostKey, { kind: one.kind, status: one.status });
    if (this.#failures.size > dashboardLimits.failuresKept) this.#failures.delete(this.#failures.keys().next().value!);
  }

  async #read(partition: number): Promise<FetchStatus[]> {
    const { start, end } = await this.#log.offsets(this.#topic, partition);
    const { resultsPerLook, resultsAtFirst } = dashboardLimits;
    const before = this.#next[partition];
    const most = before === undefined ? Math.max(resultsPerLook, resultsAtFirst / this.#next.length) : resultsPerLook;
    const from = Math.max(start, before ?? 0, end - Math.floor(most));
    const found = await this.#between(partition, from, end);
    this.#next[partition] = end;
    return found;
  }

  async #between(partition: number, from: number, end: number): Promise<FetchStatus[]> {
    const found: FetchStatus[] = [];
    for await (const { value, timestampMs } of recordsOf(this.#log, this.#topic, partition, from, end)) {
      for (const outcome of await this.#outcomesOf(value)) {
        const { url, kind, status, bytes, detail } = outcome;
        if (kind !== 'returned')
          found.push({ atMs: timestampMs, url, kind, status, bytes, detail: detail.slice(0, 200) });
      }
    }
    return found;
  }

  /** None for an unreadable record, which the frontier dead-letters. */
  async #outcomesOf(value: Buffer): Promise<readonly Outcome[]> {
    await this.#codec.prepare('results', value);
    try {
      return this.#codec.decode('results', value).outcomes;
    } catch {
      return [];
    }
  }
}
