/** Classifies the response of a URL: the outcome's kind, and the fields that any outcome has. */
import type { Outcome, OutcomeKind, TaskUrl } from '../../../schemas/types.ts';
import { conditionOf } from '../../../topology/fetch/conditional.ts';
import { classify } from '../../../topology/fetch/outcome.ts';
import { priceText, quoteOf, quoteText } from '../../../topology/fetch/quote.ts';
import { redirectTarget } from '../../../topology/fetch/redirect.ts';
import type { HttpResponse } from '../http/client.ts';
import { outcomeOf } from '../http/outcomes.ts';
import { isOurs } from '../http/request-failure.ts';
import { headOf, type ResponseHead } from './response-head.ts';

/** The classified response of a URL. */
export interface Answer {
  readonly item: TaskUrl;
  readonly response: HttpResponse;
  readonly head: ResponseHead;
  readonly outcome: Outcome;
  /** Target of a redirect; null: none. */
  readonly target: string | null;
}

export function answerOf(item: TaskUrl, index: number, response: HttpResponse): Answer {
  const head = headOf(response);
  const target = redirectTarget(item.url, response.status, head.location);
  const outcome = outcomeOf(index, item.url, kindOf(item, head, response, target), fieldsOf(head, response));
  return { item, response, head, outcome, target };
}

/** The outcome of a response that a plugin failed on. */
export function unreadable(item: TaskUrl, index: number, response: HttpResponse, detail: string): Outcome {
  return outcomeOf(index, item.url, 'parseFailed', { ...fieldsOf(headOf(response), response), detail });
}

function kindOf(
  item: TaskUrl,
  { status }: ResponseHead,
  { failure }: HttpResponse,
  redirectUrl: string | null,
): OutcomeKind {
  // It costs no attempt.
  if (isOurs(failure)) return 'returned';
  // RFC 9110 §15.4.5: 304 answers a condition, and we sent none.
  if (status === 304 && failure === null && conditionOf(item).length === 0) return 'badResponse';
  return classify({ status, redirectUrl, ...(failure === null ? {} : { failure: failure.kind as never }) });
}

function fieldsOf({ retryAfterMs, freshForMs }: ResponseHead, response: HttpResponse): Partial<Outcome> {
  const { status, body, truncated, failure } = response;
  return {
    status,
    bytes: body.length,
    truncated,
    retryAfterMs,
    freshForMs,
    detail: failure?.detail ?? '',
    ...(status === 402 && failure === null && quotedIn(response)),
  };
}

function quotedIn({ headers, body }: HttpResponse): Pick<Outcome, 'price' | 'licence' | 'detail'> {
  const quote = quoteOf(headers, body);
  return { price: priceText(quote), licence: quote.licence, detail: quoteText(quote) };
}

/**
 * Validators of a page that was read whole, so that a 304 confirms it. For a partial page, a 304 would confirm the
 * wrong content (RFC 9111 §3.3, §4.3.4).
 */
export function validatorsOf({ head, response }: Answer): Pick<Outcome, 'etag' | 'lastModified'> {
  if (response.truncated) return { etag: '', lastModified: '' };
  return { etag: head.etag, lastModified: head.lastModified };
}
