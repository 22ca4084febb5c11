/** HTTP as servers send it: forms that a client must read, and forms that servers send although they must not. */
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
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

const page = linksTo('/x');
const crlf = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const ok = 'HTTP/1.1 200 OK';
const html = 'Content-Type: text/html; charset=utf-8';
const size = `Content-Length: ${page.length}`;
const close = 'Connection: close';

const half = Math.floor(page.length / 2);
const chunk = (text: string, extension = '') => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
const twoChunks = (extension = '') => `${chunk(page.slice(0, half), extension)}${chunk(page.slice(half), extension)}`;
const chunked = 'Transfer-Encoding: chunked';

type Row = readonly [name: string, title: string, source: string, raw: string, level?: Level];

/** A page with a link to /x, as the bytes of a whole answer. */
const rows: readonly Row[] = [
  ['close-delimited', 'a body may end with the connection', rfc(9112, '6.3'), crlf(ok, html, close) + page, 'MUST'],
  ['http-1-0', 'an answer of HTTP/1.0 is read', rfc(9112, '2.3'), crlf('HTTP/1.0 200 OK', html) + page, 'MUST'],
  [
    'no-reason',
    'a status line may be without a reason',
    rfc(9112, '4'),
    crlf('HTTP/1.1 200 ', html, size, close) + page,
    'MUST',
  ],
  [
    'no-reason-no-space',
    'a status line may end after the status',
    rfc(9112, '4'),
    crlf('HTTP/1.1 200', html, size, close) + page,
    'practice',
  ],
  [
    'long-reason',
    'a reason may be any text',
    rfc(9112, '4'),
    crlf('HTTP/1.1 200 Ça va très bien, merci!', html, size, close) + page,
    'MUST',
  ],
  [
    'header-case',
    'header names are read without regard to case',
    rfc(9110, '5.1'),
    crlf(ok, 'cOnTeNt-TyPe: text/html', `CONTENT-LENGTH: ${page.length}`, close) + page,
    'MUST',
  ],
  [
    'header-without-space',
    'a header needs no space after its colon',
    rfc(9112, '5.1'),
    crlf(ok, 'Content-Type:text/html', `Content-Length:${page.length}`, close) + page,
    'MUST',
  ],
  [
    'header-with-spaces',
    'spaces around the value of a header are dropped',
    rfc(9112, '5.1'),
    crlf(ok, 'Content-Type:  \t text/html \t ', `Content-Length:  ${page.length}  `, close) + page,
    'MUST',
  ],
  [
    'header-empty',
    'a header may have an empty value',
    rfc(9110, '5.5'),
    crlf(ok, 'X-Empty:', html, size, close) + page,
    'MUST',
  ],
  [
    'header-latin1',
    'bytes above 127 in a header are read',
    rfc(9110, '5.5'),
    crlf(ok, 'X-Name: caf\xe9', html, size, close) + page,
    'SHOULD',
  ],
  [
    'header-folded',
    'a folded header is read',
    rfc(9112, '5.2'),
    crlf(ok, 'X-Long: one', '  two', html, size, close) + page,
    'MUST',
  ],
  [
    'bare-lf',
    'header lines may end with LF alone',
    rfc(9112, '2.2'),
    `${[ok, html, size, close].join('\n')}\n\n${page}`,
    'practice',
  ],
  [
    'header-without-colon',
    'a line without a colon among the headers does not spoil the page',
    rfc(9112, '5'),
    crlf(ok, 'nonsense', html, size, close) + page,
    'practice',
  ],
  [
    'header-space-before-colon',
    'a space before a colon in a header does not spoil the page',
    rfc(9112, '5.1'),
    crlf(ok, 'X-Odd : yes', html, size, close) + page,
    'practice',
  ],
  [
    'many-headers',
    'an answer with 90 headers is read',
    rfc(9110, '5.4'),
    crlf(ok, ...Array.from({ length: 86 }, (_, i) => `X-Header-${i}: value`), html, size, close) + page,
    'practice',
  ],
  [
    'long-header',
    'a header of 8,000 bytes is read',
    rfc(9110, '5.4'),
    crlf(ok, `X-Long: ${'x'.repeat(8_000)}`, html, size, close) + page,
    'practice',
  ],
  [
    'length-twice',
    'two equal Content-Length headers are one',
    rfc(9110, '8.6'),
    crlf(ok, html, size, size, close) + page,
    'practice',
  ],
  [
    'length-too-long',
    'a page that ends before its Content-Length still has its links',
    rfc(9112, '8'),
    crlf(ok, html, `Content-Length: ${page.length + 100}`, close) + page,
    'practice',
  ],
  [
    'chunked',
    'a chunked body is read',
    rfc(9112, '7.1'),
    `${crlf(ok, html, chunked, close)}${twoChunks()}0\r\n\r\n`,
    'MUST',
  ],
  [
    'chunked-case',
    'the name of the coding chunked is read without regard to case',
    rfc(9112, '7'),
    `${crlf(ok, html, 'Transfer-Encoding: Chunked', close)}${twoChunks()}0\r\n\r\n`,
    'MUST',
  ],
  [
    'chunk-extension',
    'extensions of chunks are ignored',
    rfc(9112, '7.1.1'),
    `${crlf(ok, html, chunked, close)}${twoChunks(';name="a value"')}0;last\r\n\r\n`,
    'MUST',
  ],
  [
    'chunk-trailer',
    'trailers after the last chunk are read',
    rfc(9112, '7.1.2'),
    `${crlf(ok, html, chunked, 'Trailer: X-Sum', close)}${twoChunks()}0\r\nX-Sum: 1\r\n\r\n`,
    'MUST',
  ],
  [
    'chunk-zeros',
    'the size of a chunk may begin with zeros',
    rfc(9112, '7.1'),
    `${crlf(ok, html, chunked, close)}0000${chunk(page)}000\r\n\r\n`,
    'MUST',
  ],
  [
    'chunk-end-missing',
    'a chunked page without its last chunk still has its links',
    rfc(9112, '8'),
    `${crlf(ok, html, chunked, close)}${twoChunks()}`,
    'practice',
  ],
  [
    'chunked-and-length',
    'Transfer-Encoding wins over Content-Length',
    rfc(9112, '6.3'),
    `${crlf(ok, html, 'Content-Length: 5', chunked, close)}${twoChunks()}0\r\n\r\n`,
    'MUST',
  ],
  [
    'continue-100',
    'an answer of 100 comes before the page',
    rfc(9110, '15.2'),
    crlf('HTTP/1.1 100 Continue') + crlf(ok, html, size, close) + page,
    'MUST',
  ],
  [
    'processing-102',
    'an answer of 102 comes before the page',
    rfc(9110, '15.2'),
    crlf('HTTP/1.1 102 Processing') + crlf(ok, html, size, close) + page,
    'MUST',
  ],
  [
    'early-hints-103',
    'an answer of 103 comes before the page',
    rfc(8297, '2'),
    crlf('HTTP/1.1 103 Early Hints', 'Link: </style.css>; rel=preload') + crlf(ok, html, size, close) + page,
    'MUST',
  ],
  [
    'several-1xx',
    'several answers of 1xx come before the page',
    rfc(9110, '15.2'),
    crlf('HTTP/1.1 103 Early Hints').repeat(3) + crlf(ok, html, size, close) + page,
    'MUST',
  ],
  [
    'status-203',
    'a page that answers 203 is read',
    rfc(9110, '15.3.4'),
    crlf('HTTP/1.1 203 Non-Authoritative Information', html, size, close) + page,
    'SHOULD',
  ],
  [
    'status-299',
    'an unknown status of 2xx is read as 200',
    rfc(9110, '15'),
    crlf('HTTP/1.1 299 Fine', html, size, close) + page,
    'MUST',
  ],
  [
    'type-missing',
    'a page without Content-Type is looked at',
    'https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type',
    crlf(ok, size, close) + page,
    'practice',
  ],
  [
    'type-case',
    'the media type is read without regard to case',
    rfc(9110, '8.3.1'),
    crlf(ok, 'Content-Type: TEXT/HTML', size, close) + page,
    'MUST',
  ],
  [
    'type-parameters',
    'parameters of the media type are ignored if unknown',
    rfc(9110, '8.3.1'),
    crlf(ok, 'Content-Type: text/html;level=1 ; charset=utf-8;', size, close) + page,
    'MUST',
  ],
];

/** A page sent with a coding that the request offered; without it if the request offered none. */
const coded =
  (coding: string, body: (text: string) => Buffer, sent = coding): Page =>
  ({ header }) => {
    if (!new RegExp(`\\b${coding}\\b`).test(header('accept-encoding'))) return page;
    return { headers: [['Content-Encoding', sent]], body: body(page) };
  };

const codings: readonly (readonly [name: string, title: string, answer: Page, level: Level])[] = [
  ['gzip', 'a page sent with gzip is read', coded('gzip', gzipSync), 'MUST'],
  ['x-gzip', 'x-gzip is gzip', coded('gzip', gzipSync, 'x-gzip'), 'SHOULD'],
  ['gzip-case', 'the name of a coding is read without regard to case', coded('gzip', gzipSync, 'GZip'), 'MUST'],
  [
    'gzip-members',
    'a gzip body of two members is read',
    coded('gzip', (text) => Buffer.concat([gzipSync(text.slice(0, half)), gzipSync(text.slice(half))])),
    'MUST',
  ],
  [
    'gzip-trailing-bytes',
    'bytes after a gzip body do not spoil it',
    coded('gzip', (text) => Buffer.concat([gzipSync(text), Buffer.alloc(8)])),
    'practice',
  ],
  ['deflate', 'a page sent with deflate is read', coded('deflate', deflateSync), 'MUST'],
  [
    'deflate-raw',
    'a page sent with deflate but without the zlib wrapper is read',
    coded('deflate', deflateRawSync),
    'practice',
  ],
  ['brotli', 'a page sent with br is read', coded('br', brotliCompressSync), 'MUST'],
  [
    'coding-list',
    'codings in a list are undone from last to first',
    coded('gzip', (text) => gzipSync(gzipSync(text)), 'gzip, gzip'),
    'practice',
  ],
  [
    'identity',
    'the coding identity changes nothing',
    { headers: [['Content-Encoding', 'identity']], body: page },
    'practice',
  ],
];

/** Types that are not pages: the text of a link in them is not a link. */
const otherTypes: readonly (readonly [name: string, type: string])[] = [
  ['plain-text', 'text/plain'],
  ['json', 'application/json'],
  ['image', 'image/png'],
  ['script', 'text/javascript'],
];

const header =
  (name: string, is: (value: string | undefined) => boolean, why: string) =>
  ({ requests }: Visit): Fault | undefined => {
    const wrong = requests.filter((request) => !is(headerOf(request, name)));
    return wrong.length > 0 ? { why, requests: wrong } : undefined;
  };

const sent: readonly Check[] = [
  check('http/accepts-gzip', 'practice', rfc(9110, '12.5.3'), 'the crawler offers to take compressed pages', {
    weight: 2,
    fault: ({ asked }) => {
      const requests = asked('/').filter((request) => !/\bgzip\b/.test(headerOf(request, 'accept-encoding') ?? ''));
      return requests.length > 0 ? { why: 'Accept-Encoding does not offer gzip.', requests } : undefined;
    },
    planted: () => [{ key: '/robots.txt' }, { key: '/', headers: { 'accept-encoding': 'identity' } }],
  }),
  check('http/sends-host', 'MUST', rfc(9112, '3.2'), 'each request has a Host header', {
    fault: header('host', (value) => value !== undefined && value !== '', 'Host is missing.'),
    planted: () => [{ key: '/robots.txt' }, { key: '/', headers: { host: '' } }],
  }),
  check('http/sends-accept', 'practice', rfc(9110, '12.5.1'), 'an Accept header, if sent, takes HTML', {
    fault: header(
      'accept',
      (value) => value === undefined || /text\/html|text\/\*|\*\/\*/.test(value),
      'Accept refuses HTML.',
    ),
    planted: () => [{ key: '/robots.txt' }, { key: '/', headers: { accept: 'application/json' } }],
  }),
  check('http/no-body-in-get', 'SHOULD', rfc(9110, '9.3.1'), 'a GET request has no body', {
    fault: header('content-length', (value) => value === undefined || value === '0', 'A request announced a body.'),
    planted: () => [{ key: '/robots.txt' }, { key: '/', body: 'a=1' }],
  }),
];

export const httpChecks: readonly Check[] = [
  ...rows.map(([name, title, source, raw, level = 'MUST']) =>
    check(`http/${name}`, level, source, title, { pages: { '/': { raw } satisfies Reply }, want: ['/x'] }),
  ),
  ...codings.map(([name, title, answer, level]) =>
    check(`http/${name}`, level, rfc(9110, '8.4'), title, { pages: { '/': answer }, want: ['/x'] }),
  ),
  ...otherTypes.map(([name, type]) =>
    check(
      `http/not-html-${name}`,
      'practice',
      'https://mimesniff.spec.whatwg.org/#no-sniff-flag',
      `a body of ${type} is not read as HTML`,
      {
        pages: {
          '/': linksTo('/data', '/control'),
          '/data': { type, headers: [['X-Content-Type-Options', 'nosniff']], body: page },
        },
        control: '/data',
        never: ['/x'],
      },
    ),
  ),
  check('http/extra-bytes', 'MUST', rfc(9112, '6.3'), 'bytes after the Content-Length are no part of the page', {
    pages: { '/': { raw: `${crlf(ok, html, size, close)}${page}<a href="/smuggled">x</a>` } },
    want: ['/x'],
    never: ['/smuggled'],
  }),
  check(
    'http/closed-while-idle',
    'MUST',
    rfc(9112, '9.3.1'),
    'a connection that the server closes without notice costs no page',
    {
      pages: { '/': { raw: crlf(ok, html, size) + page } },
      want: ['/x'],
    },
  ),
  check('http/status-204', 'MUST', rfc(9110, '15.3.5'), 'a page that answers 204 does not hold up the host', {
    pages: { '/': linksTo('/empty', '/x'), '/empty': { status: 204, type: '' } },
    want: ['/empty', '/x'],
  }),
  check('http/unknown-coding', 'SHOULD', rfc(9110, '8.4'), 'a body in an unknown coding is not read as a page', {
    pages: { '/': linksTo('/odd', '/a'), '/odd': { headers: [['Content-Encoding', 'x-secret']], body: page } },
    control: '/odd',
    never: ['/x'],
  }),
  ...sent,
];
