/**
 * The current freshness of pages, estimated from their visits: for metrics and queries, and never part of a decision.
 * A page that changes λ times a day and was seen t days ago is unchanged with probability e^(−λt) (Cho &
 * Garcia-Molina, TODS 28(4), 2003). Pages with fewer than two visits count for age alone.
 */
import { rateClasses, rateOfClass } from '../../policy/recrawl/rate-classes.ts';
import { noRate } from './due-table.ts';
import type { RecrawlState } from './recrawl-state.ts';

export interface Freshness {
  /** Visited pages. */
  readonly pages: number;
  /** Share of them that is expected to be unchanged, 0 to 1; null: no change rate is known yet. */
  readonly fresh: number | null;
  readonly freshByFrontQueue: readonly (number | null)[];
  /** Time since pages were last seen, s: median and 95th percentile, to within a tenth. null: there are no pages. */
  readonly ageP50S: number | null;
  readonly ageP95S: number | null;
  /** Share of pages seen within the goal of seven days. */
  readonly withinGoal: number | null;
  /** Share of correct dates in sitemaps and feeds, among dates that led to a visit; null: none did. */
  readonly sitemapTrust: number | null;
}

const frontQueues = 8;
const goalS = 7 * 86_400;
/** Ages are counted by powers of 1.1. */
const ageBase = Math.log(1.1);

/** `host`: only this host, of one partition. Costs 50 ns a page. */
export function freshnessNow(partitions: readonly RecrawlState[], nowMs: number, host?: number): Freshness {
  const nowS = Math.floor(nowMs / 1_000);
  const ages = new Uint32Array(256);
  const rated = new Float64Array(frontQueues);
  const expected = new Float64Array(frontQueues);
  let [pages, inGoal] = [0, 0];
  for (const { table } of partitions) {
    for (let row = 0; row < table.end; row++) {
      if (!table.inUse(row)) continue;
      const due = table.at(row);
      if (due.visitedS === 0 || (host !== undefined && due.host !== host)) continue;
      const ageS = Math.max(0, nowS - due.visitedS);
      pages += 1;
      if (ageS <= goalS) inGoal += 1;
      ages[Math.min(255, Math.floor(Math.log1p(ageS) / ageBase))]! += 1;
      if (due.rateClass === noRate) continue;
      rated[due.frontQueue]! += 1;
      expected[due.frontQueue]! += Math.exp((-rateOfClass(due.rateClass % rateClasses) * ageS) / 86_400);
    }
  }
  const sum = (column: Float64Array) => column.reduce((total, one) => total + one, 0);
  return {
    pages,
    fresh: ratio(sum(expected), sum(rated)),
    freshByFrontQueue: Array.from({ length: frontQueues }, (_, frontQueue) =>
      ratio(expected[frontQueue]!, rated[frontQueue]!),
    ),
    ageP50S: quantile(ages, pages, 0.5),
    ageP95S: quantile(ages, pages, 0.95),
    withinGoal: ratio(inGoal, pages),
    sitemapTrust: trustOf(partitions, host),
  };
}

function trustOf(partitions: readonly RecrawlState[], host: number | undefined): number | null {
  let [fromSitemap, proved] = [0, 0];
  for (const { trust } of partitions) {
    for (const [id, one] of trust) {
      if (host !== undefined && id !== host) continue;
      fromSitemap += one.fromSitemap;
      proved += one.proved;
    }
  }
  return ratio(proved, fromSitemap);
}

function quantile(ages: Uint32Array, pages: number, share: number): number | null {
  if (pages === 0) return null;
  let left = share * pages;
  const at = ages.findIndex((count) => (left -= count) <= 0);
  return Math.round(Math.expm1((at + 1) * ageBase));
}

function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
