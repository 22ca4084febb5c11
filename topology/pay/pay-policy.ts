/**
 * Payment limits for pages that answer 402 (policy `pay`), and the offers within them. Without this policy, and without
 * a plugin that pays, nothing is paid.
 */
import { z } from 'zod';
import { amountPattern, billionthsOf, type Money, parseMoney } from './money.ts';
import type { Offer, Quote } from './quote.ts';

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

/** An offer that the policy allows, and its amount. */
export interface Affordable {
  readonly offer: Offer;
  readonly money: Money;
}

/** The cheapest offer by which a page of the host may be paid for; a text: the reason why there is none. */
export function affordable(
  pay: PayPolicy | 'none' | undefined,
  hostKey: string,
  { offers }: Quote,
): Affordable | string {
  if (pay === undefined || pay === 'none') return 'the policy allows no payments';
  const name = hostKey.replace(/:\d+$/, '');
  if (pay.hosts !== undefined && !pay.hosts.some((one) => name === one || name.endsWith(`.${one}`)))
    return 'the policy allows no payments to this host';
  if (offers.length === 0) return 'the answer has no readable price';
  const known = offers.flatMap((offer) => {
    const money = moneyOf(pay, offer);
    return money === null ? [] : [{ offer, money }];
  });
  if (known.length === 0) return `the answer has no price in ${pay.currency}`;
  const [cheapest] = known.sort((a, b) => (a.money.billionths < b.money.billionths ? -1 : 1));
  return cheapest!.money.billionths > billionthsOf(pay.page)
    ? `the price is above the limit of ${pay.currency} ${pay.page} for a page`
    : cheapest!;
}

function moneyOf({ currency, assets = [] }: PayPolicy, offer: Offer): Money | null {
  if (offer.scheme === 'crawler-price') {
    const money = parseMoney(offer.amount);
    return money?.currency === currency ? money : null;
  }
  const asset = assets.find(
    (one) => one.network === offer.network && one.asset.toLowerCase() === offer.asset.toLowerCase(),
  );
  if (asset === undefined) return null;
  const scale = 10n ** BigInt(asset.decimals);
  // Rounded up, so the counted amount is never below the paid one.
  return { currency, billionths: (BigInt(offer.amount) * 1_000_000_000n + scale - 1n) / scale };
}
