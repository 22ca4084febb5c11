/** Duplicates and waste: requests that bring nothing new. Conditional requests of a crawler that returns. */
import { type Check, check, linksTo, type Page, rfc, type Visit } from '../check/check.ts';
import { headerOf } from '../check/verdict.ts';

const duplicates = 'https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls';
const normal = (section: string) => rfc(3986, section);

const key = (path: string, waitMs = 0) => ({ key: path, waitMs });

/** All spellings together may be requested once. */
function once(
  name: string,
  title: string,
  source: string,
  hrefs: readonly string[],
  keys: readonly string[],
  weight = 1,
): Check {
  return check(`waste/${name}`, 'practice', source, title, {
    pages: {
      '/': `<!doctype html><title>t</title>${hrefs.map((href) => `<a href="${href}">x</a>`).join('\n')}<a href="/control">x</a>`,
      ...Object.fromEntries(keys.map((one) => [one, '<title>same</title><p>The same page.</p>'])),
    },
    control: '/control',
    want: [keys],
    weight,
    fault: ({ requests }) => {
      const asked = requests.filter((request) => keys.includes(request.key));
      return asked.length > 1
        ? { why: `The same page was fetched ${asked.length} times.`, requests: asked }
        : undefined;
    },
    honest: () => ['/robots.txt', '/', '/control', keys[0]!].map((one) => key(one)),
    planted: () => ['/robots.txt', '/', '/control', keys[0]!, keys.at(-1)!].map((one) => key(one)),
  });
}

/** A resource that is not a page. */
function unwanted(name: string, title: string, markup: string, paths: readonly string[]): Check {
  return check(`waste/${name}`, 'practice', 'https://commoncrawl.org/faq', title, {
    pages: { '/': `<!doctype html><title>t</title>${markup}<a href="/control">x</a>` },
    control: '/control',
    never: paths,
  });
}

const megabyte = Buffer.alloc(1 << 20, 'x');

const download = (type: string): Page => ({
  pieces: {
    head: `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nContent-Length: ${24 << 20}\r\nConnection: close\r\n\r\n`,
    piece: megabyte,
    count: 24,
    everyMs: 0,
  },
});

const downloads: readonly Check[] = [
  ['zip', 'application/zip', 'an archive of 24 MiB is left before 16 MiB'],
  ['video', 'video/mp4', 'a video of 24 MiB is left before 16 MiB'],
  ['binary', 'application/octet-stream', 'a download of 24 MiB is left before 16 MiB'],
].map(([name, type, title]) =>
  check(`waste/large-${name}`, 'practice', rfc(9110, '8.3'), title!, {
    pages: { '/': linksTo('/get', '/control'), '/get': download(type!) },
    control: '/control',
    weight: 2,
    fault: ({ asked }) => {
      const requests = asked('/get').filter(({ bytes }) => bytes > 16 << 20);
      return requests.length > 0 ? { why: `It took ${requests[0]!.bytes >> 20} MiB.`, requests } : undefined;
    },
    honest: () => ['/robots.txt', '/', '/control'].map((one) => key(one)),
    planted: () => ['/robots.txt', '/', '/control', '/get'].map((one) => key(one)),
  }),
);

export const wasteChecks: readonly Check[] = [
  once('linked-often', 'a page that is linked ten times is fetched once', duplicates, Array(10).fill('/x'), ['/x'], 3),
  check('waste/linked-from-many', 'practice', duplicates, 'a page that ten pages link is fetched once', {
    pages: { '/': linksTo(...Array.from({ length: 10 }, (_, i) => `/p${i}`)), '/p*': linksTo('/x', '/') },
    want: ['/x'],
    weight: 3,
    fault: ({ asked }) =>
      asked('/x').length > 1 || asked('/').length > 1
        ? { why: 'A page was fetched twice.', requests: [...asked('/x'), ...asked('/')] }
        : undefined,
    planted: () => ['/robots.txt', '/', '/p0', '/x', '/p1', '/x'].map((one) => key(one)),
  }),
  once('fragments', 'links with different fragments are one page', normal('3.5'), ['/x#a', '/x#b', '/x'], ['/x'], 2),
  once(
    'dot-segments',
    'links with and without dot segments are one page',
    normal('6.2.2.3'),
    ['/x', '/a/../x', '/./x'],
    ['/x', '/a/../x', '/./x'],
    2,
  ),
  once(
    'host-case',
    'links with the host in other case are one page',
    normal('6.2.2.1'),
    ['{host}/x', 'HTTP://{name}:{port}/x', '/x'],
    ['/x'],
    2,
  ),
  once(
    'escaped-unreserved',
    'links with and without an escaped letter are one page',
    normal('6.2.2.2'),
    ['/xyz', '/x%79z'],
    ['/xyz', '/x%79z'],
  ),
  once(
    'escape-case',
    'links with escapes in other case are one page',
    normal('6.2.2.1'),
    ['/%C3%B8', '/%c3%b8'],
    ['/%C3%B8', '/%c3%b8'],
  ),
  once('empty-query', 'links with and without an empty query are one page', duplicates, ['/x', '/x?'], ['/x', '/x?']),
  once(
    'utm',
    'links with and without utm parameters are one page',
    'https://support.google.com/analytics/answer/10917952',
    ['/x', '/x?utm_source=a&amp;utm_medium=b', '/x?utm_source=c'],
    ['/x', '/x?utm_source=a&utm_medium=b', '/x?utm_source=c'],
  ),
  once(
    'click-ids',
    'links with and without fbclid or gclid are one page',
    duplicates,
    ['/x', '/x?fbclid=1', '/x?gclid=2'],
    ['/x', '/x?fbclid=1', '/x?gclid=2'],
  ),
  once(
    'jsessionid',
    'links with different jsessionid parameters are one page',
    'https://jakarta.ee/specifications/servlet/6.0/',
    ['/x', '/x;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9', '/x;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F0'],
    ['/x', '/x;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F9', '/x;jsessionid=0A1B2C3D4E5F60718293A4B5C6D7E8F0'],
  ),
  once(
    'phpsessid',
    'links with different PHPSESSID parameters are one page',
    'https://www.php.net/manual/en/session.idpassing.php',
    ['/x', '/x?PHPSESSID=0123456789abcdef0123456789abcdef', '/x?PHPSESSID=0123456789abcdef0123456789abcde0'],
    ['/x', '/x?PHPSESSID=0123456789abcdef0123456789abcdef', '/x?PHPSESSID=0123456789abcdef0123456789abcde0'],
  ),
  unwanted(
    'images',
    'images of a page are not fetched',
    '<img src="/i.png" alt=""><picture><source srcset="/j.webp 2x"></picture>',
    ['/i.png', '/j.webp'],
  ),
  unwanted(
    'lazy-images',
    'images named by data attributes are not fetched',
    '<img data-src="/i.jpg" data-srcset="/j.jpg 1x" alt="">',
    ['/i.jpg', '/j.jpg'],
  ),
  unwanted(
    'stylesheets',
    'stylesheets are not fetched',
    '<link rel="stylesheet" href="/s.css"><style>@import "/t.css";</style>',
    ['/s.css', '/t.css'],
  ),
  unwanted(
    'scripts',
    'scripts are not fetched',
    '<script src="/s.js"></script><link rel="modulepreload" href="/m.js">',
    ['/s.js', '/m.js'],
  ),
  unwanted(
    'icons',
    'icons are not fetched',
    '<link rel="icon" href="/icon.png"><link rel="apple-touch-icon" href="/touch.png">',
    ['/icon.png', '/touch.png', '/favicon.ico'],
  ),
  unwanted(
    'prefetch',
    'resources to prefetch are not fetched',
    '<link rel="prefetch" href="/p"><link rel="preconnect" href="/q"><link rel="dns-prefetch" href="/r">',
    ['/p', '/q', '/r'],
  ),
  unwanted(
    'media',
    'audio and video of a page are not fetched',
    '<video src="/v.mp4" poster="/v.jpg"></video><audio src="/a.mp3"></audio>',
    ['/v.mp4', '/v.jpg', '/a.mp3'],
  ),
  check('waste/head-before-get', 'practice', rfc(9110, '9.3.2'), 'a page is not asked for by HEAD before GET', {
    want: ['/x'],
    fault: ({ requests }) => {
      const heads = requests.filter(({ method }) => method === 'HEAD');
      return heads.length > 0 ? { why: 'HEAD came too.', requests: heads } : undefined;
    },
    planted: () => [key('/robots.txt'), key('/'), { ...key('/x'), method: 'HEAD' }, key('/x')],
  }),
  ...downloads,
];

/** A second request for a page must send the validators of the first answer. */
function again(
  name: string,
  title: string,
  section: string,
  headers: readonly (readonly [string, string])[],
  field: string,
  value: string,
): Check {
  return check(`again/${name}`, 'SHOULD', rfc(9110, section), title, {
    pages: {
      '/x': ({ header }) =>
        header(field) === value ? { status: 304, headers } : { headers, body: '<title>x</title>' },
    },
    want: [],
    control: '/x',
    fault: ({ asked }: Visit) => {
      const requests = asked('/x')
        .slice(1)
        .filter((request) => headerOf(request, field) !== value);
      return requests.length > 0 ? { why: `It came again without ${field}: ${value}.`, requests } : undefined;
    },
    honest: () => [key('/robots.txt'), key('/'), key('/x'), { ...key('/x'), headers: { [field]: value } }],
    planted: () => [key('/robots.txt'), key('/'), key('/x'), key('/x')],
  });
}

const modified = 'Thu, 01 Jan 2026 00:00:00 GMT';

export const againChecks: readonly Check[] = [
  again(
    'etag',
    'a page with an ETag is asked for again with If-None-Match',
    '13.1.2',
    [['ETag', '"one"']],
    'if-none-match',
    '"one"',
  ),
  again('weak-etag', 'a weak ETag is sent back as it came', '8.8.3', [['ETag', 'W/"one"']], 'if-none-match', 'W/"one"'),
  again(
    'last-modified',
    'a page with Last-Modified is asked for again with If-Modified-Since',
    '13.1.3',
    [['Last-Modified', modified]],
    'if-modified-since',
    modified,
  ),
  again(
    'both',
    'a page with ETag and Last-Modified is asked for again with If-None-Match',
    '13.1.3',
    [
      ['ETag', '"two"'],
      ['Last-Modified', modified],
    ],
    'if-none-match',
    '"two"',
  ),
  check(
    'again/no-validator',
    'MUST',
    rfc(9110, '13.1.2'),
    'a page without validators is not asked for with If-None-Match',
    {
      control: '/x',
      fault: ({ asked }) => {
        const requests = asked('/x').filter((request) => headerOf(request, 'if-none-match') !== undefined);
        return requests.length > 0 ? { why: 'If-None-Match came from nowhere.', requests } : undefined;
      },
      planted: () => [key('/robots.txt'), key('/'), { ...key('/x'), headers: { 'if-none-match': '"x"' } }],
    },
  ),
  check('again/no-range', 'practice', rfc(9110, '14.2'), 'a page is not asked for in ranges', {
    control: '/x',
    fault: ({ requests }) => {
      const ranged = requests.filter((request) => headerOf(request, 'range') !== undefined);
      return ranged.length > 0 ? { why: 'Range was sent.', requests: ranged } : undefined;
    },
    planted: () => [key('/robots.txt'), key('/'), { ...key('/x'), headers: { range: 'bytes=0-99' } }],
  }),
];
