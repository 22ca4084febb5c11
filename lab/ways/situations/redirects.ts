/** Redirects of each kind, and values of Location. */
import { broken, empty, notFound, ok, pageOutcome } from './answers.ts';
import type { Answer, Seen, Situation } from './situation.ts';

const to = (status: number, ...locations: string[]): Answer =>
  empty(status, ...locations.map((location) => ['Location', location] as const));
/** Outcome of the URL, and its target. */
const both =
  (target: string) =>
  (seen: Seen): string =>
    `${pageOutcome(seen)}; ${target}: ${pageOutcome(seen, target)}`;

const redirect = (name: string, page: Answer, target: string, expects = ''): Situation => ({
  ...{ group: 'redirect', name, page: [page], paths: { [target]: [ok()] }, outcomeOf: both(target) },
  expects: expects || `redirect ${page.status} to ${target}; ${target}: fetched 200, whole`,
});
const wrong = (name: string, page: Answer, expects: string): Situation => ({
  ...{ group: 'redirect', name, page: [page], expects, outcomeOf: pageOutcome },
});

export const redirects: readonly Situation[] = [
  ...[301, 302, 303, 307, 308].map((status) => redirect(`${status}`, to(status, '/x'), '/x')),
  redirect('a relative path', to(301, 'x/../y'), '/y'),
  redirect('a query alone', to(301, '?q=1'), '/?q=1'),
  redirect('with a fragment', to(301, '/x#part'), '/x'),
  {
    ...redirect('blanks around', to(301, '  /x\t'), '/x'),
    differs: [
      {
        where: { version: 'HTTP/2' },
        expects: 'clientError 301; /x: not asked',
        reason: 'such a value is malformed, and the field is left out (RFC 9113 §8.2.1)',
      },
    ],
  },
  redirect('a blank within', to(301, '/a b'), '/a%20b'),
  redirect('UTF-8 beyond ASCII', to(301, '/t\xc3\xa9'), '/t%C3%A9'),
  redirect('ISO 8859-1 beyond ASCII', to(301, '/t\xe9'), '/t%E9'),
  redirect('escapes', to(301, '/t%c3%a9'), '/t%C3%A9', 'redirect 301 to /t%c3%a9; /t%C3%A9: fetched 200, whole'),
  redirect('a body that is a page', ok({ status: 301, fields: [['Location', '/x']] }), '/x'),
  redirect(
    'a body that is cut',
    broken('in a chunk', 'close', ok({ status: 301, fields: [['Location', '/x']] })),
    '/x',
  ),
  redirect('two equal fields', to(301, '/x', '/x'), '/x'),
  {
    ...redirect('the target redirects, too', to(301, '/x'), '/x', 'redirect 301 to /x; /x: redirect 302 to /y'),
    paths: { '/x': [to(302, '/y')], '/y': [ok()] },
  },
  {
    ...redirect('the target is gone', to(301, '/x'), '/x', 'redirect 301 to /x; /x: gone 404'),
    paths: { '/x': [notFound] },
  },
  wrong('no Location', to(301), 'clientError 301'),
  wrong('an empty Location', to(301, ''), 'clientError 301'),
  wrong('no URL', to(301, 'http://['), 'clientError 301'),
  wrong('to itself', to(301, '/'), 'redirect 301 to /'),
  wrong('another scheme', to(301, 'ftp://a.test/'), 'clientError 301'),
];
