/**
 * Remembers answers of other hosts to redirected robots.txt requests: for a while, by URL and without body. So a host
 * is asked once, not for every site that redirects to it. A real robots.txt is kept in the robots.txt cache.
 */

import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { RobotsResponse } from './cache.ts';

export interface MovedAnswers {
  get(url: string): RobotsResponse | undefined;
  add(url: string, response: RobotsResponse): void;
}

export function createMovedAnswers(clock: Pick<Clock, 'nowMs'>): MovedAnswers {
  /** In order of their coming. */
  const answers = new Map<string, { readonly response: RobotsResponse; readonly untilMs: number }>();
  return {
    get(url) {
      const known = answers.get(url);
      return known !== undefined && clock.nowMs() < known.untilMs ? known.response : undefined;
    },
    add(url, response) {
      const { status } = response;
      if (status >= 200 && status < 300) return;
      const isFailure = status === 0 || status === 429 || status >= 500;
      const keptMs = isFailure ? fetcherLimits.robotsHopAgainMs : fetcherLimits.robotsMovedMs;
      // Using an answer does not renew its age.
      if (clock.nowMs() < (answers.get(url)?.untilMs ?? 0)) return;
      answers.delete(url);
      const { location, retryAfterMs, blockedAddress, detail } = response;
      const kept = { status, location, body: new Uint8Array(), retryAfterMs, blockedAddress, detail };
      answers.set(url, { response: kept, untilMs: clock.nowMs() + keptMs });
      if (answers.size > fetcherLimits.robotsEntriesMax) answers.delete(answers.keys().next().value!);
    },
  };
}
