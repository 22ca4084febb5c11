/**
 * Decides what the result of fetching robots.txt means for its host (RFC 9309 §2.3.1, §2.4).
 *
 * Fail closed: only an answer that says "there is none" opens the host. Pure: the caller fetches, keeps copies with
 * their times, and asks.
 *
 * | what came | verdict |
 * | --- | --- |
 * | 2xx but 206 and 226 | `parse` the body |
 * | 3xx with a Location, up to five | `follow`, across authorities; the rules bind the authority first asked |
 * | 3xx to what is not ours to ask for (moved.ts) | unreachable: only the site itself may decide about its pages |
 * | 3xx beyond five, a loop, or without a usable Location | unavailable: `allow_all` (§2.3.1.2 permits it) |
 * | 206, 226, 304 | unreachable: we asked for the whole file, without a condition, so that a part, a difference or none is no answer |
 * | 408, 425 | the request is repeated first (`isRepeated`); what stays is a 4xx like any other |
 * | any 4xx but 429 | unavailable: `allow_all` (§2.3.1.3) |
 * | 429, 5xx, any other status, no response | unreachable: `disallow_all` (§2.3.1.4), or a copy not older than 30 days |
 */
import { isPartOrNothing } from '../fetch/outcome.ts';
import { redirectTarget } from '../fetch/redirect.ts';
import { robotsMove } from './moved.ts';
import { robotsLimits } from './robots-limits.ts';

export type RobotsVerdict =
  | { readonly kind: 'parse' }
  | { readonly kind: 'follow'; readonly url: string }
  | { readonly kind: 'allow_all' }
  | { readonly kind: 'disallow_all' }
  | { readonly kind: 'use_cached' };

export interface RobotsAnswer {
  /** URL that gave this answer. */
  readonly url: string;
  /** HTTP status. 0: no response (DNS, connection, TLS, timeout, malformed). */
  readonly status: number;
  readonly location: string | null;
  /** URLs asked so far in this chain, this one included. */
  readonly asked: readonly string[];
  /** Age of the newest copy that was ever parsed or found missing, ms. null: none. */
  readonly cachedAgeMs: number | null;
}

export function robotsVerdict(answer: RobotsAnswer): RobotsVerdict {
  const { status } = answer;
  if (isPartOrNothing(status)) return failed(answer.cachedAgeMs);
  if (status >= 200 && status < 300) return { kind: 'parse' };
  if (status >= 300 && status < 400) return redirected(answer);
  if (status >= 400 && status < 500 && status !== 429) return { kind: 'allow_all' };
  return failed(answer.cachedAgeMs);
}

/**
 * Is a request repeated before its answer counts? 408 and 425 speak of one request, not of the file (RFC 9110 §15.5.9,
 * RFC 8470 §5.2).
 *
 * @param times how often it was repeated already
 */
export function isRepeated(status: number, times: number): boolean {
  return (status === 408 || status === 425) && times < robotsLimits.repeatsMax;
}

function redirected({ url, status, location, asked, cachedAgeMs }: RobotsAnswer): RobotsVerdict {
  const target = redirectTarget(url, status, location);
  const hops = asked.length - 1;
  if (target === null || hops >= robotsLimits.redirectsMax || asked.includes(target)) return { kind: 'allow_all' };
  return robotsMove(url, target) === 'refused' ? failed(cachedAgeMs) : { kind: 'follow', url: target };
}

function failed(cachedAgeMs: number | null): RobotsVerdict {
  return { kind: cachedAgeMs !== null && cachedAgeMs <= robotsLimits.staleMsMax ? 'use_cached' : 'disallow_all' };
}

/** §2.4: a copy serves for a day without asking again. */
export function needsRefetch(cachedAgeMs: number): boolean {
  return cachedAgeMs >= robotsLimits.cacheMsMax;
}
