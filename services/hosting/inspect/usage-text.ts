/** Prints a page's usage preferences, for people and as JSON: for each use the preference in force, and the others. */
import type { SaidUse, StatedUse } from './stated-uses.ts';

/** A line for each use. Null: there are no statements. */
export function usesText(uses: readonly StatedUse[]): string | null {
  return uses.length === 0 ? null : uses.map(lineOf).join('\n');
}

function lineOf({ use, preference, said }: StatedUse): string {
  if (preference === 'terms') return `${use}: ${said.map(quoted).join('; ')}`;
  const holds = preference === 'unknown' ? undefined : said[0];
  const rest = preference === 'unknown' ? said : said.slice(1);
  const verdict = { allow: 'allowed', deny: 'barred', unknown: 'not barred yet' }[preference];
  const others = rest.map((one) => `${one.preference === 'deny' ? 'barred' : 'allowed'} by ${quoted(one)}`);
  return [`${use} ${verdict}${holds === undefined ? '' : ` by ${quoted(holds)}`}`, ...others].join('; also ');
}

function quoted({ source, said, fromMs }: Omit<SaidUse, 'use'>): string {
  return `${source} (${said})${fromMs === 0 ? '' : ` from ${new Date(fromMs).toISOString()}`}`;
}
