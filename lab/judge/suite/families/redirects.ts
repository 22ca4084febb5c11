/** Redirects and cookies: RFC 9110 §15.4, the URL standard for Location, RFC 6265. */
import {
  type Check,
  check,
  type Fault,
  type Level,
  linksTo,
  type Page,
  type Reply,
  rfc,
  type Visit,
} from '../check/check.ts';
import { headerOf } from '../check/verdict.ts';

const to = (location: string, status = 302): Reply => ({ status, headers: [['Location', location]] });
const urlStandard = 'https://url.spec.whatwg.org/#url-parsing';
const fetchStandard = 'https://fetch.spec.whatwg.org/#http-redirect-fetch';
const goOn = linksTo('/go', '/control');

const codes: readonly Check[] = [301, 302, 303, 307, 308].map((status) =>
  check(`redirects/status-${status}`, 'MUST', rfc(9110, '15.4'), `a ${status} redirect is followed`, {
    pages: { '/': goOn, '/go': to('/target', status) },
    want: ['/target'],
  }),
);

type Row = readonly [name: string, title: string, source: string, location: string, want: string, level?: Level];

/** Location of a redirect at /dir/go. */
const locations: readonly Row[] = [
  ['location-absolute', 'Location may be an absolute URL', rfc(9110, '10.2.2'), '{host}/target', '/target'],
  [
    'location-relative',
    'Location may be relative to the URL that was asked for',
    rfc(9110, '10.2.2'),
    'target',
    '/dir/target',
  ],
  ['location-parent', 'Location may climb with dot segments', rfc(9110, '10.2.2'), '../target', '/target'],
  ['location-query', 'Location may be a query alone', rfc(9110, '10.2.2'), '?page=2', '/dir/go?page=2'],
  [
    'location-protocol-relative',
    'Location may begin with two slashes',
    rfc(9110, '10.2.2'),
    '//b-{name}:{port}/target',
    'b/target',
  ],
  ['location-other-host', 'Location may be on another host', rfc(9110, '10.2.2'), '{b}/target', 'b/target'],
  ['location-no-path', 'Location may have no path', rfc(9110, '10.2.2'), '{b}', 'b/'],
  ['location-fragment', 'a fragment of Location is not sent', rfc(9110, '10.2.2'), '/target#part', '/target'],
  [
    'location-upper-case-scheme',
    'the scheme of Location is read without regard to case',
    rfc(9110, '4.2.3'),
    'HTTP://{name}:{port}/target',
    '/target',
  ],
  ['location-space', 'a space in Location is escaped', urlStandard, '/a target', '/a%20target', 'practice'],
  ['location-spaces-around', 'spaces around Location are dropped', rfc(9110, '5.5'), '  /target  ', '/target'],
  ['location-backslash', 'a backslash in Location is a slash', urlStandard, '/dir\\target', '/dir/target', 'practice'],
  ['location-escaped', 'escapes in Location are kept', rfc(3986, '2.4'), '/a%2Fb', '/a%2Fb'],
];

const pair = (status: number): Record<string, Page> => ({
  '/': linksTo('/one', '/control'),
  '/one': to('/two', status),
  '/two': to('/one', status),
});

function bounded(key: RegExp, most: number) {
  return ({ requests }: Visit): Fault | undefined => {
    const counted = requests.filter((request) => key.test(request.key));
    return counted.length > most ? { why: `It sent ${counted.length} requests.`, requests: counted } : undefined;
  };
}
const often = (key: string, times: number) => [
  { key: '/robots.txt' },
  { key: '/' },
  ...Array(times).fill({ key, waitMs: 0 }),
];

const loops: readonly Check[] = [
  check(
    'redirects/loop-of-two',
    'SHOULD',
    rfc(9110, '15.4'),
    'two URLs that redirect to each other are left within 20 requests',
    {
      pages: pair(301),
      control: '/one',
      weight: 3,
      fault: bounded(/^\/(one|two)/, 20),
      planted: () => often('/one', 21),
    },
  ),
  check(
    'redirects/loop-of-one',
    'SHOULD',
    rfc(9110, '15.4'),
    'a URL that redirects to itself is left within 20 requests',
    {
      pages: { '/': goOn, '/go': to('/go') },
      control: '/go',
      weight: 3,
      fault: bounded(/^\/go/, 20),
      planted: () => often('/go', 21),
    },
  ),
  check(
    'redirects/endless',
    'SHOULD',
    rfc(9110, '15.4'),
    'a chain of redirects without end is left within 25 requests',
    {
      pages: { '/': linksTo('/step1', '/control'), '/step*': ({ path }) => to(`/step${Number(path.slice(5)) + 1}`) },
      control: '/step1',
      weight: 3,
      fault: bounded(/^\/step/, 25),
      planted: () => often('/step1', 26),
    },
  ),
  check(
    'redirects/cookie-loop',
    'practice',
    fetchStandard,
    'a page that redirects to itself to set a cookie is left within 20 requests',
    {
      pages: {
        '/': goOn,
        '/go': {
          ...to('/go'),
          headers: [
            ['Location', '/go'],
            ['Set-Cookie', 'seen=1'],
          ],
        },
      },
      control: '/go',
      fault: bounded(/^\/go/, 20),
      planted: () => often('/go', 21),
    },
  ),
  check('redirects/chain-of-five', 'practice', fetchStandard, 'five redirects in a row lead to their page', {
    pages: {
      '/': linksTo('/s1'),
      ...Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`/s${n}`, to(n === 5 ? '/target' : `/s${n + 1}`)])),
    },
    want: ['/target'],
  }),
  check('redirects/target-once', 'practice', rfc(9110, '15.4'), 'the target of three redirects is fetched once', {
    pages: {
      '/': linksTo('/r1', '/r2', '/r3'),
      '/r1': to('/target', 301),
      '/r2': to('/target', 301),
      '/r3': to('/target', 301),
    },
    want: ['/target'],
    fault: ({ asked }) =>
      asked('/target').length > 1 ? { why: 'It was fetched more than once.', requests: asked('/target') } : undefined,
    planted: () => ['/robots.txt', '/', '/r1', '/target', '/r2', '/target'].map((key) => ({ key })),
  }),
];

const notFollowed: readonly Check[] = [
  check('redirects/location-on-200', 'MUST', rfc(9110, '10.2.2'), 'Location on an answer of 200 is no redirect', {
    pages: { '/': goOn, '/go': { headers: [['Location', '/target']], body: 'text' } },
    control: '/go',
    never: ['/target'],
  }),
  check('redirects/location-on-404', 'MUST', rfc(9110, '10.2.2'), 'Location on an answer of 404 is no redirect', {
    pages: { '/': goOn, '/go': { status: 404, headers: [['Location', '/target']], body: 'text' } },
    control: '/go',
    never: ['/target'],
  }),
  check('redirects/without-location', 'MUST', rfc(9110, '15.4'), 'a 302 without Location does not hold up the host', {
    pages: { '/': linksTo('/go', '/after'), '/go': { status: 302, body: 'text' } },
    want: ['/go', '/after'],
  }),
  check('redirects/bad-location', 'MUST', rfc(9110, '10.2.2'), 'a Location that is no URL does not hold up the host', {
    pages: { '/': linksTo('/go', '/after'), '/go': to('http://[bad/') },
    want: ['/go', '/after'],
  }),
  check(
    'redirects/other-scheme',
    'MUST',
    fetchStandard,
    'a redirect to ftp, file or javascript does not hold up the host',
    {
      pages: {
        '/': linksTo('/f', '/l', '/j', '/after'),
        '/f': to('ftp://{name}/x'),
        '/l': to('file:///etc/passwd'),
        '/j': to('javascript:alert(1)'),
      },
      want: ['/f', '/l', '/j', '/after'],
      never: ['/javascript:alert(1)', '/etc/passwd'],
    },
  ),
  check('redirects/method-stays-get', 'MUST', rfc(9110, '15.4'), 'a redirect is followed with GET', {
    pages: { '/': goOn, '/go': to('/target', 307) },
    want: ['/target'],
    fault: ({ asked }) => {
      const requests = asked('/target').filter(({ method }) => method !== 'GET' && method !== 'HEAD');
      return requests.length > 0 ? { why: 'The method changed.', requests } : undefined;
    },
    planted: () => [{ key: '/robots.txt' }, { key: '/' }, { key: '/go' }, { key: '/target', method: 'POST' }],
  }),
];

/** No request for which `where` is true may carry the cookie. */
function cookieCheck(
  name: string,
  title: string,
  section: string,
  cookies: readonly string[],
  wrong: string,
  secret: RegExp,
): Check {
  return check(`redirects/cookie-${name}`, 'MUST', rfc(6265, section), title, {
    pages: {
      '/': {
        headers: cookies.map((cookie) => ['Set-Cookie', cookie] as const),
        body: linksTo('/a', '/in/b', '{b}/', 'http://www.{name}:{port}/'),
      },
    },
    want: ['/a'],
    ...(wrong === 'www./' || /Domain/.test(cookies.join()) ? { needsNames: true } : {}),
    fault: ({ asked }) => {
      const requests = asked(wrong).filter((request) => secret.test(headerOf(request, 'cookie') ?? ''));
      return requests.length > 0 ? { why: `${wrong} got the cookie.`, requests } : undefined;
    },
    planted: () => [
      { key: '/robots.txt' },
      { key: '/' },
      { key: '/a' },
      { key: wrong, headers: { cookie: 'secret=1; own=2' } },
    ],
  });
}

const cookies: readonly Check[] = [
  cookieCheck('other-host', 'a cookie is not sent to another host', '5.4', ['secret=1'], 'b/', /secret/),
  cookieCheck(
    'host-only',
    'a cookie without Domain is not sent to a subdomain',
    '5.4',
    ['secret=1'],
    'www./',
    /secret/,
  ),
  cookieCheck(
    'foreign-domain',
    'a cookie for the domain of another host is refused',
    '5.3',
    ['secret=1; Domain=b-{name}'],
    'b/',
    /secret/,
  ),
  cookieCheck(
    'public-suffix',
    'a cookie for a whole top-level domain is refused',
    '5.3',
    ['secret=1; Domain=test'],
    'b/',
    /secret/,
  ),
  cookieCheck('path', 'a cookie for a folder is not sent outside it', '5.4', ['secret=1; Path=/in'], '/a', /secret/),
  cookieCheck(
    'secure',
    'a cookie marked Secure is not sent over plain HTTP',
    '5.4',
    ['secret=1; Secure'],
    '/a',
    /secret/,
  ),
  cookieCheck(
    'expired',
    'a cookie that has expired is not sent',
    '5.3',
    ['secret=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
    '/a',
    /secret/,
  ),
  cookieCheck('max-age-zero', 'a cookie with Max-Age=0 is not sent', '5.3', ['secret=1; Max-Age=0'], '/a', /secret/),
];

export const redirectsChecks: readonly Check[] = [
  ...codes,
  ...locations.map(([name, title, source, location, want, level = 'MUST']) =>
    check(`redirects/${name}`, level, source, title, {
      pages: { '/': linksTo('/dir/go', '/control'), '/dir/go': to(location) },
      want: [want],
    }),
  ),
  ...loops,
  ...notFollowed,
  ...cookies,
];
