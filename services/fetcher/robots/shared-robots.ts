/**
 * Shares robots.txt answers among fetchers of one identity, each with a separate cache and log (cache.ts): a file is
 * requested once, by the crawl that asks first. Only answers with a verdict are shared. If a host could not be asked,
 * the next crawl asks it in its turn. Bounded by entries and bytes; the oldest go first.
 */
import type { Task } from '../../../schemas/types.ts';
import type { Clock } from '../../runtime/clock.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import type { CrawlPace } from '../pace/fleet-pace.ts';
import type { RobotsResponse } from './cache.ts';

export interface SharedRobots {
  /** Returns the answer with its age; undefined: there is none that is still valid. */
  get(url: string): RobotsResponse | undefined;
  /** Adds a new answer. */
  put(url: string, response: RobotsResponse): void;
  readonly size: number;
}

/** Parts shared with fetchers of other crawls. */
export interface FetcherPace extends Omit<CrawlPace, 'leave'> {
  readonly robots: SharedRobots;
  /** True if a lease is over, because another process has granted its URLs again. Absent: none is. */
  isVoid?(task: Task): boolean;
  /** Called with the number of leases that it would hold, including current ones. Absent: the number is not needed. */
  onRoom?(leases: number): void;
}

interface Shared {
  readonly response: RobotsResponse;
  readonly atMs: number;
}

export function createSharedRobots(clock: Clock): SharedRobots {
  const answers = new Map<string, Shared>();
  let bytes = 0;
  const forget = (url: string) => {
    bytes -= answers.get(url)?.response.body.length ?? 0;
    answers.delete(url);
  };
  return {
    get(url) {
      const shared = answers.get(url);
      if (shared === undefined) return undefined;
      const ageMs = clock.nowMs() - shared.atMs;
      if (ageMs < fetcherLimits.robotsSharedMs) return { ...shared.response, ageMs };
      forget(url);
      return undefined;
    },
    put(url, { status, location, body }) {
      forget(url);
      if (status < 200 || status >= 500 || status === 429) return;
      const response = { status, location, body, retryAfterMs: 0, blockedAddress: false, detail: '' };
      answers.set(url, { response, atMs: clock.nowMs() });
      bytes += body.length;
      const { robotsEntriesMax, robotsEntriesBytesMax } = fetcherLimits;
      while (answers.size > robotsEntriesMax || bytes > robotsEntriesBytesMax) forget(answers.keys().next().value!);
    },
    get size() {
      return answers.size;
    },
  };
}
