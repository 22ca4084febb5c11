/**
 * Pays for pages that answer 402, if a policy has a budget and a plugin consents (topology/extras/payments/payment.ts).
 *
 * In order: the offer is written to `control`; it is read back, and fits the budget; the plugin consents; one request
 * carries the payment; its result is written. After a kill at any point the money counts as spent and the page is not
 * paid for again, so that no crash spends twice. A redirect does not carry a payment on: the payment belongs to one
 * request of one URL.
 */
import { randomUUID } from 'node:crypto';
import { affordable } from '../../../topology/extras/payments/affordable.ts';
import { createPaymentBook, type PaymentNote } from '../../../topology/extras/payments/payment.ts';
import { moneyText, parseMoney } from '../../../topology/fetch/money.ts';
import { HookFailed } from '../../fetcher/hooks/run-hooks.ts';
import type { HttpResponse } from '../../fetcher/http/client.ts';
import { headerOf } from '../../fetcher/http/headers.ts';
import type { OpenPayments, PaidFor, Payments, PaymentsOptions, PricedPage } from '../../fetcher/pay/payments.ts';
import { controlEvent } from '../../runtime/crawl/control-log.ts';

const receiptCharsMax = 200;

export const openPayments: OpenPayments = (options) => new PluginPayments(options);

/** Its public acts are fields, since callers hand out single ones: `payments.take`. */
class PluginPayments implements Payments {
  readonly #options: PaymentsOptions;
  readonly #book = createPaymentBook();
  readonly #waiting = new Map<string, (objection: string) => void>();

  constructor(options: PaymentsOptions) {
    this.#options = options;
  }

  /** Resolves once it is durable. */
  async #note(id: string, hostKey: string, said: PaymentNote) {
    const event = controlEvent({
      kind: 'payment',
      atMs: this.#options.clock.nowMs(),
      by: this.#options.by,
      hostKey,
      id,
      payload: JSON.stringify(said),
    });
    await this.#options.log.append([
      {
        topic: `${this.#options.crawl}.control`,
        partition: 0,
        key: null,
        value: this.#options.codec.encode('control', event),
      },
    ]);
  }

  /** Why the offer is not to be paid, once it has been read back; empty: it is. */
  async #reserve(id: string, { url, hostKey }: PricedPage, scheme: string, price: string): Promise<string> {
    let ends = () => {};
    const readBack = new Promise<string>((resolve) => {
      this.#waiting.set(id, resolve);
      ends = () => resolve('the fetcher ends');
      this.#options.signal.addEventListener('abort', ends);
      if (this.#options.signal.aborted) ends();
    });
    try {
      await this.#note(id, hostKey, { state: 'offered', url, scheme, price });
      return await readBack;
    } finally {
      this.#waiting.delete(id);
      this.#options.signal.removeEventListener('abort', ends);
    }
  }

  readonly take: Payments['take'] = (event) => {
    const objection = this.#book.take(event, this.#options.policy());
    if (objection !== null) this.#waiting.get(event.id)?.(objection);
  };

  readonly pay: Payments['pay'] = async (page, send) => {
    const { url, hostKey, quote } = page;
    const chosen = affordable(this.#options.policy(), hostKey, quote);
    if (typeof chosen === 'string') return { response: null, why: chosen, paid: '' };
    const { offer, money } = chosen;
    const price = moneyText(money);
    const id = randomUUID();
    const leave = async (why: string): Promise<PaidFor> => {
      await this.#note(id, hostKey, { state: 'withdrawn', why });
      return { response: null, why, paid: '' };
    };
    const objection = await this.#reserve(id, page, offer.scheme, price);
    if (objection !== '') return leave(objection);
    const terms = offer.scheme === 'x402' ? offer.terms : price;
    let headers: Readonly<Record<string, string>> | null;
    try {
      headers = await this.#options.hooks.pay({
        url,
        hostKey,
        scheme: offer.scheme,
        price,
        terms,
        licence: quote.licence,
      });
    } catch (error) {
      if (!(error instanceof HookFailed)) throw error;
      // It may have moved the money before it failed.
      return { response: null, why: error.message, paid: price };
    }
    if (headers === null) return leave('no plugin consents');
    const exact = offer.scheme === 'crawler-price' ? { 'crawler-exact-price': price } : {};
    const response = await send({ ...headers, ...exact });
    if (response === null || response.unreached) return leave('the request was not sent');
    await this.#note(id, hostKey, { state: 'answered', status: response.status, ...receiptIn(response) });
    return { response, paid: price };
  };
}

function receiptIn({ headers }: HttpResponse): { readonly charged: string; readonly receipt: string } {
  const named = headerOf(headers, 'crawler-charged');
  const charged = parseMoney(named);
  // An unreadable amount is stored as received: it must not be mistaken for the offered price.
  const receipt = charged === null ? named.slice(0, receiptCharsMax) : moneyText(charged);
  return { charged: receipt, receipt: transactionIn(headerOf(headers, 'payment-response')) };
}

/** For x402: the transaction that settled the payment. */
function transactionIn(value: string): string {
  try {
    const { transaction } = JSON.parse(Buffer.from(value, 'base64').toString('utf8')) as {
      readonly transaction?: unknown;
    };
    return typeof transaction === 'string' ? transaction.slice(0, receiptCharsMax) : '';
  } catch {
    return '';
  }
}
