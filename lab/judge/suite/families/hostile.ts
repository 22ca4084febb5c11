/** Hostile pages and servers, which cost memory, time or the process; a neighbour host must not notice. */
import { deflateRawSync, gzipSync } from 'node:zlib';
import { type Check, check, type Fault, linksTo, type Page, type Reply, rfc, type Visit } from '../check/check.ts';
import { headerOf } from '../check/verdict.ts';

const owasp = 'https://cheatsheetseries.owasp.org/cheatsheets/Denial_of_Service_Cheat_Sheet.html';
const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nConnection: close\r\n\r\n';

const key = (path: string) => ({ key: path, waitMs: 0 });
const bytesMax = 64 << 20;

function bounded(path: string) {
  return ({ asked, pace }: Visit): Fault | undefined => {
    const large = asked(path).filter(({ bytes }) => bytes > bytesMax);
    if (large.length > 0) return { why: `It took ${large[0]!.bytes >> 20} MiB.`, requests: large };
    const long = asked(path).filter(
      ({ startMs, endMs }) => Number.isFinite(endMs) && endMs - startMs > pace.patienceSeconds * 1000,
    );
    if (long.length > 0) return { why: 'It stayed too long.', requests: long };
    return undefined;
  };
}

/** After a page that would end a careless crawler, another page of the host must be fetched. */
function survived(name: string, title: string, page: Page, weight = 2, source = owasp): Check {
  return check(`hostile/${name}`, 'practice', source, title, {
    pages: { '/': linksTo('/bad', '/after'), '/bad': page },
    want: ['/bad', '/after'],
    weight,
  });
}

const endless = (piece: Buffer, sent = head): Reply => ({
  pieces: { head: sent, piece, count: Math.ceil((80 << 20) / piece.length), everyMs: 0 },
});

const nested = (tag: string, times: number) => `<!doctype html><title>t</title>${`<${tag}>`.repeat(times)}deep`;

/** Times of zeros that a bomb of a few KB holds. */
const bomb = gzipSync(Buffer.alloc(48 << 20));

export const hostileChecks: readonly Check[] = [
  check('hostile/endless-page', 'practice', owasp, 'a page without end is left within 64 MiB', {
    pages: { '/': linksTo('/bad', '/control'), '/bad': endless(Buffer.from(`<p>${'x'.repeat(65_529)}</p>`)) },
    control: '/bad',
    weight: 4,
    fault: bounded('/bad'),
    honest: () => [key('/robots.txt'), key('/'), { ...key('/bad'), bytesMax: 1 << 20 }],
    planted: () => [key('/robots.txt'), key('/'), key('/bad')],
  }),
  check('hostile/endless-headers', 'practice', owasp, 'headers without end are left within 64 MiB', {
    pages: {
      '/': linksTo('/bad', '/control'),
      '/bad': endless(Buffer.from(`X-Fill: ${'x'.repeat(65_526)}\r\n`), 'HTTP/1.1 200 OK\r\n'),
    },
    control: '/bad',
    weight: 4,
    fault: bounded('/bad'),
    honest: () => [key('/robots.txt'), key('/'), { ...key('/bad'), holdMs: 100 }],
    planted: () => [key('/robots.txt'), key('/'), { ...key('/bad'), anyBytes: true }],
  }),
  check(
    'hostile/slow-page',
    'practice',
    'https://en.wikipedia.org/wiki/Slowloris_(computer_security)',
    'a page that comes byte by byte is left within a minute',
    {
      pages: {
        '/': linksTo('/bad', '/control'),
        '/bad': { pieces: { head, piece: Buffer.from('x'), count: 180, everyMs: 500 } },
      },
      control: '/bad',
      weight: 2,
      fault: bounded('/bad'),
      honest: () => [key('/robots.txt'), key('/'), { ...key('/bad'), holdMs: 100 }],
      planted: ({ patienceSeconds }) => [
        key('/robots.txt'),
        key('/'),
        { ...key('/bad'), holdMs: patienceSeconds * 1000 + 300 },
      ],
    },
  ),
  survived(
    'gzip-bomb',
    'a page that unpacks to a thousand times its size does not end the visit',
    { headers: [['Content-Encoding', 'gzip']], body: bomb },
    4,
    'https://en.wikipedia.org/wiki/Zip_bomb',
  ),
  survived('gzip-broken', 'a page with broken gzip does not end the visit', {
    headers: [['Content-Encoding', 'gzip']],
    body: Buffer.from('not gzip at all'),
  }),
  survived('gzip-cut', 'a page with gzip that breaks off does not end the visit', {
    headers: [['Content-Encoding', 'gzip']],
    body: gzipSync('<p>text</p>'.repeat(1_000)).subarray(0, 40),
  }),
  survived('deflate-broken', 'a page with broken deflate does not end the visit', {
    headers: [['Content-Encoding', 'deflate']],
    body: deflateRawSync('<p>text</p>').subarray(0, 5),
  }),
  survived('deep-nesting', 'a page with 50,000 nested elements does not end the visit', nested('div', 50_000), 3),
  survived(
    'deep-formatting',
    'a page with 5,000 open formatting elements does not end the visit',
    `${nested('b', 5_000)}${'<p>'.repeat(50)}`,
  ),
  survived(
    'many-links',
    'a page with 20,000 links to parts of itself does not end the visit',
    linksTo(...Array.from({ length: 20_000 }, (_, n) => `#part${n}`)),
    2,
  ),
  survived(
    'long-attribute',
    'an attribute of 2 MB does not end the visit',
    `<!doctype html><title>t</title><a href="/${'x'.repeat(2 << 20)}">x</a>`,
  ),
  survived(
    'long-line-of-brackets',
    'a page of 200,000 open brackets does not end the visit',
    `<!doctype html>${'<'.repeat(200_000)}`,
  ),
  survived(
    'unclosed-comment',
    'a comment that never ends does not end the visit',
    `<!doctype html><!--${'-- >'.repeat(50_000)}`,
  ),
  survived(
    'many-attributes',
    'an element with 20,000 attributes does not end the visit',
    `<!doctype html><p ${Array.from({ length: 20_000 }, (_, n) => `a${n}=1`).join(' ')}>x</p>`,
  ),
  survived(
    'not-http',
    'an answer that is no HTTP does not end the visit',
    { raw: 'SSH-2.0-OpenSSH_9.6\r\n' },
    2,
    rfc(9112, '4'),
  ),
  survived(
    'bad-status',
    'a status line without a number does not end the visit',
    { raw: 'HTTP/1.1 abc Nonsense\r\n\r\n' },
    2,
    rfc(9112, '4'),
  ),
  survived(
    'status-999',
    'a status of 999 does not end the visit',
    { raw: 'HTTP/1.1 999 Denied\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' },
    2,
    rfc(9110, '15'),
  ),
  survived('empty-answer', 'an answer of no bytes does not end the visit', { raw: '' }, 2, rfc(9112, '8')),
  survived('reset', 'a broken connection does not end the visit', { reset: true }, 2, rfc(9112, '9.5')),
  survived(
    'bad-chunk-size',
    'a chunk of an absurd size does not end the visit',
    {
      raw: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nFFFFFFFFFFFFFFFFF\r\nx',
    },
    2,
    rfc(9112, '7.1'),
  ),
  survived(
    'bad-length',
    'a Content-Length that is no number does not end the visit',
    { raw: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: many\r\nConnection: close\r\n\r\nx' },
    2,
    rfc(9112, '6.3'),
  ),
  survived(
    'lengths-differ',
    'two Content-Length headers that differ do not end the visit',
    {
      raw: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1\r\nContent-Length: 9\r\nConnection: close\r\n\r\nx',
    },
    2,
    rfc(9112, '6.3'),
  ),
  survived(
    'bad-charset',
    'a charset that does not exist does not end the visit',
    { type: 'text/html; charset=\u00ff\u00fe', body: '<p>x' },
    2,
  ),
  survived(
    'bad-date',
    'dates that are none do not end the visit',
    {
      headers: [
        ['Date', 'never'],
        ['Last-Modified', '-1'],
        ['Expires', '0'],
        ['Age', '-5'],
      ],
      body: 'x',
    },
    1,
    rfc(9110, '5.6.7'),
  ),
  check(
    'hostile/cookie-flood',
    'SHOULD',
    rfc(6265, '6.1'),
    'a host that sets 200 large cookies gets at most 16 KiB of them back',
    {
      pages: {
        '/': {
          headers: Array.from({ length: 200 }, (_, n) => ['Set-Cookie', `c${n}=${'x'.repeat(1_000)}`] as const),
          body: linksTo('/a', '/b'),
        },
      },
      want: ['/a', '/b'],
      fault: ({ requests }) => {
        const heavy = requests.filter((request) => (headerOf(request, 'cookie') ?? '').length > 16 << 10);
        return heavy.length > 0 ? { why: 'Cookie was too long.', requests: heavy } : undefined;
      },
      planted: () => [
        key('/robots.txt'),
        key('/'),
        key('/a'),
        { ...key('/b'), headers: { cookie: `c=${'x'.repeat(17 << 10)}` } },
      ],
    },
  ),
];
