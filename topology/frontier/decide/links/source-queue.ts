/** The front queue before which no link of a page may wait: that of a page on which a verdict lies (recrawl.demote). */
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { Policy } from '../../../policy/policy.ts';
import type { Decision } from '../decision.ts';

/** 0: any. For a page of another partition the queue is unknown here. */
export function queueOfSource({ state }: Decision, { config }: Policy, { sourceUrl }: LinkGroup): number {
  const demote = config.recrawl?.demote;
  const { table } = state.recrawl;
  if (demote?.links !== true || sourceUrl === '' || table.size === 0) return 0;
  const [hi = 0, lo = 0] = state.fingerprintOf(sourceUrl);
  const row = table.find(hi, lo);
  return row >= 0 && table.at(row).frontQueue >= demote.frontQueue ? demote.frontQueue : 0;
}
