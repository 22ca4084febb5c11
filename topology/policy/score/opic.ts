/**
 * Adaptive on-line page importance: cash that pages pass on to what they link to (Abiteboul, Preda & Cobena, "Adaptive
 * on-line page importance computation", WWW 2003), as an order of a crawl.
 *
 * Seeds come with a cash of 1. A page that is fetched gives what it holds to its links, in equal shares, less a tax;
 * waiting pages are ordered by what they hold. There is no matrix and there are no rounds: each fetch is one step. The
 * paper's virtual page, which takes the tax and links to every page, would give all that wait the same and change no
 * order; here the tax is gone, and with it all cash comes from the seeds.
 */
import { z } from 'zod';

export interface OpicScore extends CashFlow {
  readonly kind: 'opic';
}

export interface CashFlow {
  /** Share of each page's cash that its links do not get: no circle of pages keeps what it has. */
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
