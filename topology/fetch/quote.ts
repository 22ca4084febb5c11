/**
 * Reads the price of a page from a 402 response: from its headers and, for x402 version 1, its body.
 *
 * Sources: `crawler-price` of Cloudflare's pay per crawl (documentation of 23 April 2026); x402's transport over HTTP,
 * version 2 (`payment-required`: base64 of JSON with `accepts`) and version 1 (the same in the body); `link` with
 * rel=license of RSL 1.0 (10 December 2025). An unreadable price is not an offer; nor are two prices that contradict
 * each other.
 */
import { moneyText, parseMoney } from './money.ts';

/** One way to pay that a site offers. */
export interface Offer {
  readonly scheme: 'crawler-price' | 'x402';
  /**
   * For `crawler-price`: currency and amount, such as `USD 0.01`. For `x402`: the amount in the asset's smallest unit,
   * digits.
   */
  readonly amount: string;
  /** For x402: the chain, and the asset's address on it. Empty: does not apply, or not named. */
  readonly network: string;
  readonly asset: string;
  /** For x402: its entry of `accepts`, JSON as received. Empty: does not apply. */
  readonly terms: string;
}

export interface Quote {
  readonly offers: readonly Offer[];
  /** URL of the licence. Empty: none. */
  readonly licence: string;
}

/** Most offers that are read. A site with more kinds of money has a usual one among the first. */
const offersMax = 8;
const bodyBytesMax = 64 * 1024;
const termsCharsMax = 4_096;
const wordCharsMax = 100;

/** `headers`: names in lower case and values alternating. */
export function quoteOf(headers: readonly string[], body: Uint8Array = noBody): Quote {
  const prices = valuesOf(headers, 'crawler-price');
  const required = valuesOf(headers, 'payment-required');
  const price = prices.length === 1 ? parseMoney(prices[0]!) : null;
  const plain: Offer[] =
    price === null ? [] : [{ scheme: 'crawler-price', amount: moneyText(price), network: '', asset: '', terms: '' }];
  const ofHeader = required.length === 1 ? acceptsIn(Buffer.from(required[0]!, 'base64').toString('utf8')) : [];
  const isJson = valuesOf(headers, 'content-type').some((type) => /^application\/json\b/i.test(type));
  const ofBody =
    required.length === 0 && isJson && body.length <= bodyBytesMax ? acceptsIn(Buffer.from(body).toString('utf8')) : [];
  const licence =
    valuesOf(headers, 'link')
      .map(licenceIn)
      .find((url) => url !== undefined) ?? '';
  return { offers: [...plain, ...ofHeader, ...ofBody].slice(0, offersMax), licence };
}

/** The price in one line, for outcomes. Empty: none. */
export function priceText({ offers: [first] }: Quote): string {
  if (first === undefined) return '';
  return [first.network, first.asset, first.amount].filter((word) => word !== '').join(' ');
}

/** In plain words; empty: neither price nor licence is named. */
export function quoteText(quote: Quote): string {
  const price = priceText(quote);
  const said = [price === '' ? '' : `price ${price}`, quote.licence === '' ? '' : `licence ${quote.licence}`];
  return said.filter((text) => text !== '').join(', ');
}

const noBody = new Uint8Array();
const licenceCharsMax = 500;

function valuesOf(headers: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) values.push(headers[i + 1]!);
  return values;
}

/** The first link with the relation `license`. */
function licenceIn(value: string): string | undefined {
  for (const part of value.split('<').slice(1)) {
    const end = part.indexOf('>');
    const parameters = part.slice(end + 1).trimStart();
    if (end < 0 || end > licenceCharsMax || !/^https?:\/\/[^\s]+$/i.test(part.slice(0, end))) continue;
    if (!parameters.startsWith(';')) continue;
    if (/\brel="?license"?(?:[\s;]|$)/i.test(parameters.split(',', 1)[0]!)) return part.slice(0, end);
  }
  return undefined;
}

function acceptsIn(text: string): Offer[] {
  let accepts: unknown;
  try {
    accepts = (JSON.parse(text) as { readonly accepts?: unknown } | null)?.accepts;
  } catch {
    return [];
  }
  return Array.isArray(accepts) ? accepts.slice(0, offersMax).flatMap(x402Offer) : [];
}

/** Any other scheme than `exact` leaves the amount to the site. */
function x402Offer(entry: unknown): Offer[] {
  if (typeof entry !== 'object' || entry === null) return [];
  const { scheme = 'exact', network, asset, amount, maxAmountRequired } = entry as Readonly<Record<string, unknown>>;
  const asked = amount ?? maxAmountRequired;
  if (scheme !== 'exact' || typeof asked !== 'string' || !/^[1-9]\d{0,29}$/.test(asked)) return [];
  const terms = JSON.stringify(entry);
  if (!isWord(network) || !isWord(asset) || terms.length > termsCharsMax) return [];
  return [{ scheme: 'x402', amount: asked, network, asset, terms }];
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.length <= wordCharsMax && /^[!-~]+$/.test(value);
}
