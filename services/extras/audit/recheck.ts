/**
 * Re-evaluates the ledger of consent without requests: what each page may be used for now, by the newest stored
 * robots.txt of its origin and by the page's own statements, unless they are too old.
 *
 * Memory: for one partition at a time, the statements of each page; and a row for each origin.
 */
import type { Page } from '../../../schemas/types.ts';
import type { UsageFinding } from '../../../topology/extras/audit/usage-referee.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { forgottenOf } from '../../runtime/consumer/forgotten.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { AuditSource } from './run-audit.ts';
import { findingOf, type NewestRobots, robotsUsages } from './usage-ledger.ts';

export interface RecheckRun {
  readonly uses: readonly string[];
  readonly nowMs: number;
  /** Copies of robots.txt that are older than this must be requested again, ms. */
  readonly robotsAgeMs: number;
  /** Pages that are older than this must be requested again, ms. */
  readonly pageAgeMs: number;
  readonly onPage: (page: RecheckedPage) => void | Promise<void>;
}

export interface RecheckedPage {
  readonly url: string;
  readonly fetchedAtMs: number;
  /** Current finding by use. */
  readonly uses: Readonly<Record<string, UsageFinding>>;
  /** Uses that are barred now, but were not at publication. */
  readonly withdrawn: readonly string[];
  /** Sources that are too old, or not stored. */
  readonly askAgain: readonly ('robots.txt' | 'page')[];
}

export interface RecheckCounts {
  pages: number;
  withdrawn: number;
  /** Pages with a source that must be requested again. */
  expired: number;
  unreadable: number;
  readonly byUse: Record<string, Record<UsageFinding['preference'], number>>;
  /** Origins with a robots.txt to request again, with the time of the copy (0: none), ms since the Unix epoch. */
  readonly robotsToAsk: Map<string, number>;
}

type Known = Pick<Page, 'url' | 'fetchedAtMs' | 'usage'>;

export async function recheck(source: AuditSource, run: RecheckRun): Promise<RecheckCounts> {
  const { uses, nowMs, onPage } = run;
  const { usageOf, newest, tokens } = await robotsUsages(source);
  const counts: RecheckCounts = {
    ...{ pages: 0, withdrawn: 0, expired: 0, unreadable: 0, byUse: {} },
    robotsToAsk: new Map(),
  };
  for (const use of uses) counts.byUse[use] = { allow: 0, deny: 0, unknown: 0 };
  for (let partition = 0; partition < source.partitions; partition++) {
    const pages = await newestPages(source, partition, () => (counts.unreadable += 1));
    const asked = await robotsOfRequests(source, partition, newest);
    for (const page of pages.values()) {
      const origin = new URL(page.url).origin;
      const copy = newest.get(origin);
      const robots = copy && usageOf(copy.hash, copy.token);
      const findings = Object.fromEntries(
        uses.map((use) => [use, findingOf(use, page, robots ?? [], tokens, nowMs)] as const),
      );
      const askAgain: RecheckedPage['askAgain'][number][] = [];
      // An origin that is never asked has nothing to ask again.
      const isMissing = robots === undefined && (asked.has(origin) || copy !== undefined);
      if (isMissing || nowMs - (copy?.fetchedAtMs ?? nowMs) > run.robotsAgeMs) {
        askAgain.push('robots.txt');
        counts.robotsToAsk.set(origin, copy?.fetchedAtMs ?? 0);
      }
      if (nowMs - page.fetchedAtMs > run.pageAgeMs) askAgain.push('page');
      const withdrawn = uses.filter((use) => findings[use]!.preference === 'deny' && !wasBarred(page, use));
      counts.pages += 1;
      if (withdrawn.length > 0) counts.withdrawn += 1;
      if (askAgain.length > 0) counts.expired += 1;
      for (const use of uses) counts.byUse[use]![findings[use]!.preference] += 1;
      await onPage({ url: page.url, fetchedAtMs: page.fetchedAtMs, uses: findings, withdrawn, askAgain });
    }
  }
  return counts;
}

/** True if the page's record bars the use at the time of its fetch. */
function wasBarred({ usage, fetchedAtMs }: Known, use: string): boolean {
  return usage.some((one) => one.use === use && one.preference === 'deny' && one.fromMs <= fetchedAtMs);
}

async function newestPages(
  { log, codec, crawl }: AuditSource,
  partition: number,
  unreadable: () => void,
): Promise<Map<string, Known>> {
  const pages = new Map<string, Known>();
  const { start, end } = await log.offsets(`${crawl}.pages`, partition);
  for await (const record of recordsOf(log, `${crawl}.pages`, partition, start, end)) {
    const forgotten = forgottenOf(record);
    if (forgotten !== null) pages.delete(forgotten.url);
    const page = await readRecord(codec, 'pages', record.value, unreadable);
    if (page === undefined) continue;
    const { url, fetchedAtMs, usage } = page;
    pages.set(url, { url, fetchedAtMs, usage });
  }
  return pages;
}

/** Origins with pages fetched under a robots.txt; a copy that was found unchanged is as new as that. */
async function robotsOfRequests(
  { log, codec, crawl }: AuditSource,
  partition: number,
  newest: Map<string, NewestRobots>,
): Promise<ReadonlySet<string>> {
  const asked = new Set<string>();
  const topic = `${crawl}.results`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const result = await readRecord(codec, 'results', value);
    for (const { url, kind, robotsHash, robotsAtMs } of result?.requests ?? []) {
      if (kind !== 'page' || robotsAtMs <= 0) continue;
      const { origin } = new URL(url);
      asked.add(origin);
      if (robotsAtMs > (newest.get(origin)?.fetchedAtMs ?? 0))
        newest.set(origin, { hash: robotsHash, fetchedAtMs: robotsAtMs, token: result!.robotsTokens });
    }
  }
  return asked;
}
