/** What the crawl did at one host: its partition's records alone are read, and judged by the audit's own code. */
import type { Request, RobotsCopy } from '../../schemas/types.ts';
import type { Violation } from '../../topology/audit/violation.ts';
import { partitionKeyOf } from '../../topology/url/host-key.ts';
import { partitionOf } from '../../topology/url/partition.ts';
import type { CrawlTopics } from '../runtime/crawl/requests.ts';
import { auditLimits } from './audit-limits.ts';
import { createHostVisits, type Visits } from './host-visits.ts';
import { type AuditSource, runAudit } from './run-audit.ts';

export interface OneHost {
  readonly visits: Visits;
  /** The newest, newest first. */
  readonly requests: readonly (Request & { readonly userAgent: string })[];
  /** Oldest first. */
  readonly copies: readonly RobotsCopy[];
  readonly violations: readonly Violation[];
}

export async function auditOneHost(
  source: Omit<AuditSource, 'partitions' | 'crawl'>,
  topics: CrawlTopics,
  hostKey: string,
  requestsMax: number,
): Promise<OneHost> {
  const isIt = (host: string) => host === hostKey;
  const visits = createHostVisits(isIt);
  const requests: (Request & { readonly userAgent: string })[] = [];
  /** A result follows its requests. */
  let recent: Request[] = [];
  const report = await runAudit(
    { ...source, crawl: topics.crawl, partitions: topics.partitions },
    {
      only: partitionOf(partitionKeyOf(hostKey, topics.keyMode), topics.partitions),
      skewMs: auditLimits.skewMs,
      noticeMs: auditLimits.noticeMs,
      domainOf: (host) => partitionKeyOf(host, 'domain'),
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
    },
  );
  const told = visits.end();
  const copies = (await Promise.all(told.origins.map((origin) => report.copies.of(origin)))).flat();
  return {
    visits: told,
    requests: requests.slice(-requestsMax).reverse(),
    copies,
    violations: report.violations.filter(({ host }) => isIt(host)),
  };
}
