/**
 * Budgets: how many URLs of a host, or of all hosts of a registrable domain, are fetched at full rate.
 *
 * STAR: a budget grows with the number of *distinct* registrable domains that link to the host. A spammer has to buy
 * domains, while links and host names cost nothing. BEAST: URLs over the budget are deferred, never dropped. Each
 * `refillMs`, a budget's worth of them returns, oldest first. Source: Lee, Leonard, Wang & Loguinov, "IRLbot: Scaling
 * to 6 billion pages and beyond" (WWW 2008), §5–6.
 *
 * Off by default: a crawl of given sites wants all their pages, and has no links from elsewhere to rate them by.
 * Seeds and URLs forced by an operator need no budget. If topics are partitioned by host, the hosts of a domain are
 * in several partitions, and each partition gives the domain a budget; partition by domain if that matters.
 */
export interface BudgetConfig {
  /** Give a budget to each `host` or each registrable `domain`. Hosts of a domain share its budget, so more host names give no more. */
  readonly key: 'host' | 'domain';
  /** Budget of a host or domain that no other domain links to, in URLs. IRLbot starts with 10; a lease here holds 64. */
  readonly base: number;
  /** More URLs for each other domain that links there. */
  readonly perSource: number;
  /** Largest budget, in URLs. 10,000 a day is one every 9 s, about what one polite host gives. */
  readonly max: number;
  /** Length of a budget period, ms. Each period begins with the full budget. */
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
