/**
 * The data of the charts: counters over time. A series begins with the crawl's past (HistoryStatus), and each status
 * adds a point.
 *
 * It keeps at most an hour of points. While nothing changes, it adds points for one minute, as a flat line, and then
 * none.
 */
import type { Counts, CrawlStatus, HistoryColumn, HistoryStatus } from '../status.ts';
import { historyColumns } from '../status.ts';

const keptMs = 3_600_000;
const flatMs = 60_000;
/** A rate is that of the last seconds: one second alone is noise. ms */
const rateOverMs = 5_000;

/** The end is estimated from the last minutes, if there are enough of them, and not for longer than a month ahead. ms */
const endOverMs = 300_000;
const endOverMsMin = 30_000;
const endMsMax = 30 * 86_400_000;

export class Series {
  readonly atMs: number[] = [];
  readonly #columns = new Map<HistoryColumn, number[]>(historyColumns.map((name) => [name, []]));
  #changedAtMs = 0;

  /** Replaces the series by the crawl's past. */
  begin({ atMs, columns }: HistoryStatus): void {
    this.atMs.splice(0, this.atMs.length, ...atMs);
    for (const [name, values] of this.#columns) values.splice(0, values.length, ...columns[name]);
    this.#changedAtMs = atMs.at(-1) ?? 0;
  }

  add(atMs: number, counts: Counts): void {
    const lastMs = this.atMs.at(-1) ?? 0;
    if (atMs <= lastMs) return;
    const isSame = this.atMs.length > 0 && [...this.#columns].every(([name, values]) => values.at(-1) === counts[name]);
    if (!isSame) this.#changedAtMs = atMs;
    else if (atMs - this.#changedAtMs > flatMs) return;
    this.atMs.push(atMs);
    for (const [name, values] of this.#columns) values.push(counts[name] ?? 0);
    while (this.atMs.length > 2 && this.atMs[0]! < atMs - keptMs) {
      this.atMs.shift();
      for (const values of this.#columns.values()) values.shift();
    }
  }

  /** False: the last rates are of a shorter time than others. */
  get hasWholeRate(): boolean {
    return (this.atMs.at(-1) ?? 0) - (this.atMs[0] ?? 0) >= rateOverMs;
  }

  column(name: HistoryColumn): readonly number[] {
    return this.#columns.get(name)!;
  }

  /** Index of the first point within the last `spanMs`. */
  from(spanMs: number): number {
    const oldestMs = (this.atMs.at(-1) ?? 0) - spanMs;
    const at = this.atMs.findIndex((one) => one >= oldestMs);
    return Math.max(0, at);
  }

  /**
   * Time until no URL waits, or until the quota is spent, if the crawl goes on as in the last minutes, ms. null: neither
   * is in sight. `waitMs`: time until the last host that backs off is requested again.
   */
  untilEndMs(pageQuota: number | null, waitMs = 0): number | null {
    const [first, last] = [this.from(endOverMs), this.atMs.length - 1];
    const passedMs = (this.atMs[last] ?? 0) - (this.atMs[first] ?? 0);
    if (passedMs < endOverMsMin) return null;
    const at = (name: HistoryColumn, index: number) => this.column(name)[index]!;
    const waiting = (index: number) => at('queued', index) + at('retrying', index) + at('leased', index);
    const emptied = (waiting(first) - waiting(last)) / passedMs;
    const fetched = (at('page', last) - at('page', first)) / passedMs;
    const untilEmpty = emptied > 0 ? Math.max(waiting(last) / emptied, waitMs) : Number.POSITIVE_INFINITY;
    const isBounded = pageQuota !== null && fetched > 0;
    const untilSpent = isBounded ? Math.max(0, pageQuota - at('page', last)) / fetched : Number.POSITIVE_INFINITY;
    const leftMs = Math.min(untilEmpty, untilSpent);
    return leftMs <= endMsMax ? leftMs : null;
  }

  /** Growth a second at each point, over the seconds before it; null at the first. A counter that fell began again. */
  rates(name: HistoryColumn): (number | null)[] {
    const values = this.column(name);
    let back = 0;
    return this.atMs.map((atMs, i) => {
      if (i === 0) return null;
      while (back < i - 1 && this.atMs[back + 1]! <= atMs - rateOverMs) back += 1;
      const ms = atMs - this.atMs[back]!;
      return ms > 0 ? Math.max(0, (1_000 * (values[i]! - values[back]!)) / ms) : null;
    });
  }
}

export type Rated = 'page' | 'discovered' | 'bytes';

/** A crawl is new for so long, ms: its rate since the start says more than that of a second. */
const newForMs = 60_000;

/** In a second; null: unknown. */
export function rateOf(
  { counts, atMs, about }: Pick<CrawlStatus, 'counts' | 'atMs' | 'about'>,
  series: Series,
  name: Rated,
): number | null {
  const passedMs = atMs - (about?.startedMs ?? Number.NEGATIVE_INFINITY);
  const isNew = passedMs > 0 && passedMs < newForMs;
  if (isNew && !series.hasWholeRate) return (1_000 * (counts[name] ?? 0)) / passedMs;
  return series.rates(name).at(-1) ?? null;
}
