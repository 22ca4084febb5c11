/** The report of a lease of one URL, which was requested and answered at `nowMs`. */
import { blankOutcome, blankRequest, blankResult } from '../../../schemas/blank.ts';
import type { Outcome, Result, Task } from '../../../schemas/types.ts';

export function fetchedResult(
  task: Task,
  answer: Pick<Outcome, 'kind' | 'status'> & Partial<Outcome>,
  nowMs: number,
): Result {
  const { partition, epoch, leaseId, hostKey, grantedAtMs, delayMs } = task;
  const { url } = task.urls[0]!;
  const times = { startMs: nowMs, endMs: nowMs, delayMs };
  return {
    ...blankResult,
    ...{ partition, epoch, leaseId, hostKey, grantedAtMs, last: true, fetcherId: 'explored', completedAtMs: nowMs },
    outcomes: [{ ...blankOutcome, index: 0, url, ...answer }],
    requests: [{ ...blankRequest, kind: 'page', status: answer.status, url, outcomeIndex: 0, ...times }],
    host: { ...blankResult.host, robotsStatus: 'rules' },
  };
}
