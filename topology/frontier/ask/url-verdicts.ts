/**
 * Facts about a URL other than its place: the rewritings of its host, and whether it is a duplicate or has little
 * text.
 */
import { isThin } from '../../policy/recrawl/demote.ts';
import type { Change } from '../changes/changes.ts';
import { type Evidence, evidenceOf } from '../state/equivalences.ts';

export class UrlVerdicts {
  /** By rewriting: the evidence from its host. */
  readonly equivalences = new Map<string, Evidence>();
  /** URL of the page that it nearly copies; empty: none known. */
  duplicateOf = '';
  /** Its last visit found too little text. */
  isThin = false;

  /** Takes a change of its host. */
  take(change: Change, isIt: (url: string) => boolean): void {
    if (change.kind === 'equivalence') this.equivalences.set(change.rewriting, evidenceOf(change));
    if (change.kind === 'verdict' && isIt(change.url)) this.duplicateOf = change.duplicateOf;
    if (change.kind === 'visit' && isIt(change.page.record.url)) this.isThin = isThin(change.page);
  }
}
