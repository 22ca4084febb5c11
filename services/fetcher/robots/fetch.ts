/**
 * Requests robots.txt and the targets of its redirects within a lease, paced like every request to their host.
 *
 * A lease contacts only its host. For a redirect to another host, that host's frontier partition is asked for a lease;
 * its answer goes to the task partition of the host that redirected. The crawl's scope does not matter here: a file
 * that moved out of scope still binds its host. No lease of a blocked host is requested.
 */
import type { Task } from '../../../schemas/types.ts';
import { isWholeRange } from '../../../topology/fetch/outcome.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { isRepeated } from '../../../topology/robots/verdict.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import type { HttpResponse } from '../http/client.ts';
import { type Headers, headerOf } from '../http/headers.ts';
import { requestRecord, retryAfterMsOf } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { keepPause, type PacedRequest, pacedRequest, type RequestPath } from '../pace/paced-request.ts';
import { costOf, holdBack, type ProcessorShare } from '../pace/processor-share.ts';
import type { LinkMaker } from '../publish/page-links.ts';
import type { LeaseReporter } from '../publish/publisher.ts';
import type { RobotsFetch, RobotsResponse } from './cache.ts';
import type { SharedRobots } from './shared-robots.ts';

/** The parts of a lease's runner that are needed to make the request. */
export interface RobotsAsker {
  readonly requestPath: RequestPath;
  readonly processorShare: ProcessorShare;
  readonly reader: { readonly links: Pick<LinkMaker, 'normalize'> };
  readonly headers: Headers;
  readonly totalTimeoutMs: number;
  /** Answers of other crawls' requests, and for them. Absent: there are no others. */
  readonly sharedRobots?: SharedRobots | undefined;
}

export function robotsFetch(runner: RobotsAsker, task: Task, reporter: LeaseReporter): RobotsFetch {
  return async (asked) => {
    const hop = asked.length - 1;
    const url = asked[hop]!;
    // As the normaliser spells it, or `example.org.` would have a separate queue.
    const hostKey = hostKeyOf(runner.reader.links.normalize(url) ?? url);
    if (hostKey !== task.hostKey) {
      if (runner.requestPath.isBlocked(hostKey)) return notAsked(`it moved to ${hostKey}, which is blocked`);
      const partition = task.robotsHops[0]?.partition ?? task.partition;
      reporter.requestLease(hostKey, { url, asked: asked.slice(0, hop), partition });
      return 'elsewhere';
    }
    const { sharedRobots: shared } = runner;
    const known = shared?.get(url);
    if (known !== undefined) return known;
    const purpose = { kind: 'robots', outcomeIndex: -1, hop, robotsHash: '', robotsAtMs: 0 } as const;
    const request: PacedRequest = {
      url,
      headers: runner.headers,
      bodyBytesMax: robotsLimits.bodyBytesMax,
      wants: isSuccess,
      hostKey,
      delayMs: task.delayMs,
      delayFactor: task.delayFactor,
      kind: 'robots',
      // Another caller may have requested it while this one waited.
      isNeeded: () => shared?.get(url) === undefined,
      latestStartMs: task.deadlineMs - runner.totalTimeoutMs,
      record: (made, addressDelayMs) =>
        reporter.requested(requestRecord(url, purpose, task.delayMs, made, addressDelayMs)),
    };
    let response = await pacedRequest(runner.requestPath, request);
    for (let times = 0; response !== null && isRepeated(response.status, times); times++) {
      keepPause(runner.requestPath, hostKey, response);
      response = await pacedRequest(runner.requestPath, request);
    }
    if (response === null || isOurs(response.failure)) return shared?.get(url) ?? null;
    keepPause(runner.requestPath, hostKey, response);
    const spent = (readMs: number) =>
      holdBack(runner.requestPath, runner.processorShare, hostKey, costOf(response, readMs));
    spent(0);
    const answer = robotsResponse(response);
    shared?.put(url, answer);
    return { ...answer, onParsed: spent };
  };
}

function notAsked(detail: string): RobotsResponse {
  return { status: 0, location: null, body: Buffer.alloc(0), retryAfterMs: 0, blockedAddress: false, detail };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function statusOf({ status, headers }: HttpResponse): number {
  return status === 206 && isWholeRange(headerOf(headers, 'content-range')) ? 200 : status;
}

function robotsResponse(response: HttpResponse): RobotsResponse {
  const { failure, headers } = response;
  // The missing part may forbid paths that the received part allows.
  const isWhole = failure === null && response.broken !== true;
  return {
    status: isWhole ? statusOf(response) : 0,
    location: headerOf(headers, 'location') || null,
    body: response.body,
    retryAfterMs: retryAfterMsOf(response),
    blockedAddress: failure?.kind === 'blockedAddress',
    detail: failure?.detail ?? (isWhole ? '' : 'only a part of it came'),
  };
}
