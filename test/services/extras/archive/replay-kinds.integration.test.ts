/**
 * `warc replay` into a crawl takes each answer by its kind: pages, redirects, sitemaps, robots.txt, at the depth that the
 * archive tells. From our own archive, and from one in Heritrix's manner, made by warcio (PyPI's).
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { withCrawl } from '../../../../services/hosting/connect/open-crawl.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import type { AvroTopic } from '../../../../topology/topics.ts';
import { runPython } from '../../../kafka/python.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { warcioMissing } from './warcio.ts';

const folder = temporaryFolder();
const html = { 'content-type': 'text/html' };
const map = (base: string) =>
  `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url><loc>${base}/hidden</loc><lastmod>2026-05-04</lastmod></url><url><loc>http://elsewhere.test/</loc></url></urlset>`;

function recordsIn<T extends AvroTopic>(data: string, topic: T) {
  return withCrawl({ data, crawl: 'crawl' }, async ({ log, codec, topics }) => {
    const made = [];
    for (let partition = 0; partition < topics.partitions; partition++) {
      const { start, end } = await log.offsets(`${topics.crawl}.${topic}`, partition);
      for await (const { value } of recordsOf(log, `${topics.crawl}.${topic}`, partition, start, end)) {
        await codec.prepare(topic, value);
        made.push(codec.decode(topic, value));
      }
    }
    return made;
  });
}

/** Every link that was discovered, as `url depth hop intent day`. */
async function linksIn(data: string): Promise<string[]> {
  const groups = (await recordsIn(data, 'discovered')).flatMap((record) => record.groups);
  const reported = groups.flatMap(({ links, depth, hop, intent }) =>
    links.map(({ url, lastModifiedMs }) => {
      const day = lastModifiedMs > 0 ? new Date(lastModifiedMs).toISOString().slice(0, 10) : '';
      return `${new URL(url).pathname} ${depth} ${hop} ${intent} ${day}`.trim();
    }),
  );
  return reported.sort();
}

test('replaying our own archive reproduces the crawl’s outcomes', async () => {
  const site = createServer((request, response) => {
    const base = `http://${request.headers.host}`;
    switch (request.url) {
      case '/robots.txt':
        return response
          .writeHead(200, { 'content-type': 'text/plain' })
          .end(`Crawl-delay: 0\nSitemap: ${base}/map.xml.gz\n`);
      case '/map.xml.gz':
        return response.writeHead(200, { 'content-type': 'application/x-gzip' }).end(gzipSync(map(base)));
      case '/':
        return response.writeHead(200, html).end('<title>one</title><a href=/a>a</a>');
      case '/a':
        return response.writeHead(200, html).end('<title>two</title><a href=/old>old</a>');
      case '/old':
        return response.writeHead(301, { location: '/new' }).end();
      case '/new':
        return response.writeHead(200, html).end('<title>new</title>');
      case '/hidden':
        return response.writeHead(200, html).end('<title>hidden</title>');
      default:
        return response.writeHead(404, html).end();
    }
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const data = join(folder, 'data');
  const way = ['--allow-private', '--delay', '0', '--with', 'archive', '--archive', 'all', '--data', data];
  const crawled = await runCommand(['crawl', `http://localhost:${port}/`, ...way]);
  site.close();
  assert.equal(crawled.code, 0, crawled.stderr);
  const archive = join(data, 'archive');
  const files = readdirSync(archive)
    .filter((name) => name.endsWith('.warc.gz'))
    .map((name) => join(archive, name));
  const again = join(folder, 'again');
  const replayed = await runCommand(['warc', 'replay', ...files, '--data', again, '--json']);
  assert.equal(replayed.code, 0, replayed.stderr);
  assert.deepEqual(lastJson(replayed), { pages: 4, links: 2, redirects: 1, sitemaps: 1, robots: 1, other: 0, lost: 0 });
  const seeds = new Set(['/ 0 0 discover']);
  const live = (await linksIn(data)).filter((link) => !seeds.has(link));
  assert.deepEqual(await linksIn(again), live);
  assert.deepEqual(live, [
    '/a 1 0 discover',
    '/hidden 1 0 refresh 2026-05-04',
    '/new 2 1 discover',
    '/old 2 0 discover',
  ]);
  const depths = (await recordsIn(again, 'pages')).map(({ url, depth }) => `${new URL(url).pathname} ${depth}`);
  assert.deepEqual(depths.sort(), ['/ 0', '/a 1', '/hidden 1', '/new 2']);
  const copies = await recordsIn(again, 'robots');
  const known = await recordsIn(data, 'robots');
  const reported = ({ origin, hash, status, body }: (typeof known)[number]) => [origin, hash, status, `${body}`];
  assert.deepEqual(copies.map(reported), known.map(reported));
});

test('replaying an archive in Heritrix’s form gives pages at the depth of their hops', {
  skip: warcioMissing,
}, async () => {
  const file = join(folder, 'heritrix.warc.gz');
  // As Heritrix 3 writes them: response, request, metadata with hopsFromSeed (L a link, R a redirect, E an embed).
  const writing = `
import io, sys
from warcio.warcwriter import WARCWriter
from warcio.statusandheaders import StatusAndHeaders
with open(sys.argv[1], 'wb') as out:
    writer = WARCWriter(out, gzip=True)
    def put(url, status, headers, body, hops):
        head = StatusAndHeaders(status, headers, protocol='HTTP/1.1')
        response = writer.create_warc_record(url, 'response', payload=io.BytesIO(body), http_headers=head)
        about = {'WARC-Concurrent-To': response.rec_headers.get_header('WARC-Record-ID')}
        request = writer.create_warc_record(url, 'request', http_headers=StatusAndHeaders('GET / HTTP/1.0', [], is_http_request=True), warc_headers_dict=about)
        lines = ('hopsFromSeed: ' + hops + '\\r\\nfetchTimeMs: 12\\r\\n').encode() if hops else b'force-fetch:\\r\\nseed:\\r\\n'
        metadata = writer.create_warc_record(url, 'metadata', payload=io.BytesIO(lines), length=len(lines), warc_content_type='application/warc-fields', warc_headers_dict=about)
        for record in (response, request, metadata): writer.write_record(record)
    html = [('Content-Type', 'text/html')]
    put('http://pond.test/robots.txt', '301 Moved', [('Location', '/legal/robots.txt')], b'', 'P')
    put('http://pond.test/', '200 OK', html, b'<title>one</title><a href=/a>a</a>', '')
    put('http://pond.test/old', '302 Found', [('Location', '/new')], b'', 'LL')
    put('http://pond.test/new', '200 OK', html, b'<title>new</title><a href=/last>l</a>', 'LLR')
    put('http://pond.test/sitemap.xml', '200 OK', [('Content-Type', 'text/xml')], sys.argv[2].encode(), 'LM')`;
  await runPython(writing, [file, map('http://pond.test')]);
  const data = join(folder, 'foreign');
  const replayed = await runCommand(['warc', 'replay', file, '--data', data, '--json']);
  assert.equal(replayed.code, 0, replayed.stderr);
  assert.deepEqual(lastJson(replayed), { pages: 2, links: 2, redirects: 1, sitemaps: 1, robots: 0, other: 1, lost: 0 });
  assert.deepEqual(await linksIn(data), [
    '/a 1 0 discover',
    '/hidden 2 0 refresh 2026-05-04',
    '/last 3 0 discover',
    '/new 2 1 discover',
  ]);
  const depths = (await recordsIn(data, 'pages')).map(({ url, depth }) => `${new URL(url).pathname} ${depth}`);
  assert.deepEqual(depths.sort(), ['/ 0', '/new 2']);
});
