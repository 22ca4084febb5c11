/**
 * Dates of sitemaps and feeds: W3C date and time (sitemaps, Atom, Dublin Core) and RFC 822 with RFC 1123 years (RSS).
 *
 * Read leniently where the meaning is plain: a missing zone is UTC, a blank may stand for `T`. A date that is not in
 * the calendar is not read.
 */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Hours east of UTC (RFC 822 §5.1). */
const zoneHours: Readonly<Record<string, number>> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
};
const dateCharsMax = 64;

const w3c =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9})\d*)?)?\s?([Zz]|[+-]\d{2}:?\d{2})?)?)?)?$/;
const rss =
  /^(?:[a-z]{3,9},?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{4}|\d{2})(?:\s+(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s*([a-z]{1,4}|[+-]\d{2}:?\d{2}))?)?$/i;

/** ms since the Unix epoch; null: no date. */
export function parseSitemapDate(value: string): number | null {
  const text = value.trim();
  if (text.length > dateCharsMax) return null;
  const iso = w3c.exec(text);
  if (iso !== null) {
    const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] =
      iso;
    const at = utc(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
    const zoneMs = offsetMs(zone);
    return at === null || zoneMs === null ? null : at - zoneMs + Math.floor(Number(`0.${fraction || '0'}`) * 1000);
  }
  const mail = rss.exec(text);
  if (mail === null) return null;
  const [, day, name, digits, hour = '0', minute = '0', second = '0', zone = 'gmt'] = mail;
  // RFC 2822 §4.3: two digits up to 49 are the 2000s.
  const year = Number(digits) + (digits!.length === 4 ? 0 : Number(digits) < 50 ? 2000 : 1900);
  const at = utc(year, months.indexOf(name!.toLowerCase()), Number(day), Number(hour), Number(minute), Number(second));
  const zoneMs = offsetMs(zone);
  return at === null || zoneMs === null ? null : at - zoneMs;
}

/** null: no such day or time. */
function utc(year: number, month: number, day: number, hour: number, minute: number, second: number): number | null {
  if (month < 0 || month > 11 || day < 1 || hour > 24 || minute > 59 || second > 60) return null;
  if (hour === 24 && (minute > 0 || second > 0)) return null;
  const date = new Date(0);
  date.setUTCFullYear(year, month, day);
  if (date.getUTCMonth() !== month) return null;
  return date.setUTCHours(hour, minute, second);
}

/** East of UTC; null: no such zone. */
function offsetMs(zone: string): number | null {
  const numeric = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  if (numeric === null) {
    const hours = zoneHours[zone.toLowerCase()];
    return hours === undefined ? null : hours * 3_600_000;
  }
  const minutes = Number(numeric[2]) * 60 + Number(numeric[3]);
  if (minutes > 24 * 60) return null;
  return (numeric[1] === '-' ? -minutes : minutes) * 60_000;
}
