/**
 * Decides whether a failure without a response is the URL's or its host's. It requests another URL of the origin:
 * robots.txt, which has answered before.
 */
import type { Task } from '../../../schemas/types.ts';
import { faultOf } from '../../../topology/fetch/fault.ts';
import type { HttpResponse } from '../http/client.ts';
import { requestRecord } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { keepPause, pacedRequest } from '../pace/paced-request.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { RobotsAsker } from './fetch.ts';

type Asker = Pick<RobotsAsker, 'requestPath' | 'headers' | 'totalTimeoutMs'>;

/** True if a failure is the URL's own: an answer had begun, or the host answers another request. */
export async function isUrls(
  runner: Asker,
  task: Task,
  origin: string,
  { status, failure, unreached }: HttpResponse,
  reporter: Pick<LeaseReporter, 'requested'>,
): Promise<boolean> {
  if (failure === null) return false;
  const fault = faultOf({ kind: failure.kind, status, unreached, code: failure.code ?? '' });
  if (fault === 'url') return true;
  if (fault !== 'host' && fault !== 'unclear') return false;
  const answers = await answersStill(runner, task, origin, reporter);
  // Without time for the request, an established connection suggests that the host is up.
  return answers ?? fault === 'unclear';
}

/** Null: the request could not start in time. */
async function answersStill(
  runner: Asker,
  task: Task,
  origin: string,
  reporter: Pick<LeaseReporter, 'requested'>,
): Promise<boolean | null> {
  const url = `${origin}/robots.txt`;
  const purpose = { kind: 'robots', outcomeIndex: -1, hop: 0, robotsHash: '', robotsAtMs: 0 } as const;
  const response = await pacedRequest(runner.requestPath, {
    url,
    headers: runner.headers,
    // Its content is known from the copy in force.
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
  keepPause(runner.requestPath, task.hostKey, response);
  return response.status > 0;
}
