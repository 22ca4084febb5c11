/**
 * Adaptive on-line page importance: cash that pages pass on to what they link to (Abiteboul, Preda & Cobena, "Adaptive
 * on-line page importance computation", WWW 2003).
 *
 * All cash adds up to a constant. A visit takes a page's cash, notes it in its history, and shares it out among its
 * links; where there are none, and for a tax on each visit, it goes to a virtual page that links to every page. A page's
 * importance is the rate at which cash flows through it. No matrix, no rounds: each fetch is one step.
 *
 * Pure steps on plain values, so that a frontier may keep accounts as state: per URL where it keeps records, or one per
 * host, which is the same sum over the host's pages.
 */
export interface CashAccount {
  /** Received since the last visit. */
  readonly cash: number;
  /** What past visits took, fading with `window`. */
  readonly history: number;
  /** The clock of `history`: total flow, or time, at the last visit. */
  readonly visitedAt: number;
}

export const emptyAccount: CashAccount = { cash: 0, history: 0, visitedAt: 0 };

export interface CashConfig {
  /** Share of each visit that goes to the virtual page, so that no closed circle of pages keeps it. */
  readonly tax: number;
  /** Over which history is measured, in the unit of `at`. */
  readonly window: number;
}

/** 0.15 as PageRank's damping; a window of 10⁶ visits is some weeks of a modest crawl. */
export const defaultCash: CashConfig = { tax: 0.15, window: 1_000_000 };

export function receive(account: CashAccount, amount: number): CashAccount {
  return { ...account, cash: account.cash + amount };
}

export interface Visit {
  readonly account: CashAccount;
  /** What each link receives. */
  readonly perLink: number;
  /** What the virtual page receives. */
  readonly toAll: number;
}

/**
 * The account's cash goes to `links` links. `at` never falls; the history is what would have flowed in one window
 * (§4.2's interpolation: outside the window it is forgotten in proportion).
 */
export function visit(account: CashAccount, links: number, at: number, config: CashConfig = defaultCash): Visit {
  const { cash, history, visitedAt } = account;
  const gap = Math.max(0, at - visitedAt);
  const faded = gap < config.window ? history * (1 - gap / config.window) + cash : (cash * config.window) / gap;
  const taxed = links > 0 ? cash * config.tax : cash;
  return {
    account: { cash: 0, history: faded, visitedAt: at },
    perLink: links > 0 ? (cash - taxed) / links : 0,
    toAll: taxed,
  };
}

/** From 0 to 1: one half where the page holds `half` times what the average page does. `average` 0: nothing flows yet. */
export function cashScore(account: CashAccount, average: number, half: number): number {
  const held = account.cash + account.history;
  return average <= 0 || held <= 0 ? 0 : held / (held + half * average);
}
