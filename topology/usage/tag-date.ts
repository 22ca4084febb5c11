/**
 * Dates after unavailable_after: RFC 822, RFC 850 or ISO 8601, as Google documents it. A time zone that is not named, or not
 * known, is UTC; a day without a time is its beginning.
 */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Minutes east of UTC (RFC 822 §5.1). */
const zones = new Map([
  ['est', -300],
  ['edt', -240],
  ['cst', -360],
  ['cdt', -300],
  ['mst', -420],
  ['mdt', -360],
  ['pst', -480],
  ['pdt', -420],
]);

/** The longest form has some 40 characters. */
const tagDateCharsMax = 60;

const clock = String.raw`(?:[T\s]+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?\s*([+-]\d{2}:?\d{2}|[a-z]{1,5})?`;
const isoDate = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})${clock}$`, 'i');
const mailDate = new RegExp(
  String.raw`^(?:[a-z]{3,9},?\s+)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{2}|\d{4})${clock}$`,
  'i',
);

/** ms since the Unix epoch; null: not a date. */
export function parseTagDate(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed.length > tagDateCharsMax) return null;
  const iso = isoDate.exec(trimmed);
  if (iso !== null) return moment(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]), iso.slice(4));
  const mail = mailDate.exec(trimmed);
  if (mail === null) return null;
  const year = Number(mail[3]);
  // RFC 850 has two digits; RFC 2822 §4.3 decides on the century.
  const fullYear = mail[3]!.length === 4 ? year : year < 50 ? 2000 + year : 1900 + year;
  return moment(fullYear, months.indexOf(mail[2]!.toLowerCase()), Number(mail[1]), mail.slice(4));
}

function moment(year: number, month: number, day: number, [h = '0', m = '0', s = '0', zone = '']: string[]) {
  // The day is checked alone: a leap second would move the time to the next day.
  const date = new Date(Date.UTC(year, month, day));
  const atMs = Date.UTC(year, month, day, Number(h), Number(m), Number(s));
  const isReal = month >= 0 && date.getUTCMonth() === month && date.getUTCDate() === day && Number(h) < 24;
  return isReal && Number(m) < 60 && Number(s) <= 60 ? atMs - 60_000 * eastMinutes(zone) : null;
}

function eastMinutes(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  if (sign === undefined) return zones.get(zone.toLowerCase()) ?? 0;
  const east = Number(hours) * 60 + Number(minutes);
  return sign === '-' ? -east : east;
}
