/** The request of a URL that has passed the gates: by us, or by a client in our place. A priced page may be paid for. */
import type { Request } from '../../../schemas/types.ts';
import { conditionOf } from '../../../topology/fetch/conditional.ts';
import type { Report } from '../../runtime/leases/outside.ts';
import type { HttpResponse } from '../http/client.ts';
import { requestRecord } from '../http/outcomes.ts';
import { keepPause, type PacedRequest, pacedRequest } from '../pace/paced-request.ts';
import { madeBy } from '../pages/client-page.ts';
import { wantsOf } from '../pages/wanted-bodies.ts';
import { type Bill, settled } from './bill.ts';
import { ClientTurn } from './client-turn.ts';
import { createHeldResponses, type HeldResponses } from './held-responses.ts';
import type { Visit } from './visit.ts';

export interface Answered {
  readonly response: HttpResponse;
  /** In the order they started. */
  readonly requests: readonly Request[];
  /** undefined: the page has no price. */
  readonly bill: Bill | undefined;
  /** undefined: no client made the request. */
  readonly clientResult: Report | undefined;
  /** undefined: no archive wants the responses. */
  readonly held: HeldResponses | undefined;
}

/** null: the request could not start in time. */
export async function requestUrl(visit: Visit): Promise<Answered | null> {
  const { runner, task, reporter } = visit.lease;
  const requests: Request[] = [];
  const held = createHeldResponses(runner.requestPath);
  const client = clientTurn(visit);
  const request = pageRequest(visit, client, held, requests);
  const first = await pacedRequest(runner.requestPath, request);
  if (first === null) {
    // A request without time for its repetition was still made.
    for (const made of requests) reporter.requested({ ...made, outcomeIndex: -1 });
    return null;
  }
  // A request for robots.txt of this host, as one that looks whether the network is back, keeps the pause, too.
  keepPause(runner.requestPath, task.hostKey, first);
  const isPriced = first.status === 402 && first.failure === null && client?.clientResult === undefined;
  const bill = isPriced ? await settled(runner, task.hostKey, request, first, visit.said) : undefined;
  // A client may have made the second request, too.
  return { response: bill?.response ?? first, requests, bill, clientResult: client?.clientResult, held };
}

function clientTurn({ lease, index, delayMs }: Visit): ClientTurn | undefined {
  const { runner, task, latestStartMs, arrived } = lease;
  return (
    runner.outside &&
    new ClientTurn(runner.outside, runner.requestPath, task, { index, delayMs, latestStartMs, arrived })
  );
}

/** `made`: receives the records of the requests. */
function pageRequest(
  visit: Visit,
  client: ClientTurn | undefined,
  held: HeldResponses | undefined,
  made: Request[],
): PacedRequest {
  const { lease, item, index, answer, delayMs, crawlDelayMs, spans } = visit;
  const { runner, task, latestStartMs } = lease;
  const { url, depth, hop, attempt, etag, lastModified } = item;
  const { hash: robotsHash, fetchedAtMs: robotsAtMs } = answer.robots;
  const purpose = { kind: 'page', outcomeIndex: index, hop, robotsHash, robotsAtMs } as const;
  return {
    url,
    headers: [...visit.headers, ...conditionOf({ etag, lastModified })],
    wants: wantsOf(runner.reader),
    hostKey: task.hostKey,
    delayMs,
    delayFactor: task.delayFactor,
    crawlDelayMs,
    connections: task.lanes,
    latestStartMs,
    kind: 'page',
    isBegun: index > 0 || answer.fresh,
    isRetry: attempt > 0,
    failing: task.serverErrorsMax === 0 ? undefined : { isFirstTry: attempt === 0, most: task.serverErrorsMax },
    depth,
    holdsResponse: held?.take,
    by: client,
    record: (response, addressDelayMs) => {
      const record = requestRecord(url, purpose, delayMs, response, addressDelayMs);
      made.push(...(client?.clientResult === undefined ? [record] : madeBy(client.clientResult, record)));
      spans?.fetched(response);
    },
  };
}
