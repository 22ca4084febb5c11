/** Retry-After (RFC 9110 §10.2.3): seconds, or a date. Anything else says nothing, and our own back-off holds. */

import { parseHttpDate } from './http-date.ts';
import { responseLimits } from './response-limits.ts';

/** Seconds to wait from `nowMs` on, 0 where the date is past, capped; null: absent or malformed. */
export function retryAfterSeconds(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text), responseLimits.retryAfterSecondsMax);
  const dateMs = parseHttpDate(text);
  if (dateMs === null) return null;
  const seconds = Math.ceil((dateMs - nowMs) / 1000);
  return Math.min(Math.max(seconds, 0), responseLimits.retryAfterSecondsMax);
}
