/** WARC files of any tool, read again as a crawl would have: what each response becomes, and what is counted. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Replayed } from '../../../../services/extras/archive/replay-answer.ts';
import { replayFiles } from '../../../../services/extras/archive/replay-files.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

interface Answer {
  readonly url: string;
  readonly type?: 'response' | 'revisit' | 'request';
  readonly status?: number;
  readonly headers?: readonly string[];
  readonly body?: string | Buffer;
  readonly fields?: readonly string[];
  /** Lines of the metadata record that follows. */
  readonly about?: string;
}

const date = '2026-01-02T03:04:05Z';
const html = 'Content-Type: text/html';
const zipped = ['Content-Type: application/gzip'];

function recordOf(type: string, fields: readonly string[], block: Buffer): Buffer {
  const head = ['WARC/1.1', `WARC-Type: ${type}`, ...fields, `Content-Length: ${block.length}`];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), block, Buffer.from('\r\n\r\n')]);
}

function warcOf(...answers: readonly Answer[]): string {
  const file = join(temporaryFolder(), 'a.warc');
  const records = answers.flatMap((answer, n) => {
    const { url, type = 'response', status = 200, headers = [html], body = '', fields = [], about } = answer;
    const lines = [`HTTP/1.1 ${status} Reason`, ...headers].join('\r\n');
    const block = Buffer.concat([Buffer.from(`${lines}\r\n\r\n`), Buffer.from(body)]);
    const own = [`WARC-Target-URI: ${url}`, `WARC-Date: ${date}`, `WARC-Record-ID: <${n}>`, ...fields];
    return [
      recordOf(type, own, block),
      ...(about === undefined ? [] : [recordOf('metadata', [`WARC-Concurrent-To: <${n}>`], Buffer.from(about))]),
    ];
  });
  writeFileSync(file, Buffer.concat(records));
  return file;
}

/** What the answers of files become, in order. */
async function replayed(...files: readonly string[]) {
  const taken: Replayed[] = [];
  const counts = await replayFiles(files, 'host', async (one) => void taken.push(one));
  return { counts, taken };
}

async function only(answer: Answer) {
  const { taken } = await replayed(warcOf(answer));
  assert.equal(taken.length, 1);
  return taken[0]!;
}

const asOf = async (answer: Answer) => (await only(answer)).as;

/** Links by target host, with the depth of each group. */
function linksOf(one: Replayed) {
  assert.ok('report' in one);
  return one.report.groups.map(({ depth, foundIn, intent, links }) => [
    ...[depth, foundIn, intent],
    ...links.map(({ url }) => url),
  ]);
}

const sitemap = (...urls: readonly string[]) =>
  `<?xml version="1.0"?><urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`;

test('the responses of WARC files are counted by what they are', async () => {
  const first = warcOf(
    { url: 'http://a.test/robots.txt', headers: ['Content-Type: text/plain'], body: 'User-agent: *\nDisallow:' },
    { url: '<http://a.test/>', body: '<a href=/b>b</a><a href=/c>c</a>', fields: ['WARC-Payload-Digest: sha1:A'] },
    { url: 'http://a.test/old', status: 301, headers: ['Location: /new'] },
    { url: 'http://a.test/sitemap.xml', body: sitemap('http://a.test/d') },
    { url: 'http://a.test/', type: 'request' },
    { url: 'http://a.test/gone', status: 404 },
    { url: 'dns:a.test', body: 'a.test. 1 IN A 127.0.0.1' },
  );
  const second = warcOf(
    { url: 'http://a.test/copy', type: 'revisit', fields: ['WARC-Payload-Digest: sha1:A'] },
    { url: 'http://a.test/lost', type: 'revisit', fields: ['WARC-Payload-Digest: sha1:B'] },
    { url: 'http://a.test/image', headers: ['Content-Type: image/png'], body: 'png' },
  );
  const { counts, taken } = await replayed(first, second);
  assert.deepEqual(counts, { pages: 2, links: 4, redirects: 1, sitemaps: 1, robots: 1, other: 2, lost: 1 });
  assert.deepEqual(
    taken.map(({ as }) => as),
    ['robots', 'page', 'redirect', 'sitemap', 'other', 'page', 'other'],
  );
  const [, page, redirect] = taken;
  assert.deepEqual(linksOf(page!), [[1, 'unknown', 'discover', 'http://a.test/b', 'http://a.test/c']]);
  assert.deepEqual(linksOf(redirect!), [[0, 'unknown', 'discover', 'http://a.test/new']]);
});

test('a page has its own time, address, status and text, out of its content coding', async () => {
  const one = await only({
    url: 'HTTP://A.test/x',
    headers: [html, 'Content-Encoding: gzip'],
    body: gzipSync('<title>Frogs</title><p>seven frogs'),
    fields: ['WARC-IP-Address: 127.0.0.9'],
    about: 'depth: 3',
  });
  assert.ok(one.as === 'page' && one.report.page !== null);
  const { title, text, fetchedAtMs, status, depth } = one.report.page;
  assert.deepEqual([title, text.trim(), status, depth], ['Frogs', 'seven frogs', 200, 3]);
  assert.equal(fetchedAtMs, Date.parse(date));
});

test('a revisit is a page only if an earlier record of these files has its payload', async () => {
  const digest = (name: string) => [`WARC-Payload-Digest: sha1:${name}`];
  const page = { url: 'http://a.test/', body: '<title>Pond</title>', fields: digest('A') };
  const copy = { url: 'http://a.test/copy', type: 'revisit' as const, fields: digest('A') };
  const lost = async (...answers: readonly Answer[]) => (await replayed(warcOf(...answers))).counts.lost;
  assert.equal(await lost(page, copy), 0);
  assert.equal(await lost(copy, page), 1);
  assert.equal(await lost({ ...page, fields: [] }, { ...copy, fields: [] }), 1);
  assert.equal(await lost({ ...page, fields: digest('C') }, copy), 1);
  const [, again] = (await replayed(warcOf(page, copy))).taken;
  assert.ok(again?.as === 'page');
  assert.deepEqual([again.report.page?.url, again.report.page?.title], ['http://a.test/copy', 'Pond']);
});

test('a body that cannot be decoded is no page, and one that was cut is a page with its beginning', async () => {
  const packed = { url: 'http://a.test/', headers: [html, 'Content-Encoding: br'], body: 'no brotli' };
  assert.equal(await asOf(packed), 'other');
  const cut = await only({ url: 'http://a.test/', body: '<title>A</title>', fields: ['WARC-Truncated: length'] });
  assert.ok(cut.as === 'page');
  assert.equal(cut.report.page?.truncated, true);
  const whole = await only({ url: 'http://a.test/', body: '<title>A</title>' });
  assert.ok(whole.as === 'page');
  assert.equal(whole.report.page?.truncated, false);
});

test('a robots.txt is copied with its rules for this crawler, if it is a text with status 200', async () => {
  const url = 'http://a.test:8080/robots.txt';
  const text = 'User-agent: *\nDisallow: /x\nCrawl-delay: 2.5\n';
  const one = await only({ url, body: text });
  assert.deepEqual(one, {
    as: 'robots',
    copy: {
      ...{ origin: 'http://a.test:8080', url, status: 200, token: 'crawlstream', fetchedAtMs: Date.parse(date) },
      ...{ hash: hash('sha256', text, 'hex').slice(0, 32), crawlDelayMs: 2_500, body: Buffer.from(text) },
    },
  });
  const without = await only({ url, body: 'User-agent: *\nDisallow: /x\n' });
  assert.ok(without.as === 'robots');
  assert.equal(without.copy.crawlDelayMs, -1);
  assert.equal(await asOf({ url, body: '' }), 'robots');
  assert.equal(await asOf({ url, status: 404 }), 'other');
  assert.equal(await asOf({ url, body: `${text}\0` }), 'other');
  assert.equal(await asOf({ url, body: `${'#'.repeat(1_023)}\0` }), 'other');
  assert.equal(await asOf({ url, body: `${'#'.repeat(1_024)}\0` }), 'robots');
  assert.equal(await asOf({ url: 'http://a.test/rules', body: text, about: 'requestedAs: robots' }), 'robots');
  assert.equal(await asOf({ url: 'http://a.test/x/robots.txt', body: '<p>x' }), 'page');
});

test('a sitemap is recognised by its kind, or else by its root element or its name', async () => {
  const url = 'http://a.test/list';
  const body = sitemap('http://a.test/x');
  const bare = body.replace(/<\?.*?\?>/, '');
  for (const [about, answer] of [
    ['an XML declaration', { body }],
    ['its element alone', { body: bare }],
    ['blanks', { body: ` \n${body}` }],
    ['a byte order mark', { body: `\ufeff${body}` }],
    ['a comment', { body: `<?xml version="1.0"?><!-- made by x -->\n${bare}` }],
    ['a prefix', { body: '<s:urlset xmlns:s="x"></s:urlset>' }],
    ['attributes', { body: bare.replace('<urlset>', '<URLSET xmlns="x">') }],
    ['an index', { body: '<sitemapindex></sitemapindex>' }],
    ['gzip under its name', { url: 'http://a.test/x/My-Sitemap1.XML.gz', body: gzipSync(body) }],
    ['its kind', { body: 'http://a.test/x', about: 'requestedAs: sitemap' }],
  ] as const)
    assert.equal(await asOf({ url, ...answer }), 'sitemap', about);
  for (const [about, answer, as] of [
    ['another kind', { body, about: 'requestedAs: page' }, 'page'],
    ['an error', { body, status: 500 }, 'other'],
    ['another element', { body: '<urlsets></urlsets>' }, 'page'],
    ['gzip under another name', { url: 'http://a.test/pages.xml.gz', headers: zipped, body: gzipSync(body) }, 'other'],
    ['gzip of another type', { url: 'http://a.test/sitemap.gz', headers: zipped, body: gzipSync(body) }, 'other'],
    [
      'gzip in a folder of its name',
      { url: 'http://a.test/sitemap/x.xml.gz', headers: zipped, body: gzipSync(body) },
      'other',
    ],
  ] as const)
    assert.equal(await asOf({ url, ...answer }), as, about);
});

test('a sitemap gives links to its own host, and an index none', async () => {
  const url = 'http://a.test/dir/sitemap.xml';
  const urls = ['http://a.test/dir/x', 'http://a.test/y', 'https://a.test/z', 'http://b.test/w'];
  const one = await only({ url, body: sitemap(...urls), about: 'requestedAs: sitemap\ndepth: 3' });
  assert.deepEqual(linksOf(one), [
    [3, 'sitemap', 'discover', 'http://a.test/dir/x', 'http://a.test/y', 'https://a.test/z'],
  ]);
  const dated = '<urlset><url><loc>http://a.test/x</loc><lastmod>2026-01-01</lastmod></url></urlset>';
  assert.deepEqual(linksOf(await only({ url: 'http://a.test/sitemap.xml', body: dated })), [
    [1, 'sitemap', 'refresh', 'http://a.test/x'],
  ]);
  const index = '<sitemapindex><sitemap><loc>http://a.test/2.xml</loc></sitemap></sitemapindex>';
  assert.deepEqual(linksOf(await only({ url, body: index })), []);
  const packed = { url: 'http://a.test/sitemap.xml.gz', headers: zipped };
  const gz = await only({ ...packed, body: gzipSync(sitemap('http://a.test/x')) });
  assert.deepEqual(linksOf(gz), [[1, 'sitemap', 'discover', 'http://a.test/x']]);
});

test('a redirect of a page is followed, one of a sitemap or a requisite is not', async () => {
  const redirect = { url: 'http://a.test/', status: 302, headers: ['Location: http://b.test/x'] };
  for (const [kind, as] of [
    ['page', 'redirect'],
    ['', 'redirect'],
    ['sitemap', 'other'],
    ['requisite', 'other'],
    ['other', 'other'],
  ] as const)
    assert.equal(await asOf({ ...redirect, about: `requestedAs: ${kind}` }), as, kind);
  assert.equal(await asOf({ ...redirect, headers: [] }), 'other');
});
