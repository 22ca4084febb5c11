/** `crawlstream audit` of a fleet: audits its crawls one by one, and their combined contacts with hosts. */
import { partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { counted } from '../../../runtime/counted.ts';
import { toStdout } from '../../../runtime/logging/door.ts';
import { rows } from '../../../runtime/rows-text.ts';
import { readLeastWaits } from '../../fleet/least-waits.ts';
import { auditLimits } from '../audit-limits.ts';
import { auditFleet, type FleetReport } from '../fleet-audit.ts';
import { violationLines } from './audit-text.ts';
import type { FleetRecords } from './fleet-records.ts';

export interface FleetAuditFlags {
  readonly skewMs: number;
  readonly fromMs: number;
  readonly json: boolean | undefined;
}

export async function auditFleetRecords(
  { sources, documents }: FleetRecords,
  { skewMs, fromMs, json }: FleetAuditFlags,
): Promise<void> {
  const { noticeMs } = auditLimits;
  const domainOf = (host: string) => partitionKeyOf(host, 'domain');
  const waits = await readLeastWaits(documents);
  const leastMsAt = (atMs: number) => waits.findLast(({ sinceMs }) => sinceMs <= atMs)?.ms ?? 0;
  const report = await auditFleet(sources, { skewMs, noticeMs, fromMs, domainOf }, leastMsAt);
  const summary = summed(report);
  toStdout(fleetText(report, summary));
  if (json) toStdout(`${JSON.stringify(summary)}\n`);
  if (summary.violations > 0) process.exitCode = 1;
}

interface FleetSummary {
  readonly crawls: number;
  readonly fetches: number;
  readonly hosts: number;
  /** Hosts that more than one of the crawls contacted. */
  readonly shared: number;
  /** Number of all violations, and of those between crawls. */
  readonly violations: number;
  readonly between: number;
  readonly unreadable: number;
  readonly cutOff: number;
}

function summed({ crawls, betweenCount, counts }: FleetReport): FleetSummary {
  const sum = (of: (report: FleetReport['crawls'][number]['report']) => number) =>
    crawls.reduce((all, { report }) => all + of(report), 0);
  return {
    crawls: crawls.length,
    fetches: sum(({ counts: { fetches } }) => fetches),
    ...counts,
    violations: betweenCount + sum(({ violationCount }) => violationCount),
    between: betweenCount,
    unreadable: sum(({ unreadable }) => unreadable),
    cutOff: sum(({ counts: { cutOff } }) => cutOff),
  };
}

function fleetText({ crawls, between }: FleetReport, summary: FleetSummary): string {
  const guilty = crawls.filter(({ report }) => report.violationCount > 0);
  const lines = guilty.flatMap(({ name, report }) => [`${name} alone:`, ...violationLines(report.violations)]);
  if (between.length > 0) lines.push('between crawls:', ...violationLines(between));
  const table = rows([
    ['crawls', summary.crawls],
    ['requests', summary.fetches],
    ['hosts', `${summary.hosts}, ${summary.shared} of them by more than one crawl`],
    ['violations', `${summary.violations}, ${summary.between} of them between crawls`],
    ['cut off', summary.cutOff === 0 ? null : `${counted(summary.cutOff, 'lease')} without a reported end`],
    ['unreadable', summary.unreadable === 0 ? null : `${counted(summary.unreadable, 'result')}`],
    ['not judged', 'deleted crawls: their records are gone'],
  ]);
  return `${lines.length === 0 ? '' : `${lines.join('\n')}\n\n`}${table}\n\n${verdict(summary)}\n`;
}

function verdict({ fetches, hosts, crawls, violations }: FleetSummary): string {
  if (fetches === 0) return 'Nothing was checked: these records contain no requests.';
  const judged = `Of ${counted(fetches, 'request', fetches.toLocaleString('en-US'))} of ${counted(crawls, 'crawl')} to ${counted(hosts, 'host', hosts.toLocaleString('en-US'))}`;
  return violations === 0
    ? `${judged} none violated a delay, limit or robots.txt in force at its time, per crawl or across crawls.`
    : `${judged}, ${violations.toLocaleString('en-US')} violated a delay, limit or robots.txt in force at their time.`;
}
