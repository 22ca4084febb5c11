/**
 * Detects the end of a crawl: two successive looks at all partitions are equal, with nothing left to do in either.
 *
 * It uses only commits and end offsets, so any process can detect it, on one machine or many. This is sound because a
 * fetcher reports a lease's results only after its links are acked, or with them, in one atomic append: links under way
 * always have a lease.
 * docs/design.md §4.13. Deferred URLs are reported and don't delay the end. Scheduled revisits do: with a `recrawl`
 * policy a crawl continues until it is stopped, or its quota is spent.
 */
import type { InputPosition, InputTopic } from '../changes/changelog.ts';
import { inputTopics } from '../changes/changelog.ts';
import type { Counters } from '../changes/counters.ts';
import { sumCounters } from '../changes/counters.ts';

/** One partition, by its newest commit, with the ends of its inputs. */
export interface PartitionStatus {
  readonly positions: Readonly<Record<InputTopic, InputPosition>>;
  readonly ends: Readonly<Record<InputTopic, number>>;
  readonly counters: Counters;
}

export interface Look {
  readonly partitions: readonly PartitionStatus[];
  /** null: no quota. */
  readonly pageQuota: number | null;
}

export type CrawlEnd = 'done' | 'quotaSpent' | null;

export function crawlEnd(before: Look, now: Look): CrawlEnd {
  const end = endOf(now);
  return end !== null && end === endOf(before) && isSame(before, now) ? end : null;
}

/** Returns whether nothing happened between two checks. */
export function isSame(before: Look | undefined, now: Look): boolean {
  return before !== undefined && isEqual(before, now);
}

/** Compares plain data, field by field: a fleet checks hundreds of crawls, and texts of both would be garbage. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const keys = Object.keys(left!);
  if (keys.length !== Object.keys(right!).length) return false;
  return keys.every((key) => Object.hasOwn(right!, key) && isEqual(left![key], right![key]));
}

function endOf({ partitions, pageQuota }: Look): CrawlEnd {
  const { queued, retrying, scheduled, leased, leases, quotaSpent } = sumCounters(
    partitions.map(({ counters }) => counters),
  );
  if (leases > 0 || leased > 0) return null;
  const read = (topic: InputTopic) => partitions.every(({ positions, ends }) => positions[topic].offset >= ends[topic]);
  // A policy that raises the quota may be under way.
  if (pageQuota !== null && quotaSpent >= pageQuota && read('control')) return 'quotaSpent';
  return queued + retrying + scheduled === 0 && inputTopics.every(read) ? 'done' : null;
}
