/** Differences that are meant, each with its reason. */
import type { Kind } from './draft.ts';
import type { Odd } from './draw.ts';

interface Accepted {
  readonly sort: RegExp;
  readonly dimension: string;
  readonly names: RegExp;
  /** Absent: of all kinds. */
  readonly kind?: Kind;
  readonly reason: string;
}

const alone = /^the crawler alone/;
const others = /^others read/;
const meaning = /^(another title|other links)$/;

const accepted: readonly Accepted[] = [
  {
    ...{ sort: alone, dimension: 'coding', names: /./ },
    reason: 'words that name no content coding are skipped, and the first bytes say which coding it is',
  },
  {
    ...{ sort: alone, dimension: 'framing', names: /./ },
    reason: 'a length that is no number says nothing, and a sitemap counts as far as it came',
  },
  {
    ...{ sort: alone, dimension: 'status line', names: /^HTTP\/3$/ },
    reason: 'the version in a status line says nothing about what follows; the browser reads it, too',
  },
  {
    ...{ sort: others, dimension: 'status line', names: /^(ICY|four digits)$/ },
    reason: 'the answer does not begin with a status line of HTTP',
  },
  {
    ...{ sort: others, dimension: 'framing', names: /^two different lengths$/ },
    reason: 'two lengths leave open where the body ends (RFC 9112 §6.3)',
  },
  {
    ...{ sort: others, dimension: 'framing', names: /^text behind sizes$/ },
    reason: 'a number with text behind it is no chunk size; browsers refuse it, too',
  },
  {
    ...{ sort: others, dimension: 'redirect code', names: /^300$/ },
    reason: '300 offers a choice (RFC 9110 §15.4.1), and browsers do not follow it either',
  },
  {
    ...{ sort: others, dimension: 'location', names: /^eight thousand characters$/ },
    reason: 'URLs are at most 2,048 characters long unless a setting says otherwise',
  },
  {
    ...{ sort: meaning, dimension: 'cookie', names: /^(SameSite=None without Secure|a tab in the value)$/ },
    reason: 'the browser refuses these cookies; RFC 6265 has them kept',
  },
  {
    ...{ sort: meaning, dimension: 'cookie', names: /^expires before 1601$/ },
    reason: 'a year before 1601 is no date (RFC 6265 §5.1.1), so that the cookie lasts as long as the session',
  },
  {
    ...{
      sort: /^(others read|another title|other links|robots.txt opens)/,
      ...{ dimension: 'line ends', names: /^LF CR everywhere$/ },
    },
    reason: 'LF CR ends no line',
  },
  {
    ...{ sort: meaning, dimension: 'line ends', names: /^a blank before the first field$/ },
    reason:
      'a line that begins with a blank before the first field is left out (RFC 9112 §2.2), and its charset with it',
  },
  {
    ...{ sort: others, dimension: 'framing', names: /^no last chunk$/ },
    reason:
      'a folded Transfer-Encoding counts, and chunks without a last one are a part; others read their sizes as text',
  },
  {
    ...{ sort: others, dimension: 'framing', names: /^no line end behind the last chunk$/, kind: 'robots' },
    reason: 'rules of a file that may be a part are not followed; curl refuses it, too',
  },
  {
    ...{ sort: others, dimension: 'coding', names: /^(five times gzip|gzip said, deflate done)$/, kind: 'sitemap' },
    reason: 'a sitemap is read as a stream, of which at most two layers of gzip are undone',
  },
  {
    ...{ sort: meaning, dimension: 'framing', names: /^chunked with a parameter$/ },
    reason: 'the browser shows the sizes of the chunks as text',
  },
  {
    ...{ sort: meaning, dimension: 'status line', names: /^(HTTP\/(0\.9|2|3)|no version)$/ },
    reason: 'the browser takes this for a version without chunks, and shows their sizes as text',
  },
  {
    ...{ sort: meaning, dimension: 'base', names: /^a base (of another scheme|that is no URL)$/ },
    reason: 'a base that is no http(s) URL is left out of account',
  },
  {
    ...{ sort: meaning, dimension: 'markup', names: /^an empty value$/ },
    reason: 'a link of a page to itself leads nowhere new',
  },
  {
    ...{ sort: meaning, dimension: 'markup', names: /^within a template$/ },
    reason: 'scripts put the links of a template into the page',
  },
  {
    ...{ sort: meaning, dimension: 'type', names: /./ },
    reason: 'the type took the declared charset away, and each reader guesses separately',
  },
];

/** Null: the finding is not explained. */
export function reasonFor(odd: Odd, sort: string): string | null {
  const fits = ({ dimension, names, sort: sorts, kind }: Accepted) =>
    sorts.test(sort) &&
    (kind ?? odd.kind) === odd.kind &&
    odd.variants.some((variant) => variant.dimension === dimension && names.test(variant.name));
  return accepted.find(fits)?.reason ?? null;
}
