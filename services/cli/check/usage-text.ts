/** Prints a page's usage preferences, for people and as JSON: for each use the preference in force, and the others. */
import { inOrder, type Statement, subjects, verdictOn } from '../../../topology/usage/statement.ts';

export interface SaidUse extends Pick<Statement, 'fromMs'> {
  readonly use: string;
  readonly preference: string;
  readonly source: string;
  readonly said: string;
  readonly hash?: string;
}

export interface StatedUse {
  readonly use: string;
  readonly preference: 'allow' | 'deny' | 'unknown' | 'terms';
  /** The statement in force, then the others. */
  readonly said: readonly Omit<SaidUse, 'use'>[];
}

/** Leaves out uses without a statement. */
export function statedUses(statements: readonly SaidUse[], atMs: number): StatedUse[] {
  return subjects.flatMap((use): StatedUse[] => {
    const about = inOrder(statements.filter((one) => one.use === use));
    if (about.length === 0) return [];
    const { preference, by } = verdictOn(about, use, atMs);
    const said = by === null ? about : [by, ...about.filter((one) => one !== by)];
    return [
      {
        use,
        preference: use === 'licence' ? 'terms' : preference,
        said: said.map(({ use: _, ...one }) => one),
      },
    ];
  });
}

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
