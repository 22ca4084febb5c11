/**
 * The audit of a fleet: each of its crawls alone, and all of them together, host by host.
 *
 * The crawls are read side by side, the oldest result first, so memory is that of one audit per crawl, and a window for
 * each host.
 */
import { type BetweenCounts, createBetweenCrawls } from '../../../topology/extras/audit/between-crawls.ts';
import type { Violation } from '../../../topology/extras/audit/violation.ts';
import { type AuditReport, type AuditRun, type AuditSource, beginAudit } from './run-audit.ts';

export interface FleetSource {
  /** Name of the crawl in the fleet. */
  readonly name: string;
  readonly source: AuditSource;
}

export interface FleetReport {
  readonly crawls: readonly { readonly name: string; readonly report: AuditReport }[];
  /**
   * Violations by requests of different crawls together, the first ones. Their topics begin with the name of the
   * crawl.
   */
  readonly between: readonly Violation[];
  readonly betweenCount: number;
  readonly counts: BetweenCounts;
}

/** Violations kept: a longer list is of no use. */
const violationsMax = 1_000;
/** Bytes of robots.txt files in memory, of all crawls together. */
const robotsBytesMax = 256 << 20;

/** `leastMsAt`: as in createBetweenCrawls. */
export async function auditFleet(
  sources: readonly FleetSource[],
  run: Pick<AuditRun, 'skewMs' | 'noticeMs' | 'fromMs' | 'domainOf'>,
  leastMsAt?: (ms: number) => number,
): Promise<FleetReport> {
  const between: Violation[] = [];
  let betweenCount = 0;
  const onViolation = (violation: Violation) => {
    betweenCount += 1;
    if (between.length < violationsMax) between.push(violation);
  };
  const together = createBetweenCrawls(run, onViolation, leastMsAt);
  const robotsShare = Math.floor(robotsBytesMax / Math.max(1, sources.length));
  const audits = [];
  for (const { name, source } of sources) {
    const audit = await beginAudit(source, {
      ...run,
      robotsBytesMax: robotsShare,
      onViolation: together.known,
      onContact: (contact) => together.take(name, contact),
    });
    audits.push({ name, audit, nextMs: await audit.nextMs() });
  }
  for (;;) {
    let oldest: (typeof audits)[number] | undefined;
    let oldestMs = Number.POSITIVE_INFINITY;
    for (const one of audits) if (one.nextMs !== null && one.nextMs < oldestMs) [oldest, oldestMs] = [one, one.nextMs];
    if (oldest === undefined) break;
    await oldest.audit.take();
    oldest.nextMs = await oldest.audit.nextMs();
  }
  const crawls = audits.map(({ name, audit }) => ({ name, report: audit.end() }));
  return { crawls, between, betweenCount, counts: together.counts() };
}
