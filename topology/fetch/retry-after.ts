/**
 * Retry-After (RFC 9110 §10.2.3): seconds, or a date. Common deviations are understood: a unit or a fraction, a zone
 * that is not called GMT, ISO 8601. Anything else is ignored, and the crawler's own back-off applies.
 */

import { parseHttpDate } from './http-date.ts';
import { responseLimits } from './response-limits.ts';

const seconds = /^(\d+(?:\.\d+)?) *(?:s|secs?|seconds?)?$/i;
/** UTC under another name, or as an offset of nothing. */
const utc = / (?:UTC|UT|Z|[+-]00:?00|GMT[+-]00:?00)$/i;
/** RFC 3339, and RFC 5322 with an offset: dates that are no HTTP-dates, and cannot be misread. */
const rfc3339 = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})$/i;
const rfc5322 = /^(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} [+-]\d{4}$/;

/** Seconds to wait from `nowMs` on, 0 if the date is past, capped; null: absent or malformed. */
export function retryAfterSeconds(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  const [, count] = seconds.exec(text) ?? [];
  if (count !== undefined) return Math.min(Math.ceil(Number(count)), responseLimits.retryAfterSecondsMax);
  const dateMs = dateOf(text);
  if (dateMs === null) return null;
  return Math.min(Math.max(Math.ceil((dateMs - nowMs) / 1000), 0), responseLimits.retryAfterSecondsMax);
}

function dateOf(text: string): number | null {
  const strict = parseHttpDate(text.replace(utc, ' GMT'));
  if (strict !== null) return strict;
  if (!rfc3339.test(text) && !rfc5322.test(text)) return null;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? null : ms;
}
