/** A page that is not published, or taken back as it has not changed, because a use that it is wanted for is barred. */
import { barredText, type UsesPolicy, withheldFor } from '../../../topology/usage/uses-policy.ts';
import { notPublishedText } from '../../runtime/crawl/not-published.ts';
import type { PageReport } from './page-reader.ts';

/**
 * Its links are followed, and its outcome says why there is no page. `noindex` in it, and a tombstone for its page,
 * make consumers drop an earlier visit. Without a bar the report is returned unchanged.
 */
export function withholding(policy: UsesPolicy, report: PageReport, nowMs: number): PageReport {
  const { page, outcome } = report;
  const usage = page?.usage ?? report.usage;
  if (usage === undefined || policy.uses === undefined) return report;
  const barred = withheldFor(policy, usage, page?.fetchedAtMs ?? nowMs);
  if (barred === undefined) return report;
  const detail = notPublishedText(barredText(barred), outcome.detail);
  return { ...report, page: null, withdrawn: true, outcome: { ...outcome, noindex: true, detail } };
}
