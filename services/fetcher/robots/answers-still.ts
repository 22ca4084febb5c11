/**
 * Does a host still answer? Asked where one of its URLs got no answer, over a connection that was there or that nobody accepted:
 * then either the URL is broken or the host is away, and a second URL tells. It is robots.txt, which has answered before.
 */
import type { Task } from '../../../schemas/types.ts';
import { requestRecord } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { keepPause, pacedRequest } from '../pace/paced-request.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { RobotsAsker } from './fetch.ts';

/** Null: it could not be asked in time. */
export async function answersStill(
  runner: Pick<RobotsAsker, 'road' | 'headers' | 'totalTimeoutMs'>,
  task: Task,
  origin: string,
  reporter: Pick<LeaseReporter, 'requested'>,
): Promise<boolean | null> {
  const url = `${origin}/robots.txt`;
  const purpose = { kind: 'robots', outcomeIndex: -1, hop: 0, robotsHash: '', robotsAtMs: 0 } as const;
  const response = await pacedRequest(runner.road, {
    url,
    headers: runner.headers,
    // What it says is known by the copy in force.
    wants: () => false,
    hostKey: task.hostKey,
    delayMs: task.delayMs,
    delayFactor: task.delayFactor,
    kind: 'robots',
    latestStartMs: task.deadlineMs - runner.totalTimeoutMs,
    record: (made, addressDelayMs) =>
      reporter.requested(requestRecord(url, purpose, task.delayMs, made, addressDelayMs)),
  });
  if (response === null || isOurs(response.failure)) return null;
  keepPause(runner.road, task.hostKey, response);
  return response.status > 0;
}
