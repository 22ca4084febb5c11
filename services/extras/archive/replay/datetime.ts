/** Times of captures: 14 digits as in paths and indexes, and dates of HTTP as in Memento's headers. All UTC. */

const httpDate =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;

/** A time of 4 to 14 digits; missing ones are the earliest. Null: no such time. */
export function msOfDigits(digits: string): number | null {
  if (!/^\d{4,14}$/.test(digits) || digits.length % 2 === 1) return null;
  const full = digits + '00000101000000'.slice(digits.length);
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(full)!;
  const ms = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(ms) ? null : ms;
}

/** `Accept-Datetime` (RFC 7089 §2.1.1), in the form of RFC 1123. Null: it has another form. */
export function msOfHttpDate(text: string): number | null {
  const ms = httpDate.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? null : ms;
}

export function httpDateOf(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Formats a time for people. */
export function shownTime(digits: string): string {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(digits) ?? [];
  return year === undefined ? digits : `${year}-${month}-${day} ${hour}:${minute}:${second}`;
}
