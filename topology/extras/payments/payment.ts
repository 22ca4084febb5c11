/**
 * Payments, as `control` holds them (kind `payment`, partition 0), and the book derived from them.
 *
 * A fetcher writes `offered` before anything is paid, and continues only if its own record, read back in the order of
 * the log, still fits the budget: of two fetchers that want the last of the money, the log's order decides. An offer
 * counts as spent from then on, whatever happens to the request, unless `withdrawn` says that nothing was sent: a
 * killed process has spent its offer. `answered` has the response.
 */
import type { Control } from '../../../schemas/types.ts';
import { billionthsOf, type Money, moneyText, parseMoney } from '../../fetch/money.ts';
import type { PayPolicy } from '../../policy/pay-config.ts';

export type PaymentNote =
  | { readonly state: 'offered'; readonly url: string; readonly scheme: string; readonly price: string }
  | { readonly state: 'withdrawn'; readonly why: string }
  | {
      readonly state: 'answered';
      /** HTTP status. 0: no response. */
      readonly status: number;
      /** The amount that the site reports as charged, for example USD 0.01. Empty: it reports none. */
      readonly charged: string;
      /** The receipt, such as a transaction. Empty: none. */
      readonly receipt: string;
    };

/** One payment, as far as the log shows. */
export interface Payment {
  readonly id: string;
  readonly url: string;
  readonly hostKey: string;
  readonly scheme: string;
  readonly money: Money;
  readonly atMs: number;
  readonly by: string;
  readonly end: Exclude<PaymentNote, { readonly state: 'offered' }> | null;
}

export interface PaymentBook {
  /** Takes an event of partition 0, in order. For an offer: why it is not to be paid, by `pay`; empty: it is. Otherwise null. */
  take(event: Control, pay?: PayPolicy | 'none'): string | null;
  /** In the order in which they were offered. */
  payments(): Iterable<Payment>;
  spent(currency: string): bigint;
  /** A record is unreadable, so the spent amount is unknown. */
  readonly isDamaged: boolean;
}

/** Reads a payment note; null: unreadable. */
export function paymentNote(payload: string): PaymentNote | null {
  let note: Partial<Record<string, unknown>>;
  try {
    note = JSON.parse(payload) as typeof note;
  } catch {
    return null;
  }
  const isText = (...names: string[]) => names.every((name) => typeof note[name] === 'string');
  if (note['state'] === 'offered')
    return isText('url', 'scheme', 'price') && parseMoney(note['price'] as string) !== null
      ? (note as PaymentNote)
      : null;
  if (note['state'] === 'withdrawn') return isText('why') ? (note as PaymentNote) : null;
  return note['state'] === 'answered' && isText('charged', 'receipt') && Number.isInteger(note['status'])
    ? (note as PaymentNote)
    : null;
}

/** The amount that counts as spent: the offer, or more if the site reports more. */
export function spentBy({ money, end }: Pick<Payment, 'money' | 'end'>): bigint {
  if (end?.state === 'withdrawn') return 0n;
  const charged = end?.state === 'answered' ? parseMoney(end.charged) : null;
  return charged?.currency === money.currency && charged.billionths > money.billionths
    ? charged.billionths
    : money.billionths;
}

/** The site took the money and gave no page, or took more or other money than was offered. */
export function wasCheated({ money, end }: Pick<Payment, 'money' | 'end'>): boolean {
  if (end?.state !== 'answered' || end.status === 0) return false;
  if (end.status !== 304 && (end.status < 200 || end.status > 299)) return true;
  const charged = end.charged === '' ? money : parseMoney(end.charged);
  return charged === null || charged.currency !== money.currency || charged.billionths > money.billionths;
}

export function createPaymentBook(): PaymentBook {
  const payments = new Map<string, Payment>();
  const byUrl = new Map<string, string>();
  const spent = { all: new Map<string, bigint>(), ofHost: new Map<string, bigint>() };
  const cheaters = new Map<string, string>();
  let isDamaged = false;

  const count = ({ hostKey, money: { currency } }: Payment, more: bigint) => {
    const key = `${currency} ${hostKey}`;
    spent.all.set(currency, (spent.all.get(currency) ?? 0n) + more);
    spent.ofHost.set(key, (spent.ofHost.get(key) ?? 0n) + more);
  };

  const objection = (payment: Payment, pay: PayPolicy | 'none' | undefined, other: string | undefined): string => {
    const { hostKey, money } = payment;
    if (isDamaged) return 'a record of an earlier payment is damaged, so the amount spent is unknown';
    if (pay === undefined || pay === 'none') return 'the policy allows no payments';
    if (other !== undefined) return 'the page was already paid for';
    const cheated = cheaters.get(hostKey);
    if (cheated !== undefined) return `the host was paid before, but answered ${cheated}`;
    const over = (sum: bigint, limit: string) => pay.currency !== money.currency || sum > billionthsOf(limit);
    const all = spent.all.get(money.currency) ?? 0n;
    const ofHost = spent.ofHost.get(`${money.currency} ${hostKey}`) ?? 0n;
    if (over(all, pay.total)) return `the total budget of ${pay.currency} ${pay.total} is spent`;
    return over(ofHost, pay.host ?? pay.total) ? `the host’s budget of ${pay.currency} ${pay.host} is spent` : '';
  };

  return {
    take(event, pay) {
      if (event.kind !== 'payment') return null;
      const { id, hostKey, atMs, by } = event;
      const note = paymentNote(event.payload);
      const known = payments.get(id);
      if (note === null || id === '') {
        isDamaged = true;
        return null;
      }
      if (note.state === 'offered') {
        // A trim of the log writes it again (carry-over.ts).
        if (known !== undefined) return null;
        const { url, scheme, price } = note;
        const payment: Payment = { id, url, hostKey, scheme, money: parseMoney(price)!, atMs, by, end: null };
        const other = byUrl.get(url);
        payments.set(id, payment);
        byUrl.set(url, other ?? id);
        count(payment, payment.money.billionths);
        return objection(payment, pay, other);
      }
      if (known === undefined || known.end !== null) return null;
      const ended = { ...known, end: note };
      payments.set(id, ended);
      count(ended, spentBy(ended) - known.money.billionths);
      if (note.state === 'withdrawn' && byUrl.get(known.url) === id) byUrl.delete(known.url);
      if (wasCheated(ended) && note.state === 'answered')
        cheaters.set(
          known.hostKey,
          note.charged === '' ? `${note.status}` : `${note.status} and charged ${note.charged}`,
        );
      return null;
    },
    payments: () => payments.values(),
    spent: (currency) => spent.all.get(currency) ?? 0n,
    get isDamaged() {
      return isDamaged;
    },
  };
}

export interface PaymentSummary {
  /** Made, or not known not to be. */
  readonly payments: number;
  /** By currency, for example USD 0.01. */
  readonly spent: readonly string[];
  /** Payments without a reported end. */
  readonly open: number;
  /** Answered by something else than the page, or charged otherwise. */
  readonly cheated: number;
}

export function paymentSummary(book: PaymentBook): PaymentSummary {
  const made = [...book.payments()].filter(({ end }) => end?.state !== 'withdrawn');
  const currencies = [...new Set(made.map(({ money }) => money.currency))];
  return {
    payments: made.length,
    spent: currencies.map((currency) => moneyText({ currency, billionths: book.spent(currency) })),
    open: made.filter(({ end }) => end === null).length,
    cheated: made.filter(wasCheated).length,
  };
}
