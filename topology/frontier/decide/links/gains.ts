/**
 * New URLs from the links of a page, gathered into one change: they make a page a hub (policy/recrawl/gain.ts).
 *
 * A first visit is not counted: everything it finds is new, which says nothing of the next visit. URLs in a trap or
 * beyond a budget are not counted either, or an endless calendar would be the best hub. Nor are URLs of other
 * partitions: only they know which are new, and would have to send a record for each page. Feeds are polled by their
 * entries.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { noRate } from '../../recrawl/due-table.ts';
import type { Decision } from '../decision.ts';

export class Gains {
  readonly #decision: Decision;
  #source = '';
  #urls = 0;

  constructor(decision: Decision) {
    this.#decision = decision;
  }

  /** A link of the group has led to a new URL, which waits in that front queue. */
  note({ sourceUrl, hop }: LinkGroup, frontQueue: number): void {
    if (sourceUrl === '' || hop > 0 || frontQueue >= frontQueueCount) return;
    if (sourceUrl !== this.#source) this.flush();
    this.#source = sourceUrl;
    this.#urls += 1;
  }

  flush(): void {
    const [source, urls] = [this.#source, this.#urls];
    this.#urls = 0;
    const { state } = this.#decision;
    const { table } = state.recrawl;
    if (urls === 0 || table.size === 0) return;
    const [hi = 0, lo = 0] = state.fingerprintOf(source);
    const row = table.find(hi, lo);
    if (row < 0 || !isVisitedAgain(table.at(row))) return;
    this.#decision.emit({ kind: 'gain', hi, lo, urls });
  }
}

function isVisitedAgain({ out, rateClass }: { readonly out: boolean; readonly rateClass: number }): boolean {
  return out || rateClass !== noRate;
}
