/**
 * Adaptive on-line page importance: pages pass cash on to the pages they link to (Abiteboul, Preda & Cobena,
 * "Adaptive on-line page importance computation", WWW 2003), and the cash orders the crawl.
 *
 * Each seed starts with a cash of 1. A fetched page passes its cash to its links in equal shares, less a tax. Waiting
 * pages are ordered by their cash. There is no matrix and there are no rounds: each fetch is one step. The paper's
 * virtual page collects the tax and links to every page; it would give all waiting pages the same amount, without
 * changing their order. Here the tax disappears, so all cash comes from the seeds.
 */
import { z } from 'zod';

export interface OpicScore extends CashFlow {
  readonly kind: 'opic';
}

export interface CashFlow {
  /** Share of each page's cash that its links do not get, so that no circle of pages keeps its cash. */
  readonly tax: number;
}

/** 0.15 as PageRank's damping. */
export const defaultOpic: OpicScore = { kind: 'opic', tax: 0.15 };

export const opicSchema = z.strictObject({
  kind: z.literal('opic'),
  tax: z.number().min(0).max(0.99),
});

/** The cash that a page passes on. */
export function handedOn({ tax }: CashFlow, cash: number): number {
  return cash * (1 - tax);
}
