/** The reasons why a crawl has no page of a URL, and the time of the next request to it, from the lines of `explain`. */

export type ExplainLines = readonly (readonly [name: string, value: string])[];

/** Returns the reasons so far, in one line. Empty: nothing has failed. */
export function reasonsIn(lines: ExplainLines): string {
  return lines
    .filter(([field, value]) => whyFields.has(field) && !(field === 'filter' && value.startsWith('admitted')))
    .map(([field, value]) => `${field}: ${value}`)
    .join('; ');
}

/** Returns the earliest time of the next request, ms since the Unix epoch. null: it is unknown, or there is none. */
export function nextAtMsIn(lines: ExplainLines): number | null {
  const atMs = Date.parse(lines.find(([field]) => field === 'next due')?.[1] ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

/** Says when a call for a page that is under way is worth repeating. */
export function callAgain(nextAtMs: number | null): string {
  return nextAtMs === null ? 'call again in a moment' : `call again after ${new Date(nextAtMs).toISOString()}`;
}

const whyFields: ReadonlySet<string> = new Set([
  'filter',
  'outcomes',
  'denied by',
  'no page',
  'host failed',
  'nofollow',
]);
