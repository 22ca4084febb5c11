/** What was learnt of a URL beside where it is: how its host spells, and what is said of its text. */
import { isThin } from '../../policy/recrawl/demote.ts';
import type { Change } from '../changes/changes.ts';
import { type Evidence, evidenceOf } from '../state/equivalences.ts';

export class UrlVerdicts {
  /** What its host has proved of its spellings, by rewriting. */
  readonly equivalences = new Map<string, Evidence>();
  /** The page of which it is nearly a copy; empty: of none, as far as anybody has said. */
  duplicateOf = '';
  /** Its last visit found too little text. */
  isThin = false;

  /** A change of its host. */
  take(change: Change, isIt: (url: string) => boolean): void {
    if (change.kind === 'equivalence') this.equivalences.set(change.rewriting, evidenceOf(change));
    if (change.kind === 'verdict' && isIt(change.url)) this.duplicateOf = change.duplicateOf;
    if (change.kind === 'visit' && isIt(change.page.record.url)) this.isThin = isThin(change.page);
  }
}
