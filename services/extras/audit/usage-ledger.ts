/**
 * The ledger of consent: the allowed uses of each page when it was fetched, from the crawl's records alone.
 *
 * robots.txt is parsed again from the copy that the page's request refers to; headers, meta elements and files are
 * parsed again from their text in the page's record. The result is compared with the uses in the record, and with
 * whether the page should have been published at all under the policy. Memory: for one partition at a time, a row for
 * each page fetched.
 */
import type { Page, RobotsCopy } from '../../../schemas/types.ts';
import { refereeToken } from '../../../topology/extras/audit/robots-referee.ts';
import {
  type RefereeUsage,
  readUsageForReferee,
  refereeUse,
  type UsageFinding,
} from '../../../topology/extras/audit/usage-referee.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import type { AuditSource } from './run-audit.ts';
import { usagePolicies } from './usage-policies.ts';

export interface LedgerPage {
  readonly url: string;
  readonly fetchedAtMs: number;
  /** By use, in the requested order. */
  readonly uses: Readonly<Record<string, UsageFinding>>;
  readonly robotsHash: string;
  /** Known time at which an allowed use becomes barred, ms since the Unix epoch; null: none. */
  readonly changesAtMs: number | null;
  /** Errors of the record, in words; empty: none. */
  readonly wrong: readonly string[];
}

export interface LedgerRun {
  readonly uses: readonly string[];
  /** Pages fetched before this time are skipped, ms since the Unix epoch. */
  readonly fromMs: number;
  readonly onPage: (page: LedgerPage) => void | Promise<void>;
}

export interface LedgerCounts {
  pages: number;
  /** Pages with a robots.txt that is no longer stored. They are not judged. */
  unproven: number;
  unreadable: number;
  wrong: number;
  readonly byUse: Record<string, Record<UsageFinding['preference'], number>>;
}

interface Fetched {
  readonly endMs: number;
  readonly robotsHash: string;
  readonly policyVersion: number;
  /** Product tokens used, from results. Empty: from a release without tokens. */
  readonly tokens: string;
}

export async function runLedger(source: AuditSource, { uses, fromMs, onPage }: LedgerRun): Promise<LedgerCounts> {
  const { log, codec, crawl, partitions } = source;
  const copies = await robotsUsages(source);
  const policies = await usagePolicies(source);
  const counts: LedgerCounts = { pages: 0, unproven: 0, unreadable: 0, wrong: 0, byUse: {} };
  for (const use of uses) counts.byUse[use] = { allow: 0, deny: 0, unknown: 0 };
  for (let partition = 0; partition < partitions; partition++) {
    // Its end first: results of later pages are read too, and do no harm.
    const { start, end } = await log.offsets(`${crawl}.pages`, partition);
    const fetched = await fetchedOf(source, partition, () => (counts.unreadable += 1));
    for await (const { value } of recordsOf(log, `${crawl}.pages`, partition, start, end)) {
      const page = await readRecord(codec, 'pages', value, () => (counts.unreadable += 1));
      if (page === undefined || page.fetchedAtMs < fromMs) continue;
      const visit = visitOf(page, fetched.get(page.url) ?? []);
      const robots = visit === undefined ? undefined : copies.usageOf(visit.robotsHash, visit.tokens);
      if (visit === undefined || robots === undefined) {
        counts.unproven += 1;
        continue;
      }
      const tokens = visit.tokens === '' ? copies.tokens : visit.tokens.toLowerCase().split(' ');
      const findings = Object.fromEntries(uses.map((use) => [use, findingOf(use, page, robots, tokens)]));
      const wrong = [
        ...uses.flatMap((use) => misread(use, findings[use]!, page)),
        ...policies.barring(visit.policyVersion, page.fetchedAtMs).flatMap((use) => {
          const { preference, by } = findings[use] ?? findingOf(use, page, robots, tokens);
          return preference === 'deny'
            ? [`it was published although the policy wants ${use}, which is disallowed by ${by}`]
            : [];
        }),
      ];
      counts.pages += 1;
      if (wrong.length > 0) counts.wrong += 1;
      for (const use of uses) counts.byUse[use]![findings[use]!.preference] += 1;
      const { url, fetchedAtMs } = page;
      const changesAtMs = nextChange(page, uses);
      await onPage({ url, fetchedAtMs, uses: findings, robotsHash: visit.robotsHash, changesAtMs, wrong });
    }
  }
  return counts;
}

/** `atMs`: at which time its words are asked. Absent: when it was fetched. */
export function findingOf(
  use: string,
  page: Pick<Page, 'url' | 'usage' | 'fetchedAtMs'>,
  robots: RefereeUsage,
  tokens: readonly string[],
  atMs = page.fetchedAtMs,
): UsageFinding {
  const said = new Map(
    page.usage.filter(({ source }) => source !== 'robots.txt').map((one) => [`${one.source} ${one.said}`, one]),
  );
  return refereeUse(use, atMs, page.url, robots, [...said.values()], tokens);
}

/** Length from which a stored statement may have been cut. */
const saidCharsMax = 300;

function misread(use: string, { preference, by }: UsageFinding, { usage, fetchedAtMs }: Page): string[] {
  const about = usage.filter((one) => one.use === use && one.fromMs <= fetchedAtMs);
  if (about.some(({ said }) => said.length >= saidCharsMax)) return [];
  const bar = about.find((one) => one.preference === 'deny');
  const stated = bar !== undefined ? 'deny' : about.some((one) => one.preference === 'allow') ? 'allow' : 'unknown';
  if (stated === preference) return [];
  return [`its record has ${stated} for ${use}, but the audit finds ${preference}${by === '' ? '' : ` (${by})`}`];
}

function nextChange({ usage, fetchedAtMs }: Page, uses: readonly string[]): number | null {
  const later = usage.filter(
    ({ use, preference, fromMs }) => uses.includes(use) && preference === 'deny' && fromMs > fetchedAtMs,
  );
  return later.length === 0 ? null : Math.min(...later.map(({ fromMs }) => fromMs));
}

/** A rendered page has no request: it uses that of its source page, before it. */
function visitOf({ rendered, fetchedAtMs }: Page, visits: readonly Fetched[]): Fetched | undefined {
  if (!rendered) return visits.find(({ endMs }) => endMs === fetchedAtMs);
  return visits.filter(({ endMs }) => endMs <= fetchedAtMs).at(-1);
}

async function fetchedOf(
  { log, codec, crawl }: AuditSource,
  partition: number,
  unreadable: () => void,
): Promise<Map<string, Fetched[]>> {
  const fetched = new Map<string, Fetched[]>();
  const topic = `${crawl}.results`;
  const { start, end } = await log.offsets(topic, partition);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    const result = await readRecord(codec, 'results', value, unreadable);
    for (const { url, kind, robotsHash, endMs, outcomeIndex } of result?.requests ?? []) {
      if (kind !== 'page' || outcomeIndex < 0) continue;
      const visits = fetched.get(url) ?? [];
      visits.push({ endMs, robotsHash, policyVersion: result!.policyVersion, tokens: result!.robotsTokens });
      fetched.set(url, visits);
    }
  }
  return fetched;
}

export interface NewestRobots {
  readonly hash: string;
  /** ms since the Unix epoch. */
  readonly fetchedAtMs: number;
  /** Product tokens of the copy, separated by blanks. Empty: the copy states them. */
  readonly token: string;
}

/** Files without these words contain no usage preferences, and their bytes are not kept. */
const speaksOfUse = /content-(?:usage|signals?)/i;

/** Each robots.txt that is kept, the newest of each origin, as it speaks of use, and the names that it was read for, in lower case. */
export async function robotsUsages({ log, codec, crawl, partitions }: AuditSource) {
  const newest = new Map<string, NewestRobots>();
  const files = new Map<string, { readonly body: Uint8Array; readonly token: string }>();
  const readings = new Map<string, RefereeUsage>();
  const tokens = new Set<string>();
  const topic = `${crawl}.robots`;
  for (let partition = 0; partition < partitions; partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const copy: RobotsCopy | undefined = await readRecord(codec, 'robots', value);
      if (copy === undefined) continue;
      tokens.add(copy.token.toLowerCase());
      const { origin, hash, fetchedAtMs } = copy;
      if (fetchedAtMs >= (newest.get(origin)?.fetchedAtMs ?? 0))
        newest.set(origin, { hash, fetchedAtMs, token: copy.token });
      // An origin that shares another's file has a copy without its bytes.
      const speaks = speaksOfUse.test(Buffer.from(copy.body).toString('latin1'));
      if (copy.body.length > 0 || !files.has(hash))
        files.set(hash, { body: speaks ? copy.body : new Uint8Array(), token: copy.token });
    }
  }
  /** `names`: tokens separated by blanks; empty: those of the copy. Undefined: the file is not stored. */
  const usageOf = (hash: string, names: string): RefereeUsage | undefined => {
    if (hash === '') return [];
    const file = files.get(hash);
    if (file === undefined) return undefined;
    const key = `${hash} ${names}`;
    let reading = readings.get(key);
    if (reading === undefined) {
      const token = names === '' ? file.token : refereeToken(file.body, names.split(' '));
      readings.set(key, (reading = readUsageForReferee(file.body, token)));
    }
    return reading;
  };
  return { usageOf, newest, tokens: [...tokens] };
}
