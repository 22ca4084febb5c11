/** The payment for a page: the price, the paid amount, and the result. */
import type { Outcome } from '../../../schemas/types.ts';
import { priceText, quoteOf, quoteText } from '../../../topology/fetch/quote.ts';
import type { Statement } from '../../../topology/usage/statement.ts';
import { barredText, withheldFor } from '../../../topology/usage/uses-policy.ts';
import type { HttpResponse } from '../http/client.ts';
import { type PacedRequest, pacedRequest } from '../pace/paced-request.ts';
import { withHeaders } from '../pages/ask-hooks.ts';
import type { LeaseRunner } from './lease-runner.ts';

/** The price of a 402, and its result. */
export interface Bill extends Pick<Outcome, 'price' | 'licence' | 'paid'> {
  /** The answer to the payment; null: there is none. */
  readonly response: HttpResponse | null;
  readonly detail: string;
}

export async function settled(
  runner: LeaseRunner,
  hostKey: string,
  request: PacedRequest,
  { headers, body }: HttpResponse,
  said: readonly Statement[],
): Promise<Bill> {
  const { url } = request;
  const quote = quoteOf(headers, body);
  const asked = { price: priceText(quote), licence: quote.licence };
  const barred = withheldFor(runner.usesPolicy(), said, runner.requestPath.clock.nowMs());
  const why = runner.payments === undefined ? 'no plugin pays' : barred && barredText(barred);
  const result =
    why !== undefined || runner.payments === undefined
      ? { response: null, why, paid: '' }
      : await runner.payments.pay({ url, hostKey, quote }, (paying) =>
          pacedRequest(runner.requestPath, { ...request, headers: withHeaders(request.headers, paying), isPaid: true }),
        );
  const outcome = result.response === null ? `not paid: ${result.why}` : `paid ${result.paid}`;
  const detail = [quoteText(quote), outcome].filter((text) => text !== '').join('; ');
  return { ...asked, response: result.response, paid: result.paid, detail };
}

export function withBill(outcome: Outcome, { price, licence, paid, detail }: Bill): Outcome {
  const more = outcome.detail === '' || outcome.kind === 'paymentRequired' ? detail : `${outcome.detail}; ${detail}`;
  return { ...outcome, price, licence, paid, detail: more };
}
