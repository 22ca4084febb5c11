/**
 * Cash at the frontier: links bring cash, and a finished URL spends it. The share for a page's links travels with its
 * task to the fetcher, and returns with the links. Delivery is at least once, so a page that is fetched twice pays
 * twice.
 */
import type { LinkGroup } from '../../../../schemas/types.ts';
import type { Decision } from '../decision.ts';

/** Cash that each link of a group brings. A seed brings 1; links of sitemaps and of other senders bring none. */
export function cashPerLink({ share, sourceUrl }: LinkGroup): number {
  if (share > 0 && Number.isFinite(share)) return share;
  return sourceUrl === '' ? 1 : 0;
}

/**
 * Spends the cash of a finished URL. Its links have received the cash, unless its page was unchanged and not sent
 * again.
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
