/**
 * What a crawl may pay for pages that answer 402 (policy `pay`), and which offers are within it. Nothing is paid without such a
 * policy, nor without a plugin that pays.
 */
import { z } from 'zod';
import { amountPattern, billionthsOf, type Money, parseMoney } from './money.ts';
import type { Offer, Quote } from './quote.ts';

/** Money that x402 is paid in. */
export interface PayAsset {
  /** As sites name it: CAIP-2, as in eip155:8453, or a name of x402's first version, as in base. */
  readonly network: string;
  /** Its address there. Case does not matter. */
  readonly asset: string;
  /** Its smallest units in one unit of `currency`, as a power of ten. */
  readonly decimals: number;
}

export interface PayPolicy {
  /** ISO 4217. Offers in any other are not taken. */
  readonly currency: string;
  /** What the crawl may spend in all, as in "10" or "0.5". */
  readonly total: string;
  /** What a page may cost. */
  readonly page: string;
  /** What one host may get in all. Absent: what the crawl may spend. */
  readonly host?: string | undefined;
  /** Hosts, or domains with all of theirs, that may be paid. Absent: any. */
  readonly hosts?: readonly string[] | undefined;
  /** What counts as money of the currency beside itself. Absent: nothing, and offers of x402 are not taken. */
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

/** An offer that the policy allows, and what it comes to. */
export interface Affordable {
  readonly offer: Offer;
  readonly money: Money;
}

/** The cheapest offer that a page of the host may be paid for; a text: why there is none. */
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
  // Rounded up: what is counted is never less than what is paid.
  return { currency, billionths: (BigInt(offer.amount) * 1_000_000_000n + scale - 1n) / scale };
}
