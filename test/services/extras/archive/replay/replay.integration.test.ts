/** `crawlstream replay`: what a capture was is what is shown, by time; a client of Memento that is not ours finds its way. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { pythonEnvironment } from '../../../../../lab/bench/content/python-environment.ts';
import { startCommand } from '../../../../../lab/process/command.ts';
import { pythonSkipReason } from '../../../../kafka/python.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { type Replaying, replaying } from './replaying.ts';
import { writeWarc } from './warc-file.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const film = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * 7) % 251));
let server = '';
let running: Replaying | undefined;

before(async () => {
  const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html';
  const first = writeWarc(folder, 'a', [
    {
      url: 'http://pond.test/',
      time: '20200101000000',
      body: '<title>2020</title><a href=/two?a=1&a=2>two</a>',
      digest: 'A'.repeat(32),
    },
    { url: 'http://pond.test/', time: '20240101000000', body: '<title>2024</title>' },
    {
      url: 'http://pond.test/film',
      time: '20240101000000',
      head: 'HTTP/1.1 200 OK\r\nContent-Type: video/mp4',
      mime: 'video/mp4',
      body: film,
    },
    {
      url: 'http://pond.test/titled',
      time: '20200101000005',
      head: `${html}; charset=iso-8859-1\r\nContent-Encoding: gzip`,
      body: gzipSync(Buffer.from('<title>Caf\xe9 &amp; pond</title>', 'latin1')),
    },
    { url: 'http://pond.test/two?a=1&a=2', time: '20200101000005', body: 'two' },
    { url: 'http://pond.test/100%', time: '20200101000005', body: 'odd' },
    {
      url: 'http://pond.test/gone',
      time: '20200101000005',
      head: 'HTTP/1.1 404 Not Found\r\nContent-Type: text/plain',
      body: 'gone',
    },
    { url: 'http://pond.test/old', time: '20200101000005', head: 'HTTP/1.1 301 Moved\r\nLocation: /two?a=1&a=2' },
    {
      url: 'http://pond.test/upper',
      time: '20200101000005',
      head: 'HTTP/1.1 301 Moved\r\nLocation: https://pond.test/upper',
    },
    {
      url: 'http://pond.test/circle',
      time: '20200101000005',
      head: 'HTTP/1.1 301 Moved\r\nLocation: https://pond.test/circle',
    },
    { url: 'https://pond.test/upper', time: '20200101000006', body: 'upper' },
    {
      url: 'http://pond.test/packed',
      time: '20200101000005',
      head: `${html}; charset=iso-8859-1\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked`,
      body: Buffer.concat([
        Buffer.from(`${gzipSync(Buffer.from('<p>caf\xe9', 'latin1')).length.toString(16)}\r\n`),
        gzipSync(Buffer.from('<p>caf\xe9', 'latin1')),
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    },
  ]);
  const second = writeWarc(folder, 'b', [
    {
      url: 'http://pond.test/copy',
      time: '20250101000000',
      type: 'revisit',
      digest: 'A'.repeat(32),
      head: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Language: de',
      fields: [
        'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest',
        'WARC-Refers-To-Target-URI: http://pond.test/',
        'WARC-Refers-To-Date: 2020-01-01T00:00:00Z',
      ],
    },
    {
      url: 'http://pond.test/',
      time: '20250101000000',
      type: 'revisit',
      head: 'HTTP/1.1 304 Not Modified',
      fields: [
        'WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified',
        'WARC-Refers-To-Target-URI: http://pond.test/',
        'WARC-Refers-To-Date: 2024-01-01T00:00:00Z',
      ],
    },
    {
      url: 'http://pond.test/lost',
      time: '20250101000000',
      type: 'revisit',
      fields: ['WARC-Refers-To-Target-URI: http://pond.test/nowhere', 'WARC-Refers-To-Date: 2020-01-01T00:00:00Z'],
    },
  ]);
  const third = writeWarc(folder, 'bare', [{ url: 'http://bare.test/', time: '20220202020202', body: 'bare' }], false);
  const crlf = 'X: y\r\nSet-Cookie: a=1';
  const hostile = writeWarc(folder, 'hostile', [
    {
      url: 'http://bad.test/self',
      time: '20200101000000',
      type: 'revisit',
      mime: 'text/html',
      fields: ['WARC-Refers-To-Target-URI: http://bad.test/self', 'WARC-Refers-To-Date: 2020-01-01T00:00:00Z'],
    },
    { url: 'http://bad.test/endless', time: '20200101000000', head: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(300_000)}` },
    { url: 'http://bad.test/continue', time: '20200101000000', head: 'HTTP/1.1 100 Continue' },
    { url: 'http://bad.test/far', time: '20200101000000', head: 'HTTP/1.1 302 Found\r\nLocation: javascript:alert(1)' },
    {
      url: 'http://bad.test/injected',
      time: '20200101000000',
      head: `HTTP/1.1 302 Found\r\nLocation: /x\t"><script>\u00e9\r\n${crlf}`,
    },
    {
      url: 'http://bad.test/type',
      time: '20200101000000',
      head: 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\u0001; charset="a\tb"\r\nContent-Disposition: attachment; filename="../../x"\r\nContent-Language: \u00ff',
      body: '<script>alert(1)</script>',
    },
    {
      url: 'http://bad.test/bomb',
      time: '20200101000000',
      head: 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip',
      body: gzipSync(Buffer.alloc(64 << 20, 'x')),
    },
    {
      url: 'http://bad.test/feed',
      time: '20200101000000',
      head: 'HTTP/1.1 200 OK\r\nContent-Type: application/xml',
      body: '<x:a xmlns:x="http://www.w3.org/1999/xhtml" href="http://live.test/">out</x:a>',
    },
    { url: 'http://bad.test/"><script>', time: '20200101000000', body: '<title>"&lt;script>alert(1)</title>' },
  ]);
  const lies = join(folder, 'hostile.cdxj');
  const place = (offset: number, name: string) =>
    JSON.stringify({
      url: 'http://bad.test/zz',
      mime: 'text/html',
      status: '200',
      length: '100',
      offset: `${offset}`,
      filename: name,
    });
  appendFileSync(
    lies,
    `test,bad)/zz 20200101000000 ${place(7, 'hostile.warc.gz')}\ntest,bad)/zzz 20200101000000 ${place(0, '../../etc/passwd')}\nzzz no line\n`,
  );
  running = await replaying([first, second, third, hostile]);
  server = running.url;
});

after(() => running?.stop());

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** As it is on the wire: no URL is normalised on the way, no redirect followed. */
function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> {
  const { hostname, port } = new URL(server);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers, method }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });
}

test('a TimeGate redirects to the nearest memento and links to the others (RFC 7089 §4.1)', async () => {
  const asked = await get('/timegate/http://pond.test/', { 'accept-datetime': 'Wed, 01 Jan 2020 10:00:00 GMT' });
  assert.equal(asked.status, 302);
  assert.equal(asked.headers['location'], `${server}/web/20200101000000/http://pond.test/`);
  assert.equal(asked.headers['vary'], 'accept-datetime');
  assert.equal(asked.headers['memento-datetime'], undefined);
  const link = `${asked.headers['link']}`;
  assert.match(link, /<http:\/\/pond\.test\/>; rel="original"/);
  assert.match(
    link,
    /\/web\/20200101000000\/http:\/\/pond\.test\/>; rel="first memento"; datetime="Wed, 01 Jan 2020 00:00:00 GMT"/,
  );
  assert.match(link, /\/web\/20250101000000\/http:\/\/pond\.test\/>; rel="last memento"/);
  const newest = await get('/timegate/http://pond.test/');
  assert.equal(newest.headers['location'], `${server}/web/20250101000000/http://pond.test/`);
  assert.equal((await get('/timegate/http://pond.test/', { 'accept-datetime': 'yesterday' })).status, 400);
  assert.equal((await get('/timegate/http://other.test/')).status, 404);
});

test('a memento has its time, its status and its links into the archive', async () => {
  const { status, headers, body } = await get('/web/20200101000000/http://pond.test/');
  assert.equal(status, 200);
  assert.equal(headers['memento-datetime'], 'Wed, 01 Jan 2020 00:00:00 GMT');
  assert.match(`${headers['link']}`, /rel="timegate".*rel="timemap".*rel="first memento".*rel="next memento"/);
  assert.equal(
    body.toString(),
    '<title>2020</title><a href="/web/20200101000000/http://pond.test/two?a=1&amp;a=2">two</a>',
  );
  const near = await get('/web/2020/http://pond.test/two?a=1&a=2');
  assert.equal(near.headers['location'], `${server}/web/20200101000005/http://pond.test/two?a=1&a=2`);
  assert.equal((await get('/web/20200101000005/http://pond.test/two?a=1&a=2')).body.toString(), 'two');
  assert.equal((await get('/web/20200101000005/http://pond.test/100%')).body.toString(), 'odd');
  const gone = await get('/web/20200101000005/http://pond.test/gone');
  assert.deepEqual([gone.status, gone.body.toString()], [404, 'gone']);
  assert.equal(gone.headers['memento-datetime'], 'Wed, 01 Jan 2020 00:00:05 GMT');
  assert.equal((await get('/web/20200101000005/http://pond.test/gone', {}, 'HEAD')).status, 404);
});

test('redirects lead into the archive, and never in a circle', async () => {
  const old = await get('/web/20200101000005/http://pond.test/old');
  assert.deepEqual([old.status, old.headers['location']], [301, '/web/20200101000005/http://pond.test/two?a=1&a=2']);
  const upper = await get('/web/20200101000005/http://pond.test/upper');
  assert.deepEqual([upper.status, upper.headers['location']], [301, '/web/20200101000005/https://pond.test/upper']);
  const there = await get('/web/20200101000005/https://pond.test/upper');
  assert.equal(there.headers['location'], `${server}/web/20200101000006/https://pond.test/upper`);
  const circle = await get('/web/20200101000005/http://pond.test/circle');
  assert.equal(circle.status, 502);
  assert.match(circle.body.toString(), /which is not in this archive/);
});

test('a revisit has its payload from another file, and a 304 the unchanged one', async () => {
  const copy = await get('/web/20250101000000/http://pond.test/copy');
  assert.deepEqual([copy.status, copy.headers['content-language']], [200, 'de']);
  assert.match(copy.body.toString(), /<title>2020<\/title>/);
  assert.match(copy.body.toString(), /\/web\/20250101000000\//, 'at its own time');
  const same = await get('/web/20250101000000/http://pond.test/');
  assert.deepEqual([same.status, same.body.toString()], [200, '<title>2024</title>']);
  const lost = await get('/web/20250101000000/http://pond.test/lost');
  assert.equal(lost.status, 502);
  assert.match(lost.body.toString(), /the payload \(http:\/\/pond\.test\/nowhere\) is in none of these files/);
});

test('codings are removed and charsets declared: chunks, gzip and Latin-1 come as UTF-8', async () => {
  const { headers, body } = await get('/web/20200101000005/http://pond.test/packed');
  assert.equal(body.toString(), '<p>café');
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['content-encoding'], undefined);
  assert.equal(headers['transfer-encoding'] === undefined || !/gzip/.test(`${headers['transfer-encoding']}`), true);
});

test('byte ranges of a video are sent as players request them', async () => {
  const path = '/web/20240101000000/http://pond.test/film';
  const whole = await get(path);
  assert.ok(whole.body.equals(film));
  assert.deepEqual([whole.headers['accept-ranges'], whole.headers['content-length']], ['bytes', '300000']);
  const part = await get(path, { range: 'bytes=100000-100009' });
  assert.deepEqual([part.status, part.headers['content-range']], [206, 'bytes 100000-100009/300000']);
  assert.ok(part.body.equals(film.subarray(100_000, 100_010)));
  const end = await get(path, { range: 'bytes=-5' });
  assert.ok(end.body.equals(film.subarray(-5)));
  assert.equal((await get(path, { range: 'bytes=300000-' })).status, 416);
});

test('TimeMaps list all captures, in both forms', async () => {
  const link = await get('/timemap/link/http://pond.test/');
  assert.equal(link.headers['content-type'], 'application/link-format');
  const text = link.body.toString();
  assert.match(
    text,
    /rel="self"; type="application\/link-format"; from="Wed, 01 Jan 2020 00:00:00 GMT"; until="Wed, 01 Jan 2025 00:00:00 GMT"/,
  );
  assert.equal(text.match(/memento"; datetime=/g)?.length, 3);
  const json = JSON.parse((await get('/timemap/json/http://pond.test/')).body.toString()) as {
    original_uri: string;
    mementos: { list: { datetime: string; uri: string }[]; last: { datetime: string } };
  };
  assert.equal(json.original_uri, 'http://pond.test/');
  assert.deepEqual(
    json.mementos.list.map(({ datetime }) => datetime.slice(0, 4)),
    ['2020', '2024', '2025'],
  );
  assert.equal(json.mementos.last.datetime, '2025-01-01T00:00:00Z');
});

test('a person finds hosts, URLs and captures, also in a file without an index', async () => {
  const home = (await get('/')).body.toString();
  assert.match(home, />bare\.test<.*>pond\.test</s);
  const found = (await get('/search?url=pond.test/t')).body.toString();
  assert.match(found, /two\?a=1&amp;a=2</);
  assert.doesNotMatch(found, /film/);
  const pages = (await get('/search?url=pond.test')).body.toString();
  const all = (await get('/search?url=pond.test&parts=all')).body.toString();
  assert.doesNotMatch(pages, /<td>(image|text\/css|video)/);
  assert.match(all, /<td>(image|text\/css|video)/);
  assert.match(pages, /href="\/search\?url=pond\.test&amp;parts=all"/);
  const titled = [...pages.matchAll(/<bdi>(.*?)<\/bdi>.*?"\/captures\/(.*?)"/g)].map((found) => found.slice(1));
  assert.deepEqual(titled, [
    ['2020', 'http://pond.test/'],
    ['2020', 'http://pond.test/copy'],
    ['Café &amp; pond', 'http://pond.test/titled'],
  ]);
  assert.match((await get('/search?url=bare.test')).body.toString(), /20220202020202\/http:\/\/bare\.test\//);
  const captures = (await get('/captures/http://pond.test/')).body.toString();
  assert.match(captures, /3 captures/);
  assert.equal((await get('/web/20220202020202/http://bare.test/')).body.toString(), 'bare');
});

test('memento_client, an independent implementation, finds the memento nearest to a time', {
  skip: (await pythonSkipReason()) ?? false,
}, async () => {
  const environment = pythonEnvironment('memento-client', ['memento_client==0.6.1', 'requests', 'lxml']);
  const program = `
import sys, json, datetime
from memento_client import MementoClient
client = MementoClient(timegate_uri=sys.argv[1] + '/timegate/', check_native_timegate=False)
found = client.get_memento_info(sys.argv[1] + '/web/20240101000000/http://pond.test/', datetime.datetime(2020, 3, 1))
print(json.dumps(found, default=str))`;
  const { stdout } = await run(join(environment, 'bin/python'), ['-c', program, server], { timeout: 60_000 });
  const { original_uri: original, mementos } = JSON.parse(stdout) as {
    original_uri: string;
    mementos: Record<string, { datetime: string; uri: string[]; http_status_code?: number }>;
  };
  assert.equal(original, 'http://pond.test/', 'of a memento, it finds the original');
  assert.deepEqual(mementos['closest']?.uri, [`${server}/web/20200101000000/http://pond.test/`]);
  assert.equal(mementos['closest']?.http_status_code, 200);
  assert.equal(mementos['first']?.datetime, '2020-01-01 00:00:00');
  assert.equal(mementos['last']?.datetime, '2025-01-01 00:00:00');
});

test('a request for another Host, or from a foreign page, gets nothing', async () => {
  assert.equal((await get('/web/2020/http://pond.test/', { host: 'rebound.test' })).status, 403);
  const elsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' };
  assert.equal((await get('/web/20240101000000/http://pond.test/film', elsewhere)).status, 403);
});

test('hostile captures are shown as they are or reported as unshowable, and the server goes on', async () => {
  const at = (path: string, headers = {}) => get(`/web/20200101000000/http://bad.test${path}`, headers);
  for (const [path, said] of [
    ['/self', /it refers to another revisit record/],
    ['/endless', /its HTTP head does not end/],
    ['/continue', /status 100/],
    ['/far', /redirects to an invalid URL/],
    ['/zz', /the index has http:\/\/bad\.test\/zz at 7, but no record is there; rebuild the index/],
  ] as const) {
    const { status, body } = await at(path);
    assert.equal(status, 502, path);
    assert.match(body.toString(), said);
  }
  assert.equal((await at('/zzz')).status, 404, 'a file that is not among those given');
  const injected = await at('/injected');
  assert.equal(injected.headers['set-cookie'], undefined);
  assert.match(`${injected.headers['location']}`, /^\/web\/20200101000000\/http:\/\/bad\.test\/x%22%3E%3Cscript%3E/);
  const type = await at('/type');
  assert.deepEqual(
    [type.headers['content-type'], type.headers['content-language'], type.headers['content-disposition']],
    ['application/octet-stream', undefined, 'attachment'],
  );
  assert.equal(type.headers['x-content-type-options'], 'nosniff');
  const feed = await at('/feed', { 'sec-fetch-dest': 'document' });
  assert.match(feed.body.toString(), /<iframe src="\/web\/20200101000000\/http:\/\/bad\.test\/feed"/);
  assert.doesNotMatch(
    feed.body.toString(),
    /live\.test/,
    'a document with links is in a frame, which they do not lead out of',
  );
  assert.match(`${feed.headers['content-security-policy']}`, /default-src 'none'.*frame-src 'self'/);
  const bomb = await at('/bomb');
  assert.ok(bomb.body.length <= 16 << 20, `${bomb.body.length} bytes`);
  const search = (await get('/search?url=bad.test')).body.toString();
  assert.doesNotMatch(search, /<script/);
  assert.match(search, /<bdi>&quot;&lt;script&gt;alert\(1\)<\/bdi>/);
  assert.match(search, /"\/captures\/http:\/\/bad\.test\/zz"/, 'a record that cannot be read has its row');
  const own = await get('/captures/http://bad.test/%22%3E%3Cscript%3E');
  assert.match(`${own.headers['content-security-policy']}`, /^sandbox allow-forms; default-src 'none'/);
  assert.equal((await get('/web/2020/http://bad.test/"><script>')).status, 302);
});

test('a long file without an index, a duplicate file, and no file at all are refused with the remedy', async () => {
  const { ended } = startCommand(['replay']);
  assert.match((await ended).stderr, /no archive is given: add WARC files, or the --data folder/);
  const copy = writeWarc(temporaryFolder(), 'a', [{ url: 'http://pond.test/', time: '20200101000000' }]);
  const twice = await startCommand(['replay', join(folder, 'a.warc.gz'), copy]).ended;
  assert.equal(twice.code, 2, twice.stderr);
  assert.match(twice.stderr, /two files are named a\.warc\.gz/);
});
