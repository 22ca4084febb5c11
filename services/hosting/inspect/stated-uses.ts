/** A page's usage preferences: for each use the preference in force, and the others. */
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
