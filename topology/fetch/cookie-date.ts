/**
 * The date of a cookie's Expires (RFC 6265 §5.1.1): its parts in any order, between any delimiters, in every form
 * that servers have used. The time is UTC, whatever zone it names.
 */
const delimiters = /[\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/;
const time = /^(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?$/s;
const day = /^(\d{1,2})(?:\D.*)?$/s;
const month = /^(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i;
const year = /^(\d{2,4})(?:\D.*)?$/s;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Returns ms since the Unix epoch; null if it is not a date. */
export function parseCookieDate(value: string): number | null {
  let clock: readonly number[] | undefined;
  let dayOfMonth: number | undefined;
  let monthIndex: number | undefined;
  let yearNumber: number | undefined;
  for (const token of value.split(delimiters)) {
    let found: RegExpExecArray | null;
    if (clock === undefined && (found = time.exec(token)) !== null) clock = found.slice(1, 4).map(Number);
    else if (dayOfMonth === undefined && (found = day.exec(token)) !== null) dayOfMonth = Number(found[1]);
    else if (monthIndex === undefined && (found = month.exec(token)) !== null)
      monthIndex = months.indexOf(found[1]!.toLowerCase());
    else if (yearNumber === undefined && (found = year.exec(token)) !== null) yearNumber = Number(found[1]);
  }
  if (clock === undefined || dayOfMonth === undefined || monthIndex === undefined || yearNumber === undefined)
    return null;
  if (yearNumber >= 70 && yearNumber <= 99) yearNumber += 1900;
  else if (yearNumber <= 69) yearNumber += 2000;
  const [hour, minute, second] = clock as [number, number, number];
  if (dayOfMonth < 1 || dayOfMonth > 31 || yearNumber < 1601 || hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(0);
  date.setUTCFullYear(yearNumber, monthIndex, dayOfMonth);
  return date.getUTCMonth() === monthIndex ? date.setUTCHours(hour, minute, second) : null;
}
