/**
 * HTTP dates in their three forms (RFC 9110 §5.6.7), read strictly: a malformed date is ignored.
 *
 *   Sun, 06 Nov 1994 08:49:37 GMT    IMF-fixdate
 *   Sunday, 06-Nov-94 08:49:37 GMT   RFC 850, obsolete: two-digit year
 *   Sun Nov  6 08:49:37 1994         asctime, obsolete
 *
 * The RFC reads a two-digit year more than 50 years ahead as the past. This code has no clock, so 70–99 are the
 * 1900s, as in POSIX. A wrong day name is accepted: it is common and harmless.
 */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const shortDay = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)';
const longDay = '(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)';
const month = `(${months.join('|')})`;
const time = '(\\d{2}):(\\d{2}):(\\d{2})';

const imfFixdate = new RegExp(`^${shortDay}, (\\d{2}) ${month} (\\d{4}) ${time} GMT$`);
const rfc850 = new RegExp(`^${longDay}, (\\d{2})-${month}-(\\d{2}) ${time} GMT$`);
const asctime = new RegExp(`^${shortDay} ${month} (\\d{2}| \\d) ${time} (\\d{4})$`);

/** Returns ms since the Unix epoch; null if the value is not an HTTP date. */
export function parseHttpDate(value: string): number | null {
  const fixed = imfFixdate.exec(value);
  if (fixed !== null) {
    const [, day, name, year, hour, minute, second] = fixed;
    return utc(Number(year), name!, Number(day), Number(hour), Number(minute), Number(second));
  }
  const old = rfc850.exec(value);
  if (old !== null) {
    const [, day, name, digits, hour, minute, second] = old;
    const year = Number(digits) + (Number(digits) >= 70 ? 1900 : 2000);
    return utc(year, name!, Number(day), Number(hour), Number(minute), Number(second));
  }
  const c = asctime.exec(value);
  if (c === null) return null;
  const [, name, day, hour, minute, second, year] = c;
  return utc(Number(year), name!, Number(day), Number(hour), Number(minute), Number(second));
}

function utc(year: number, name: string, day: number, hour: number, minute: number, second: number): number | null {
  if (hour > 23 || minute > 59 || second > 60 || day < 1) return null;
  // A leap second, which comes at the end of a day only. Unix time has no room for it: it is the next second.
  if (second === 60 && (hour !== 23 || minute !== 59)) return null;
  const monthIndex = months.indexOf(name);
  const date = new Date(0);
  date.setUTCFullYear(year, monthIndex, day);
  if (date.getUTCMonth() !== monthIndex) return null;
  return date.setUTCHours(hour, minute, second);
}
