/** The end of a URL that was requested: whether its failure is its own, and whether the lease continues. */
import type { Outcome } from '../../../schemas/types.ts';
import { failsHost, isHostFailure, isPressure } from '../../../topology/fetch/outcome.ts';
import type { PageReport } from '../pages/page-reader.ts';
import { isUrls } from '../robots/answers-still.ts';
import type { Answered } from './request-url.ts';
import type { Step, Visit } from './visit.ts';

export async function concludeUrl(visit: Visit, answered: Answered, read: PageReport): Promise<Step> {
  const { lease } = visit;
  const { response, requests } = answered;
  const outcome = hasFailed(read.outcome) ? await blamed(visit, answered, read.outcome) : read.outcome;
  const { kind, retryAfterMs } = outcome;
  const isTrouble = failsHost(outcome) || isPressure(kind) || retryAfterMs > 0 || lease.isFailing(outcome);
  if (isTrouble) lease.runner.inTrouble?.(response.endMs);
  const { page, groups, pending, withdrawn } = read;
  return {
    next: isTrouble || kind === 'returned' ? 'returned' : 'on',
    report: { outcome, requests, page, groups, pending, ...(withdrawn === true && { withdrawn }) },
  };
}

function hasFailed({ kind }: Outcome): boolean {
  return kind === 'tlsFailed' || isHostFailure(kind);
}

/** Marks a failure that is one origin's or the URL's own, and not its host's. */
async function blamed(visit: Visit, { response }: Answered, outcome: Outcome): Promise<Outcome> {
  const { lease, origin, delayMs } = visit;
  const { runner, task, reporter } = lease;
  const { kind, detail } = outcome;
  // A certificate that has expired since is one origin's. A connection refused may be a machine that is under pressure.
  if (kind === 'tlsFailed' && (await lease.otherOriginAnswers(origin))) {
    lease.silent.set(origin, { kind, failure: { detail, originOnly: true } });
    return { ...outcome, originOnly: true };
  }
  if (isHostFailure(kind) && (await isUrls(runner, { ...task, delayMs }, origin, response, reporter)))
    return { ...outcome, originOnly: true };
  return outcome;
}
