/**
 * A robots.txt that moved to a host of another fetcher: that fetcher requests the file and publishes the answer, and
 * the fetcher of the first host uses the answer as its own.
 */
import { robotsVerdict } from '../../../topology/robots/verdict.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { RobotsCache, RobotsFetch, RobotsResponse } from './cache.ts';
import { createMovedAnswers } from './moved-answers.ts';

export interface HopReports {
  /** Is the host of that URL still with this fetcher? What it answered is no answer otherwise: the request may have been broken off. */
  isHere(url: string): boolean;
  /** Resolves once the answer is on its way for good. */
  report(asked: readonly string[], response: RobotsResponse): Promise<void>;
  /** It could not be asked for here, by a host that may be with another by now. */
  notAsked(asked: readonly string[]): Promise<void>;
}

/** A host that fails is not asked again for all who lead to it. */
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
