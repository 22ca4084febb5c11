/**
 * Dates of sitemaps and feeds: W3C date and time (sitemaps, Atom, Dublin Core) and RFC 822 with RFC 1123 years (RSS).
 *
 * A date is a day, then a time, then a zone. Each part is read in all the forms in which servers send it, as far as its meaning is
 * plain: ISO 8601 without hyphens, names of months before or behind the day, C's `asctime`, 12-hour times, zones by name with or
 * without an offset. A missing or unknown zone is UTC. `01/02/2026` is not read: it may be January or February. Neither is a date that
 * is not in the calendar.
 */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Hours east of UTC: RFC 822 §5.1, and names that only one zone has. */
const zoneHours: Readonly<Record<string, number>> = {
  ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
  ...{ hst: -10, akst: -9, akdt: -8, nst: -3.5, ndt: -2.5, brt: -3 },
  ...{ wet: 0, west: 1, bst: 1, cet: 1, cest: 2, met: 1, mest: 2, mez: 1, mesz: 2, eet: 2, eest: 3, msk: 3 },
  ...{ sgt: 8, hkt: 8, awst: 8, jst: 9, kst: 9, acst: 9.5, acdt: 10.5, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
};
const dateCharsMax = 64;

const month = months.join('|');
/** In any language, with a comma or without one. A month without a comma is not a date. */
const weekday = new RegExp(`^(?:\\p{L}{2,9}\\.?, ?|(?!${month})\\p{L}{2,9}\\.? )(?=\\d|${month})`, 'iu');
const isoDay = /^(\d{4})(?:([-/])(\d{1,2})\2(\d{1,2})|(\d\d)(\d\d))(?!\d)/;
const isoMonth = /^(\d{4})(?:-(\d\d))?$/;
const dayFirst = /^(\d{1,2})[ -]([a-z]{3})[a-z]*\.?,?[ -](\d{4}|\d{2})(?!\d)/i;
const monthFirst = /^([a-z]{3})[a-z]*\.? (\d{1,2})(?:st|nd|rd|th)?(?:, ?| )(\d{4})(?!\d)/i;
/** `Jan  2 15:04:05 UTC 2006`: the year follows the time. */
const yearLast = /^([a-z]{3}) (\d{1,2}) (\d\S*(?: \S+)?) (\d{4})$/i;
const timeOfDay =
  /^(?:t|,? (?:at )?)(\d{1,2})(?:(?::(\d{1,2})(?::(\d{1,2})(?:[.,](\d*))?)?|(\d\d)(\d\d)?))? ?([ap]m)?(?![\d:])/i;
const zoneName = /^ ?([a-z]{1,5}(?:\/[a-z]+)?)? ?(?:([+-])(\d{1,2})(?::?(\d\d))?)? ?(?:\([^)]*\))?$/i;

/** ms since the Unix epoch; null: no date. */
export function parseSitemapDate(value: string): number | null {
  const trimmed = value.trim();
  if (trimmed.length > dateCharsMax) return null;
  const text = trimmed.replace(/\s+/g, ' ').replace('\u2212', '-').replace(weekday, '');
  const [dayMs, rest] = dayOf(text) ?? [null, ''];
  if (dayMs === null) return null;
  const [timeMs, zone] = timeOf(rest) ?? [null, ''];
  const zoneMs = zoneOf(zone);
  return timeMs === null || zoneMs === null ? null : dayMs + timeMs - zoneMs;
}

/** Midnight of the day in UTC, and the text behind it with the time first. Undefined: no day. */
function dayOf(text: string): [ms: number | null, rest: string] | undefined {
  const iso = isoDay.exec(text);
  if (iso !== null) {
    const [all, year, , month = iso[5], day = iso[6]] = iso;
    return [midnight(year!, Number(month) - 1, day!), text.slice(all.length)];
  }
  const short = isoMonth.exec(text);
  if (short !== null) return [midnight(short[1]!, Number(short[2] ?? 1) - 1, '1'), ''];
  const behind = dayFirst.exec(text);
  if (behind !== null) return [midnight(fullYear(behind[3]!), monthOf(behind[2]!), behind[1]!), after(text, behind)];
  const before = monthFirst.exec(text);
  if (before !== null) return [midnight(before[3]!, monthOf(before[1]!), before[2]!), after(text, before)];
  const last = yearLast.exec(text);
  if (last !== null) return [midnight(last[4]!, monthOf(last[1]!), last[2]!), ` ${last[3]!}`];
  return undefined;
}

function after(text: string, [all]: RegExpExecArray): string {
  return text.slice(all.length);
}

function monthOf(name: string): number {
  return months.indexOf(name.toLowerCase());
}

/** RFC 2822 §4.3: two digits up to 49 are the 2000s. */
function fullYear(digits: string): string {
  return digits.length === 4 ? digits : `${Number(digits) < 50 ? 20 : 19}${digits}`;
}

/** Null: no such day. `month` is 0 to 11. */
function midnight(year: string, month: number, day: string): number | null {
  const date = new Date(0);
  const ms = date.setUTCFullYear(Number(year), month, Number(day));
  return month < 0 || date.getUTCMonth() !== month || date.getUTCDate() !== Number(day) ? null : ms;
}

/** Time since midnight, ms, and the zone behind it. Undefined: no time that a clock shows. */
function timeOf(text: string): [ms: number, zone: string] | undefined {
  if (text === '') return [0, ''];
  const match = timeOfDay.exec(text);
  if (match === null) return undefined;
  const [all, hours, minutes = match[5] ?? '0', seconds = match[6] ?? '0', fraction = '', , , half] = match;
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  if (half !== undefined && (hour < 1 || hour > 12)) return undefined;
  if (hour > 24 || minute > 59 || second > 60 || (hour === 24 && minute + second > 0)) return undefined;
  const hourOfDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  const ms = Math.floor(Number(`0.${fraction || '0'}`) * 1_000);
  return [((hourOfDay * 60 + minute) * 60 + second) * 1_000 + ms, text.slice(all.length)];
}

/** Its time east of UTC, ms; null: no zone. */
function zoneOf(text: string): number | null {
  const match = zoneName.exec(text);
  if (match === null) return null;
  const [, name = '', sign, hours, minutes = '0'] = match;
  if (sign === undefined) return (zoneHours[name.toLowerCase()] ?? 0) * 3_600_000;
  const offset = Number(hours) * 60 + Number(minutes);
  if (offset > 24 * 60) return null;
  return (sign === '-' ? -offset : offset) * 60_000;
}
