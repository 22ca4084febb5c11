/** Fields of a response: many, long, odd, twice, beyond ASCII; and responses before the response. */
import { empty, html, ok, page, pageOutcome, withFields } from './answers.ts';
import type { Answer, Field, Seen, Situation } from './situation.ts';

const field = (
  name: string,
  answer: Answer,
  expects = 'fetched 200, whole',
  outcomeOf = pageOutcome as (seen: Seen) => string,
): Situation => ({
  ...{ group: 'field', name, page: [answer], expects, outcomeOf },
});
const withNoindex = (seen: Seen) => `${pageOutcome(seen)}, ${seen.pages.get('/')?.noindex ? 'noindex' : 'index'}`;
const robotsTag = (name: string, tags: readonly string[], expects: string) =>
  field(
    name,
    withFields(...tags.map((tag): Field => ['X-Robots-Tag', tag])),
    `fetched 200, whole, ${expects}`,
    withNoindex,
  );
const many = (count: number): Field[] => Array.from({ length: count }, (_, n) => [`X-Field-${n}`, 'value']);
const typed = (...types: string[]): Answer => ok({ fields: types.map((type) => ['Content-Type', type]) });
const links = (seen: Seen) =>
  `${pageOutcome(seen)}; ${
    seen.pages
      .get('/')
      ?.outlinks.map((link) => link.replace(seen.origin, ''))
      .join(' ') ?? ''
  }`;
const interim = (...statuses: number[]): Answer =>
  ok({
    interims: statuses.map((status) => ({
      status,
      fields: status === 103 ? [['Link', '</style.css>; rel=preload']] : [],
    })),
  });

export const fields: readonly Situation[] = [
  robotsTag('X-Robots-Tag: noindex', ['noindex'], 'noindex'),
  robotsTag('X-Robots-Tag of another bot', ['otherbot: noindex'], 'index'),
  robotsTag('X-Robots-Tag twice, the last is for all', ['otherbot: noarchive', 'noindex, nofollow'], 'noindex'),
  robotsTag('X-Robots-Tag twice, the first is for all', ['noindex', 'otherbot: noarchive'], 'noindex'),
  field('100 fields', withFields(...many(100))),
  field('1,000 fields', withFields(...many(1000))),
  field('a field of 16 kB', withFields(['X-Long', 'x'.repeat(16_000)])),
  field('a field of 60 kB', withFields(['X-Long', 'x'.repeat(60_000)])),
  field('a field of 70 kB', withFields(['X-Long', 'x'.repeat(70_000)]), 'badResponse'),
  field(
    '70 kB in 1,000 fields',
    withFields(...Array.from({ length: 1000 }, (_, n): Field => [`X-Field-${n}`, 'x'.repeat(60)])),
    'badResponse',
  ),
  field('a value beyond ASCII', withFields(['X-Odd', 't\xe9\xff'])),
  field('an empty value', withFields(['X-Empty', ''])),
  field('a name of all token characters', withFields(["X!#$%&'*+-.^_`|~09", 'x'])),
  field('the same field ten times', withFields(...Array.from({ length: 10 }, (): Field => ['X-Same', 'x']))),
  field('a type without a charset', typed('text/html')),
  field('a type in capitals', typed('TEXT/HTML; CHARSET=UTF-8')),
  field('two types, the last counts', typed('text/plain', 'text/html')),
  field('no type', ok({ fields: [] })),
  field('XHTML', typed('application/xhtml+xml')),
  field('a type that is not parsed', typed('image/png'), 'refused 200'),
  field('Content-Length of an empty page', ok({ body: Buffer.alloc(0) }), 'fetched 200, no text'),
  field('links in the page', page(['/a', 'b', '?c']), 'fetched 200, whole; /a /b /?c', links),
  field('Link: canonical', withFields(['Link', '</other>; rel=canonical'])),
  field('Refresh to itself', withFields(['Refresh', '5'])),
  field('Refresh to another', withFields(['Refresh', '0; url=/x'])),
  field('100 before', interim(100)),
  field('103 before', interim(103)),
  field('100, 102 and 103 before', interim(100, 102, 103)),
  field('103 before a 404', { ...empty(404), interims: [{ status: 103, fields: [] }] }, 'gone 404'),
  field('trailers', ok({ framing: 'chunks', trailers: [['x-sum', '1']] })),
  field(
    'trailers like fields',
    ok({
      framing: 'chunks',
      trailers: [
        ['content-type', 'image/png'],
        ['location', '/x'],
      ],
    }),
  ),
  field('Alt-Svc', withFields(['Alt-Svc', 'h3=":443"; ma=86400'])),
  field('Strict-Transport-Security', withFields(['Strict-Transport-Security', 'max-age=600'])),
  field('Content-Range on a 200', withFields(['Content-Range', 'bytes 0-10/1000'])),
  field('a status line for another', { ...ok(), fields: [html, ['Status', '404']] }),
];
