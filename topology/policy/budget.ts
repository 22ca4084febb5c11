/**
 * Budgets: how many URLs of a host, or of all hosts of a registrable domain, go at full rate.
 *
 * STAR: a budget grows with the number of *distinct* registrable domains that link there, which a spammer has to buy, and
 * not with the number of links or host names, which cost nothing. BEAST: what exceeds the budget is deferred, never
 * dropped, and comes back at a budget's worth each `refillMs`, oldest first. Source: Lee, Leonard, Wang & Loguinov,
 * "IRLbot: Scaling to 6 billion pages and beyond" (WWW 2008), §5–6.
 *
 * Off by default: a crawl of given sites wants all their pages, and there are no links from elsewhere that could tell
 * how good they are. Seeds and what an operator forces pass. With topics partitioned by host, the hosts of a domain are
 * in several partitions, and each partition gives the domain a budget; partition by domain where that matters.
 */
export interface BudgetConfig {
  /** What has a budget. `domain`: its hosts share one, so that more host names, which are free, give no more. */
  readonly key: 'host' | 'domain';
  /**
   * URLs for a host or domain that no other links to: enough to see what it is. IRLbot starts with 10; a lease here is
   * 64.
   */
  readonly base: number;
  /** Further URLs for each domain that links there. */
  readonly perSource: number;
  /** No budget grows beyond it: 10,000 a day is one every 9 s, about what one polite host gives. */
  readonly max: number;
  /** After this time, the budget starts over. */
  readonly refillMs: number;
}

export const defaultBudget: BudgetConfig = {
  key: 'domain',
  base: 64,
  perSource: 16,
  max: 10_000,
  refillMs: 24 * 3_600_000,
};

/** URLs that may go at full rate in each period. `own`: as ordered by an operator; -1: no order. */
export function budgetFor({ base, perSource, max }: BudgetConfig, sources: number, own: number): number {
  return own >= 0 ? own : Math.min(max, base + perSource * sources);
}

/** Number of the period a moment is in. */
export function periodOf({ refillMs }: BudgetConfig, nowMs: number): number {
  return Math.floor(nowMs / refillMs);
}
