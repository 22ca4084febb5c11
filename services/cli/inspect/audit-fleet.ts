/** `crawlstream audit` of a fleet's folder: its crawls one by one, and what they did to hosts together. */
import { join } from 'node:path';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { auditLimits } from '../../audit/audit-limits.ts';
import { auditFleet, type FleetReport, type FleetSource } from '../../audit/fleet-audit.ts';
import { folderDocuments } from '../../fleet/documents/folder-documents.ts';
import { readLeastWaits } from '../../fleet/least-waits.ts';
import { openCodec } from '../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { readDataFolder } from '../../runtime/data-folder/data-folder.ts';
import { openReadOnlyLog, type ReadOnlyLog } from '../../runtime/log/read-only.ts';
import { logFolder } from '../connect/crawl-folder.ts';
import { toStdout } from '../terminal/door.ts';
import { rows } from '../terminal/print.ts';
import { violationLines } from './audit-text.ts';

export interface FleetAuditFlags {
  readonly data: string;
  /** Names of its crawls. */
  readonly crawls: readonly string[];
  readonly skewMs: number;
  readonly fromMs: number;
  readonly json: boolean | undefined;
}

export async function auditFleetFolder({ data, crawls, skewMs, fromMs, json }: FleetAuditFlags): Promise<void> {
  const logs: ReadOnlyLog[] = [];
  try {
    const sources: FleetSource[] = [];
    for (const name of crawls) {
      const folder = await readDataFolder(join(data, 'crawls', name));
      const log = await openReadOnlyLog(logFolder(folder), new SystemClock());
      logs.push(log);
      const { crawl, partitions } = folder.manifest;
      sources.push({ name, source: { log, codec: await openCodec(log.registry, crawl), crawl, partitions } });
    }
    const { noticeMs } = auditLimits;
    const domainOf = (host: string) => partitionKeyOf(host, 'domain');
    const waits = await readLeastWaits(folderDocuments(data));
    const leastMsAt = (atMs: number) => waits.findLast(({ sinceMs }) => sinceMs <= atMs)?.ms ?? 0;
    const report = await auditFleet(sources, { skewMs, noticeMs, fromMs, domainOf }, leastMsAt);
    const told = summed(report);
    toStdout(fleetText(report, told));
    if (json) toStdout(`${JSON.stringify(told)}\n`);
    if (told.violations > 0) process.exitCode = 1;
  } finally {
    await Promise.all(logs.map((log) => log.close()));
  }
}

interface Told {
  readonly crawls: number;
  readonly fetches: number;
  readonly hosts: number;
  /** Hosts that more than one of the crawls contacted. */
  readonly shared: number;
  /** All; and those of them that no crawl broke by itself. */
  readonly violations: number;
  readonly between: number;
  readonly unreadable: number;
  readonly cutOff: number;
}

function summed({ crawls, betweenCount, counts }: FleetReport): Told {
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

function fleetText({ crawls, between }: FleetReport, told: Told): string {
  const guilty = crawls.filter(({ report }) => report.violationCount > 0);
  const lines = guilty.flatMap(({ name, report }) => [`${name}, by itself:`, ...violationLines(report.violations)]);
  if (between.length > 0) lines.push('between crawls:', ...violationLines(between));
  const table = rows([
    ['crawls', told.crawls],
    ['requests', told.fetches],
    ['hosts', `${told.hosts}, ${told.shared} of them by more than one crawl`],
    ['violations', `${told.violations}, ${told.between} of them between crawls`],
    ['cut off', told.cutOff === 0 ? null : `${told.cutOff} leases whose end nobody told`],
    ['unreadable', told.unreadable === 0 ? null : `${told.unreadable} results`],
    ['not judged', 'crawls that were deleted: they are not on record'],
  ]);
  return `${lines.length === 0 ? '' : `${lines.join('\n')}\n\n`}${table}\n\n${verdict(told)}\n`;
}

function verdict({ fetches, hosts, crawls, violations }: Told): string {
  if (fetches === 0) return 'Nothing was judged: there is no request in these records.';
  const judged = `Of ${fetches.toLocaleString('en-US')} requests of ${crawls} crawls to ${hosts.toLocaleString('en-US')} hosts`;
  return violations === 0
    ? `${judged} none broke a wait, a limit or a robots.txt that was in force when it was made, alone or together.`
    : `${judged}, ${violations.toLocaleString('en-US')} broke a wait, a limit or a robots.txt that was in force.`;
}
