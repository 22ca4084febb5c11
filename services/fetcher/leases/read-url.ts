/** Reads the response of a URL: its outcome, page and links. A page is withheld if a wanted use is barred. */
import { costOf, holdBack } from '../pace/processor-share.ts';
import { readClientResult } from '../pages/client-page.ts';
import type { PageReport } from '../pages/page-reader.ts';
import { readPage } from '../pages/report.ts';
import { usageRecord } from '../pages/usage-record.ts';
import { withholding } from '../pages/withhold.ts';
import { withBill } from './bill.ts';
import type { Answered } from './request-url.ts';
import type { Visit } from './visit.ts';

export async function readUrl(visit: Visit, { response, bill, clientResult, held }: Answered): Promise<PageReport> {
  const { lease, index, site, spans } = visit;
  const { runner, task } = lease;
  const { reader, requestPath, processorShare } = runner;
  const readAtMs = spans === undefined ? 0 : requestPath.clock.nowMs();
  const source = runner.sourceOf(task.hostKey);
  const context = spans?.fetchContext;
  const whole =
    clientResult === undefined
      ? await readPage(reader, task, index, response, source, context, site)
      : await readClientResult(reader, task, index, clientResult, response, source, context, site);
  const read = withholding(runner.usesPolicy(), whole, response.endMs);
  held?.release(read === whole, read.page?.usage ?? usageRecord(site, response.headers, reader.productToken));
  const { page, groups, readMs, richMs } = read;
  const outcome = bill === undefined ? read.outcome : withBill(read.outcome, bill);
  if (page !== null || outcome.kind === 'parseFailed') spans?.parsed(readAtMs, outcome);
  const links = groups.reduce((sum, group) => sum + group.links.length, 0);
  holdBack(requestPath, processorShare, task.hostKey, costOf(response, readMs, links, richMs));
  if (page !== null) runner.onPage(page, task, read.response ?? response);
  return bill === undefined ? read : { ...read, outcome };
}
