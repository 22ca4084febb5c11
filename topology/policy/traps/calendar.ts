/** Four digits that may be a year, then a month: `/2026/01`, `2026-1`, `202601`, with a day or without. */
const yearMonth = /(?:^|\D)(?:1[5-9]|[2-9]\d)\d\d[/_.-]?(?:0?[1-9]|1[0-2])(?:[/_.-]?(?:0?[1-9]|[12]\d|3[01]))?(?:\D|$)/;
/** Month first: `01/2026`, `1-15-2026`. */
const monthYear = /(?:^|\D)\d\d?(?:[/_.-]\d\d?)?[/_.-](?:1[5-9]|[2-9]\d)\d\d(?:\D|$)/;
const yearParameter = /[?&](?:y|yr|year|jahr|annee|ano)=\d+/i;
const monthParameter = /[?&](?:m|mo|month|monat|mois|mes|w|week|d|day|date)=[\d.-]+/i;

/** Longer numbers are no dates. */
const dateCharsMax = 40;

/** The numbers of a URL that read as a date, as written; null: none. */
export function dateIn(url: string): string | null {
  const target = url.slice(Math.max(0, url.indexOf('/', 8)));
  const [year] = yearParameter.exec(target) ?? [];
  const [month] = monthParameter.exec(target) ?? [];
  if (year !== undefined && month !== undefined) return `${year}${month}`.slice(0, dateCharsMax);
  const [date = null] = yearMonth.exec(target) ?? monthYear.exec(target) ?? [];
  return date;
}
