/** The one way to hosts, on a clock that is moved by hand, with answers that are made up. */
import assert from 'node:assert/strict';
import type { HttpClient, HttpResponse } from '../../../services/fetcher/http/client.ts';
import { createAddressPacer } from '../../../services/fetcher/pace/address-pacer.ts';
import { createBandwidth } from '../../../services/fetcher/pace/bandwidth.ts';
import { createGrantClock } from '../../../services/fetcher/pace/grant-clock.ts';
import type { RequestPath } from '../../../services/fetcher/pace/paced-request.ts';
import { createPacer } from '../../../services/fetcher/pace/pacer.ts';
import { createProcessorShare } from '../../../services/fetcher/pace/processor-share.ts';
import { createSlots } from '../../../services/fetcher/pace/slots.ts';
import { createFakeClock } from './fake-clock.ts';

/** `answerTo`: of a response, what is not that of an empty page. `urls`: what was requested, in order. */
export function playedRequestPath(answerTo: (url: string) => Partial<HttpResponse>, isBlocked = (_: string) => false) {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const urls: string[] = [];
  const http: HttpClient = {
    request: async ({ url }) => {
      urls.push(url);
      const answer = answerTo(url);
      const body = answer.body ?? Buffer.alloc(0);
      return {
        ...{ status: 200, headers: [], body, rawBody: body, truncated: false, address: '192.0.2.1' },
        ...{ startMs: clock.nowMs(), endMs: clock.nowMs(), connectMs: 0, firstByteMs: 1 },
        ...{ failure: null, staleConnection: false, unreached: false },
        ...answer,
      };
    },
    stats: () => ({ origins: 0, inFlight: 0 }),
    close: async () => {},
  };
  const requestPath: RequestPath = {
    ...{ clock: createGrantClock(clock), ownClock: clock, http, signal, isBlocked },
    pacer: createPacer(clock, signal),
    addressPacer: createAddressPacer(clock, 0, () => 1),
    resolver: {
      ...{ resolve: () => assert.fail('nobody asks'), resolvesOthers: () => assert.fail('nobody asks') },
      ...{ known: () => assert.fail('nobody asks'), askedAtMs: () => undefined },
      ...{ avoid: () => false, waiting: 0, forgetFailures: () => {} },
    },
    bandwidth: createBandwidth(clock, () => 1),
    slots: createSlots(1),
  };
  const processorShare = createProcessorShare(
    () => 1,
    () => false,
  );
  return { requestPath, asker: { requestPath, processorShare, headers: [] }, clock, urls };
}
