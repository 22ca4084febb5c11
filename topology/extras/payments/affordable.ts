/** The offers for a page that a policy's payment limits allow. */
import { billionthsOf, type Money, parseMoney } from '../../fetch/money.ts';
import type { Offer, Quote } from '../../fetch/quote.ts';
import type { PayPolicy } from '../../policy/pay-config.ts';

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
