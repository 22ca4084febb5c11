/**
 * Cash at the frontier: links bring it, a URL that ends spends it. What a page's links get travels with its task to the
 * fetcher and comes back with the links, shared out: at least once, since a page that is fetched twice pays twice.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { Decision } from '../decision.ts';

/** What each link of a group brings. Seeds come with 1; a sitemap's links, and those of other senders, with nothing. */
export function cashPerLink({ share, sourceUrl }: LinkGroup): number {
  if (share > 0 && Number.isFinite(share)) return share;
  return sourceUrl === '' ? 1 : 0;
}

/**
 * A URL has ended, and its cash has gone to its links, except where its page had not changed and was not sent again.
 */
export function spendCash(decision: Decision, url: string): void {
  const { state } = decision;
  const [hi, lo] = state.fingerprintOf(url);
  const held = state.cash.heldBy(hi!, lo!);
  if (held > 0) decision.emit({ kind: 'cash', amount: -held, isNew: false, fingerprints: [hi!, lo!] });
}

/** Gathers what neighbouring links receive into few changes. */
export class Payments {
  readonly #decision: Decision;
  #amount = 0;
  #newUrls: number[] = [];
  #known: number[] = [];

  constructor(decision: Decision) {
    this.#decision = decision;
  }

  get bytes(): number {
    return 5 * (this.#newUrls.length + this.#known.length);
  }

  pay(amount: number, isNew: boolean, hi: number, lo: number): void {
    if (amount !== this.#amount) this.flush();
    this.#amount = amount;
    (isNew ? this.#newUrls : this.#known).push(hi, lo);
  }

  flush(): void {
    const amount = this.#amount;
    if (this.#newUrls.length > 0)
      this.#decision.emit({ kind: 'cash', amount, isNew: true, fingerprints: this.#newUrls });
    if (this.#known.length > 0) this.#decision.emit({ kind: 'cash', amount, isNew: false, fingerprints: this.#known });
    this.#newUrls = [];
    this.#known = [];
  }
}
