/**
 * A second visit: the validators that it sends, and the meaning of a 304. URLs that gave no page are visited after the
 * end of the crawl.
 */
import { answer, broken, empty, html, ok, page, pageOutcome } from './answers.ts';
import type { Answer, Field, Seen, Situation } from './situation.ts';

/** The validators of the second request for a page, and the page's outcome. */
function secondAsked(seen: Seen): string {
  const fields = seen.asked.filter(({ path }) => path === '/')[1]?.fields;
  if (fields === undefined) return `no second request; ${pageOutcome(seen)}`;
  const said = ['if-none-match', 'if-modified-since']
    .filter((name) => fields.has(name))
    .map((name) => `${name} ${fields.get(name)}`);
  return `${said.join(', ') || 'unconditional'}; ${pageOutcome(seen)}`;
}

const again = (name: string, first: Answer, second: Answer, expects: string): Situation => ({
  ...{ group: 'second visit', name, page: [first, second], crawl: 'visits', expects, outcomeOf: secondAsked },
});
const etag: Field = ['ETag', '"one"'];
const weak: Field = ['ETag', 'W/"one"'];
const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
const past = 'Thu, 01 Jan 2015 00:00:00 GMT';
const modified = (value: string): Field => ['Last-Modified', value];
const tagged = (...fields: Field[]): Answer => ok({ fields: [html, ...fields] });
const unchanged = empty(304);
const plain = page([]);

export const recrawls: readonly Situation[] = [
  again('no validator', plain, plain, 'unconditional; fetched 200, whole'),
  again('an ETag, 304', tagged(etag), unchanged, 'if-none-match "one"; notModified 304, whole'),
  again('a weak ETag, 304', tagged(weak), unchanged, 'if-none-match W/"one"; notModified 304, whole'),
  again('Last-Modified, 304', tagged(modified(past)), unchanged, `if-modified-since ${past}; notModified 304, whole`),
  again(
    'both, 304',
    tagged(etag, modified(past)),
    unchanged,
    `if-none-match "one", if-modified-since ${past}; notModified 304, whole`,
  ),
  again(
    'Last-Modified in the future, 304',
    tagged(modified(date)),
    unchanged,
    `if-modified-since ${date}; notModified 304, whole`,
  ),
  again('an ETag, and a new page', tagged(etag), tagged(['ETag', '"two"']), 'if-none-match "one"; fetched 200, whole'),
  again('an ETag, and an error', tagged(etag), answer(500), 'if-none-match "one"; serverError 500, whole'),
  again('an ETag, and it is gone', tagged(etag), answer(404), 'if-none-match "one"; gone 404, whole'),
  again(
    'an ETag, and a redirect',
    tagged(etag),
    empty(301, ['Location', '/x']),
    'if-none-match "one"; redirect 301 to /x, whole',
  ),
  again(
    'an ETag, and a cut page',
    tagged(etag),
    broken('in a chunk', 'close', tagged(etag)),
    'if-none-match "one"; connectionFailed 200, whole',
  ),
  again(
    'an ETag on a page that is cut',
    broken('in a chunk', 'close', tagged(etag)),
    plain,
    'no second request; connectionFailed 200',
  ),
  again(
    'an ETag on a redirect',
    empty(301, ['Location', '/x'], etag),
    unchanged,
    'no second request; redirect 301 to /x',
  ),
  again('an ETag on a 404', answer(404, { fields: [html, etag] }), plain, 'no second request; gone 404'),
  again('a 304 that nobody asked for', plain, unchanged, 'unconditional; badResponse 304, whole'),
  again(
    'a cookie beside the 304',
    tagged(etag),
    empty(304, ['Set-Cookie', 'a=1']),
    'if-none-match "one"; notModified 304, whole',
  ),
];
