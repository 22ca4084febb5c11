/** URLs: resolution against a base (RFC 3986 §5), parsing (the URL standard), and forms that name the same page. */
import { type Check, check, type Level, type Page, type Reply, rfc } from '../check/check.ts';

const standard = 'https://url.spec.whatwg.org/#url-parsing';
const escapes = 'https://url.spec.whatwg.org/#percent-encoded-bytes';

type Row = readonly [
  name: string,
  title: string,
  source: string,
  href: string,
  want: string | readonly string[],
  never?: readonly string[],
  level?: Level,
];

/** A link of the page /b/c/d;p?q, as in RFC 3986 §5.4. */
const rows: readonly Row[] = [
  ['relative', 'a relative path replaces the last segment', rfc(3986, '5.4.1'), 'g', '/b/c/g', ['/g', '/b/c/d;p/g']],
  ['relative-dot', 'a dot segment is dropped', rfc(3986, '5.4.1'), './g', '/b/c/g', ['/b/c/./g']],
  ['relative-folder', 'a slash at the end is kept', rfc(3986, '5.4.1'), 'g/', '/b/c/g/'],
  ['root-relative', 'a path that begins with a slash replaces the path', rfc(3986, '5.4.1'), '/g', '/g', ['/b/c/g']],
  ['protocol-relative', 'two slashes begin a host', rfc(3986, '5.4.1'), '//b-{name}:{port}/g', 'b/g'],
  ['query-alone', 'a query alone keeps the path', rfc(3986, '5.4.1'), '?y', '/b/c/d;p?y', ['/b/c/?y']],
  ['relative-query', 'a relative path may have a query', rfc(3986, '5.4.1'), 'g?y', '/b/c/g?y'],
  ['fragment', 'a fragment is not sent', rfc(3986, '5.4.1'), 'g#s', '/b/c/g', ['/b/c/g#s', '/b/c/g%23s']],
  [
    'query-and-fragment',
    'a fragment after a query is not sent',
    rfc(3986, '5.4.1'),
    'g?y#s',
    '/b/c/g?y',
    ['/b/c/g?y#s'],
  ],
  ['fragment-with-slash', 'a fragment may hold slashes and dots', rfc(3986, '5.4.2'), 'g#s/../x', '/b/c/g', ['/b/c/x']],
  ['query-with-dots', 'dot segments in a query stay', rfc(3986, '5.4.2'), 'g?y/../x', '/b/c/g?y/../x', ['/b/c/x']],
  ['parameter', 'a semicolon begins a segment', rfc(3986, '5.4.1'), ';x', '/b/c/;x'],
  ['parameter-after-name', 'a semicolon is part of a segment', rfc(3986, '5.4.1'), 'g;x?y', '/b/c/g;x?y'],
  ['current-folder', 'a dot is the folder', rfc(3986, '5.4.1'), '.', '/b/c/', ['/b/c']],
  ['parent-folder', 'two dots are the folder above', rfc(3986, '5.4.1'), '..', '/b/', ['/b']],
  ['parent-relative', 'a path may climb', rfc(3986, '5.4.1'), '../g', '/b/g'],
  ['grandparent-relative', 'a path may climb twice', rfc(3986, '5.4.1'), '../../g', '/g'],
  [
    'above-the-root',
    'a path cannot climb above the root',
    rfc(3986, '5.4.2'),
    '../../../../g',
    '/g',
    ['/../../g', '/../g'],
  ],
  ['dots-after-root', 'dot segments after the root are dropped', rfc(3986, '5.4.2'), '/./g/../h', '/h', ['/./g/../h']],
  ['dots-in-names', 'dots within a name stay', rfc(3986, '5.4.2'), '..g..', '/b/c/..g..'],
  ['dot-and-parent', 'dot segments in the middle are resolved', rfc(3986, '5.4.2'), 'g/./h/../i', '/b/c/g/i'],
  ['absolute', 'an absolute URL is taken as it is', rfc(3986, '5.4.1'), '{b}/g', 'b/g'],
  ['empty-path', 'a host without a path gets a slash', rfc(9110, '4.2.3'), '{b}?y', ['b/?y']],
  ['colon-in-path', 'a colon in a path begins no scheme', rfc(3986, '4.2'), './g:h', '/b/c/g:h'],
  ['double-slash-in-path', 'an empty segment stays', rfc(3986, '3.3'), '/g//h', '/g//h', ['/g/h']],
  ['upper-case-path', 'the case of a path stays', rfc(3986, '6.2.2.1'), '/GrOuP', '/GrOuP', ['/group']],
  [
    'upper-case-scheme',
    'the scheme is read without regard to case',
    rfc(3986, '6.2.2.1'),
    'HTTP://b-{name}:{port}/g',
    'b/g',
  ],
  [
    'upper-case-host',
    'the host is read without regard to case',
    rfc(3986, '6.2.2.1'),
    'http://B-{name}:{port}/g',
    'b/g',
  ],
  [
    'spaces-around',
    'spaces around a URL are dropped',
    standard,
    '  /g \n',
    '/g',
    ['/g%20', '/%20/g', '/b/c/%20%20/g%20'],
  ],
  ['space-within', 'a space in a path is escaped', standard, '/g h', '/g%20h', ['/g+h', '/g']],
  ['tab-within', 'a tab in a URL is dropped', standard, '/g\th', '/gh', ['/g%09h']],
  ['backslash', 'a backslash is a slash', standard, '\\g\\h', '/g/h', ['/b/c/%5Cg%5Ch', '/%5Cg%5Ch']],
  ['non-ascii-path', 'a path is escaped as UTF-8', standard, '/größe', '/gr%C3%B6%C3%9Fe', ['/gr%F6%DFe']],
  [
    'non-ascii-query',
    'a query of a page in UTF-8 is escaped as UTF-8',
    standard,
    '/g?q=ö',
    '/g?q=%C3%B6',
    ['/g?q=%F6'],
  ],
  [
    'astral-path',
    'a character beyond U+FFFF is escaped as four bytes',
    standard,
    '/😀',
    '/%F0%9F%98%80',
    ['/%ED%A0%BD%ED%B8%80'],
  ],
  ['quotes-escaped', 'a quotation mark is escaped', standard, '/g&quot;h', '/g%22h'],
  ['angle-brackets-escaped', 'angle brackets are escaped', standard, '/g&lt;h&gt;', '/g%3Ch%3E'],
  [
    'escape-kept',
    'an escaped slash stays escaped',
    rfc(3986, '2.2'),
    '/g%2Fh',
    ['/g%2Fh', '/g%2fh'],
    ['/g/h', '/g%252Fh'],
  ],
  ['escape-not-doubled', 'an escape is not escaped again', escapes, '/g%20h', '/g%20h', ['/g%2520h']],
  ['percent-alone', 'a percent sign that begins no escape stays', standard, '/100%', ['/100%', '/100%25']],
  [
    'escaped-question-mark',
    'an escaped question mark begins no query',
    rfc(3986, '2.2'),
    '/g%3Fh',
    ['/g%3Fh', '/g%3fh'],
    ['/g?h'],
  ],
  [
    'escaped-dots',
    'escaped dot segments are dot segments',
    standard,
    '/g/%2e%2e/h',
    '/h',
    ['/g/%2e%2e/h', '/g/../h'],
    'practice',
  ],
  ['plus-in-path', 'a plus sign in a path is no space', rfc(3986, '2.2'), '/g+h', '/g+h', ['/g%20h', '/g h']],
  [
    'plus-in-query',
    'a plus sign in a query stays',
    'https://url.spec.whatwg.org/#urlencoded-parsing',
    '/g?a=b+c',
    '/g?a=b+c',
    ['/g?a=b%2Bc'],
  ],
  [
    'query-order',
    'the order of parameters stays',
    rfc(3986, '3.4'),
    '/g?z=1&amp;a=2',
    '/g?z=1&a=2',
    ['/g?a=2&z=1'],
    'practice',
  ],
  [
    'query-repeated',
    'a parameter may come twice',
    rfc(3986, '3.4'),
    '/g?a=1&amp;a=2',
    '/g?a=1&a=2',
    ['/g?a=2', '/g?a=1'],
  ],
  [
    'question-mark-in-query',
    'a second question mark is part of the query',
    rfc(3986, '3.4'),
    '/g?a?b',
    ['/g?a?b', '/g?a%3Fb'],
  ],
  [
    'long',
    'a URL of 2,000 characters is asked for',
    rfc(9110, '4.1'),
    `/${'g'.repeat(2_000)}`,
    `/${'g'.repeat(2_000)}`,
  ],
  [
    'many-segments',
    'a URL of 20 segments is asked for',
    rfc(3986, '3.3'),
    `/${Array.from({ length: 20 }, (_, i) => `s${i}`).join('/')}`,
    `/${Array.from({ length: 20 }, (_, i) => `s${i}`).join('/')}`,
  ],
];

const start = '/b/c/d;p?q';
const pageWith = (href: string): Page => `<!doctype html><title>t</title><a href="${href}">x</a>`;

/** Schemes that a crawler of HTTP leaves alone; a path made of them is a mistake. */
const schemes = [
  'javascript:void(0)',
  'mailto:me@example.org',
  'tel:+123',
  'data:text/html,x',
  'about:blank',
  'sms:1',
  'whatsapp:x',
  'blob:x',
];

const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const legacyQuery = (charset: string, bytes: Buffer): Reply => ({
  type: `text/html; charset=${charset}`,
  body: Buffer.concat([latin1('<!doctype html><title>t</title><a href="/g?q='), bytes, latin1('">x</a>')]),
});

/** A query is escaped in the charset of its page (URL standard, query state). */
const queryCharsets: readonly (readonly [charset: string, bytes: string, want: string])[] = [
  ['windows-1252', 'f6', '/g?q=%F6'],
  ['windows-1251', 'cff0', '/g?q=%CF%F0'],
  ['shift_jis', '93fa967b', '/g?q=%93%FA%96{'],
  ['euc-kr', 'c7d1', '/g?q=%C7%D1'],
  ['gbk', 'd6d0', '/g?q=%D6%D0'],
];

export const urlsChecks: readonly Check[] = [
  ...rows.map(([name, title, source, href, want, never = [], level = 'MUST']) =>
    check(`urls/${name}`, level, source, title, {
      pages: { '/': pageWith(start), [start]: pageWith(href) },
      want: [want],
      never,
    }),
  ),
  ...queryCharsets.map(([charset, bytes, want]) =>
    check(
      `urls/query-in-${charset.replace('_', '-')}`,
      'MUST',
      'https://url.spec.whatwg.org/#query-state',
      `a query of a page in ${charset} is escaped in ${charset}`,
      {
        pages: { '/': legacyQuery(charset, Buffer.from(bytes, 'hex')) },
        want: [want.includes('{') ? [want, want.replace('{', '%7B')] : want],
      },
    ),
  ),
  check('urls/other-schemes', 'MUST', rfc(3986, '4.3'), 'links of other schemes are not asked for over HTTP', {
    pages: {
      '/': `<!doctype html><title>t</title>${schemes.map((one) => `<a href="${one}">x</a>`).join('')}<a href="/control">x</a>`,
    },
    control: '/control',
    never: schemes.map((one) => `/${one}`),
  }),
  check('urls/bad-url', 'MUST', standard, 'a link that is no URL does not hide the others', {
    pages: {
      '/': '<!doctype html><title>t</title><a href="http://[bad/">x</a><a href="http://a b/">x</a><a href="http://:80/">x</a><a href="/g">x</a>',
    },
    want: ['/g'],
  }),
  check('urls/port', 'MUST', rfc(9110, '4.2.1'), 'the port of a URL is part of its host', {
    pages: { '/': '<!doctype html><title>t</title><a href="{b}/g">x</a>', 'b/g': '<a href="h">x</a>' },
    want: ['b/h'],
  }),
];
