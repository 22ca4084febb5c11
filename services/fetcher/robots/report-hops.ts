/**
 * A robots.txt that moved to a host of another fetcher: that fetcher requests the file and publishes the answer, and
 * the fetcher of the first host uses the answer as its own.
 */
import { robotsVerdict } from '../../../topology/robots/verdict.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RobotsCache, RobotsFetch, RobotsResponse } from './cache.ts';
import { createMovedAnswers } from './moved-answers.ts';

export interface HopReports {
  /**
   * True if the URL's host is still with this fetcher. Otherwise its answer does not count: the request may have been
   * cancelled.
   */
  isHere(url: string): boolean;
  /** Resolves once the answer will surely be delivered. */
  report(asked: readonly string[], response: RobotsResponse): Promise<void>;
  /** Reports that this fetcher could not ask the host, which another one may have by now. */
  notAsked(asked: readonly string[]): Promise<void>;
}

/** A failing host is not asked again for every site that redirects to it. */
export function hopReporter(clock: Pick<Clock, 'nowMs'>, { isHere, report, notAsked }: HopReports): RobotsCache['hop'] {
  const known = createMovedAnswers(clock);
  return async (asked, fetch) => {
    for (let chain = asked; ; ) {
      const url = chain[chain.length - 1]!;
      const response = known.get(url) ?? (await fetch(chain));
      if (response === 'elsewhere') return;
      if (response === null || !isHere(url)) return notAsked(chain);
      known.add(url, response);
      await report(chain, response);
      const { status, location } = response;
      const verdict = robotsVerdict({ url, status, location, asked: chain, cachedAgeMs: null });
      if (verdict.kind !== 'follow') return;
      chain = [...chain, verdict.url];
    }
  };
}

/** A fetch that returns the reported answer; for a further redirect, other fetchers ask the next host. */
export function fetchReported(response: RobotsResponse): RobotsFetch {
  let isGiven = false;
  return async () => {
    if (isGiven) return 'elsewhere';
    isGiven = true;
    return response;
  };
}
