/** The crawl's actions at one host: only its partition's records are read, and judged by the audit's own code. */
import type { Request, RobotsCopy } from '../../../schemas/types.ts';
import type { Violation } from '../../../topology/extras/audit/violation.ts';
import { auditLimits } from './audit-limits.ts';
import { createHostVisits, type Visits } from './host-visits.ts';
import { type AuditSource, runAudit } from './run-audit.ts';

export interface OneHost {
  readonly visits: Visits;
  /** The newest requests, newest first. */
  readonly requests: readonly (Request & { readonly userAgent: string })[];
  /** Copies of robots.txt, oldest first. */
  readonly copies: readonly RobotsCopy[];
  readonly violations: readonly Violation[];
}

/** `partition`: the host's. `domainOf`: its registrable domain, of any host. */
export async function auditOneHost(
  source: AuditSource,
  { hostKey, partition, domainOf }: { hostKey: string; partition: number; domainOf: (host: string) => string },
  requestsMax: number,
): Promise<OneHost> {
  const isIt = (host: string) => host === hostKey;
  const visits = createHostVisits(isIt);
  const requests: (Request & { readonly userAgent: string })[] = [];
  /** A result follows its requests. */
  let recent: Request[] = [];
  const report = await runAudit(source, {
    only: partition,
    skewMs: auditLimits.skewMs,
    noticeMs: auditLimits.noticeMs,
    domainOf,
    fromMs: 0,
    onContact(contact, request) {
      visits.contact(contact, request);
      if (isIt(contact.host)) recent.push(request);
    },
    onResult(result) {
      visits.result(result);
      for (const request of recent) requests.push({ ...request, userAgent: result.userAgent });
      recent = [];
      if (requests.length > 2 * requestsMax) requests.splice(0, requests.length - requestsMax);
    },
  });
  const audited = visits.end();
  const copies = (await Promise.all(audited.origins.map((origin) => report.copies.of(origin)))).flat();
  return {
    visits: audited,
    requests: requests.slice(-requestsMax).reverse(),
    copies,
    violations: report.violations.filter(({ host }) => isIt(host)),
  };
}
