/**
 * Payment limits for pages that answer 402 (policy `pay`). Without them, and without a plugin that pays, nothing is paid.
 */
import { z } from 'zod';
import { amountPattern } from '../fetch/money.ts';

/** An asset in which x402 is paid. */
export interface PayAsset {
  /** Name of the network, as sites write it: CAIP-2 (eip155:8453), or a name of x402's first version (base). */
  readonly network: string;
  /** Address of the asset on that network. Case does not matter. */
  readonly asset: string;
  /** Decimals of the asset: one unit of `currency` is 10 to this power of its smallest units. */
  readonly decimals: number;
}

export interface PayPolicy {
  /** Currency of the limits, by ISO 4217. Offers in other currencies are not paid. */
  readonly currency: string;
  /** Most that the crawl may spend, such as "10" or "0.5". */
  readonly total: string;
  /** Most that one page may cost. */
  readonly page: string;
  /** Most that one host may get. Absent: `total`. */
  readonly host?: string | undefined;
  /** Hosts that may be paid: domains with their subdomains. Absent: any. */
  readonly hosts?: readonly string[] | undefined;
  /** Assets that count as money of the currency. Absent: none, and x402 offers are not paid. */
  readonly assets?: readonly PayAsset[] | undefined;
}

const amount = z.string().regex(amountPattern, 'write an amount in digits and in quotes, as in "10" or "0.05"');

export const paySchema = z.union([
  z.literal('none'),
  z.strictObject({
    currency: z.string().regex(/^[A-Z]{3}$/, 'write a currency code of ISO 4217, as in "USD"'),
    total: amount,
    page: amount,
    host: amount.optional(),
    hosts: z.array(z.string().min(1)).min(1).optional(),
    assets: z
      .array(
        z.strictObject({
          network: z.string().min(1).max(100),
          asset: z.string().min(1).max(100),
          decimals: z.int().min(0).max(18),
        }),
      )
      .min(1)
      .optional(),
  }),
]);
