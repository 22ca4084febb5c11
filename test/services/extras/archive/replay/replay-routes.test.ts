/** An archive over HTTP: what programs (RFC 7089, RFC 9110 §14) and browsers get of each path. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { ArchiveIndex } from '../../../../../services/extras/archive/replay/archive-index.ts';
import { replayRoutes, replayTarget } from '../../../../../services/extras/archive/replay/replay-routes.ts';
import { startHttpServer } from '../../../../../services/runtime/http/http-server.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './warc-file.ts';

const time = '20260203040506';
const at = (path: string) => `http://a.test${path}`;
const status = (line: string, ...headers: readonly string[]) => [`HTTP/1.1 ${line}`, ...headers].join('\r\n');
const written = (path: string, more: Partial<Written> = {}): Written => ({ url: at(path), time, ...more });
const film = 'Content-Type: video/mp4';

const file = writeWarc(temporaryFolder(), 'one', [
  written('/', { body: '<a href=/x>x</a>' }),
  written('/', { time: '20250101000000', body: 'old' }),
  written('/', { time: '20270101000000', body: 'new' }),
  written('/part', { head: status('206 Partial', film), body: '0123456789', mime: 'video/mp4' }),
  written('/film', { head: status('200 OK', film), body: '0123456789', mime: 'video/mp4' }),
  written('/packed', { head: status('200 OK', film, 'Content-Encoding: gzip'), body: gzipSync('0123456789') }),
  written('/error', { head: status('500 Error', film), body: '0123456789' }),
  written('/lzma', { head: status('200 OK', film, 'Content-Encoding: lzma'), body: 'x' }),
  ...[204, 205, 304].map((code) => written(`/${code}`, { head: status(`${code} None`), body: 'x' })),
  ...[199, 200, 599, 600].map((code) => written(`/${code}`, { head: status(`${code} Odd`, film), body: 'x' })),
  written('/old', { head: status('301 Moved', 'Location: /film') }),
  written('/odd', { head: status('300 Choices', 'Location: http://b.test/') }),
  written('/self', { head: status('302 Found', 'Location: /self') }),
  written('/bad', { head: status('302 Found', 'Location: http://') }),
  written('/far', { head: status('302 Found', 'Location: ftp://b.test/') }),
  written('/none', { head: status('302 Found'), body: 'none' }),
  written('/dir/a.css', { head: status('200 OK', 'Content-Type: text/css'), mime: 'text/css', body: 'p{}' }),
  written('/<b>', { body: 'named' }),
  { url: 'http://b.test/', time, body: 'b' },
  { url: 'http://sub.a.test/', time, body: 'sub' },
]);
const many = Array.from({ length: 205 }, (_, n) => ({
  url: 'http://many.test/',
  time: `20260101${`${Math.floor(n / 60)}`.padStart(4, '0')}${`${n % 60}`.padStart(2, '0')}`,
}));
const second = writeWarc(temporaryFolder(), 'two', many);
const server = await startHttpServer({
  listen: { host: '127.0.0.1', port: 0 },
  probes: { started: true, waitsFor: null, note: null } as never,
  metrics: async () => ({ type: 'text/plain', text: '' }),
  routes: [
    replayRoutes(new ArchiveIndex([{ file }, { file: second }]), 2, async (body, coding) =>
      coding === 'lzma' ? null : body,
    ),
  ],
  rewriteUrl: replayTarget,
  onBug: (error) => assert.fail(`${error}`),
});
after(() => server.close());
const origin = `http://${server.address}`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
}

/** As it is on the wire: no URL is normalised on the way, and no redirect is followed. */
function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, headers }, (answer) => {
      let body = '';
      answer.setEncoding('latin1').on('data', (part: string) => (body += part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers as Answer['headers'], body }),
      );
    });
    asked.on('error', reject).end();
  });
}

const memento = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  get(`/web/${time}/${at(path)}`, headers);

test('a memento is asked for by its time; a time without one leads to the nearest, and no time to the newest', async () => {
  const placeOf = async (path: string, headers = {}) => {
    const { status, headers: given } = await get(path, headers);
    return [status, given['location']];
  };
  const to = (digits: string) => [302, `${origin}/web/${digits}/${at('/')}`];
  assert.equal((await memento('/')).status, 200);
  for (const [digits, found] of [
    ['2025', '20250101000000'],
    ['202601', time],
    ['20260203040507', time],
    ['2999', '20270101000000'],
  ] as const)
    assert.deepEqual(await placeOf(`/web/${digits}/${at('/')}`), to(found), digits);
  assert.equal((await get(`/web/${time}mp_/${at('/')}`)).status, 200);
  assert.deepEqual(await placeOf(`/web/${at('/')}`), to('20270101000000'));
  assert.equal((await get(`/web/${time}/a.test`)).status, 200);
  const asked = { 'accept-datetime': 'Wed, 01 Jan 2025 00:00:01 GMT' };
  assert.deepEqual(await placeOf(`/timegate/${at('/')}`, asked), to('20250101000000'));
  const elsewhere = await get(`/web/${time}/${at('/')}`, { host: `localhost:${new URL(origin).port}` });
  assert.equal(elsewhere.status, 200);
});

test('a path that names no time, no URL or no capture is refused with what to write', async () => {
  for (const [path, status, said] of [
    [`/web/2026134/${at('/')}`, 400, /Write \/web\/, up to 14 digits, \/ and a URL\./],
    ['/web/2026/ftp://a.test/', 400, /Write \/web\//],
    ['/timegate/', 400, /Write \/timegate\/ followed by a URL/],
    ['/timemap/link/', 400, /Write \/timemap\/link\/ or \/timemap\/json\/ followed/],
    ['/captures/', 400, /Write \/captures\/ followed by a URL/],
    ['/captures-from/', 400, /Write \/captures\//],
    ['/search?url=', 400, /Enter the start of a URL/],
    ['/search', 400, /Enter the start of a URL/],
    [`/web/2026/${at('/absent')}`, 404, /http:\/\/a\.test\/absent was not captured\./],
    [`/timegate/${at('/absent')}`, 404, /was not captured/],
    [`/timemap/json/${at('/absent')}`, 404, /was not captured/],
    [`/captures/${at('/absent')}`, 404, /was not captured/],
  ] as const) {
    const answer = await get(path);
    assert.equal(answer.status, status, path);
    assert.match(answer.body, said);
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(
      `${answer.headers['content-security-policy']}`,
      /^sandbox allow-forms; default-src 'none'; style-src 'sha256-/,
    );
  }
  const wrong = await get(`/timegate/${at('/')}`, { 'accept-datetime': '2025' });
  assert.equal(wrong.status, 400);
  assert.match(wrong.body, /Accept-Datetime is not a date such as Thu, 01 Jan 2026 00:00:00 GMT/);
});

test('a partial answer is shown as a whole one, and answers without a body leave without one', async () => {
  const part = await memento('/part');
  assert.deepEqual([part.status, part.body, part.headers['content-length']], [200, '0123456789', '10']);
  for (const code of [204, 205, 304]) {
    const { status, body, headers } = await memento(`/${code}`);
    assert.deepEqual([status, body], [code, '']);
    assert.equal(headers['memento-datetime'], 'Tue, 03 Feb 2026 04:05:06 GMT');
  }
});

test('a status that HTTP does not have is reported, and every other is kept', async () => {
  for (const code of [200, 599]) assert.deepEqual((await memento(`/${code}`)).status, code);
  for (const code of [199, 600]) {
    const { status, body } = await memento(`/${code}`);
    assert.equal(status, 502);
    assert.match(body, new RegExp(`The site answered with status ${code}\\.`));
  }
  const lzma = await memento('/lzma');
  assert.equal(lzma.status, 502);
  assert.match(lzma.body, /Its content coding cannot be decoded\./);
});

test('a part of a film is sent as asked for, unless its length is unknown', async () => {
  const part = async (range: string, path = '/film') => {
    const { status, body, headers } = await memento(path, { range });
    return [status, body, headers['content-range'], headers['content-length']];
  };
  assert.deepEqual(await part('bytes=2-4'), [206, '234', 'bytes 2-4/10', '3']);
  assert.deepEqual(await part('bytes=-1'), [206, '9', 'bytes 9-9/10', '1']);
  assert.deepEqual(await part('bytes=2-4', '/part'), [206, '234', 'bytes 2-4/10', '3']);
  assert.deepEqual(await part('bytes=10-'), [416, '', 'bytes */10', '0']);
  assert.deepEqual(await part('lines=1-2'), [200, '0123456789', undefined, '10']);
  assert.deepEqual(await part('bytes=2-4', '/error'), [500, '0123456789', undefined, '10']);
  assert.equal((await memento('/film')).headers['accept-ranges'], 'bytes');
  const packed = await memento('/packed', { 'accept-encoding': 'gzip', range: 'bytes=2-4' });
  assert.deepEqual(
    [packed.status, packed.headers['content-encoding'], packed.headers['accept-ranges']],
    [200, 'gzip', undefined],
  );
  assert.equal(Buffer.from(packed.body, 'latin1').length, gzipSync('0123456789').length);
});

test('a redirect leads into the archive, or is reported', async () => {
  const old = await memento('/old');
  assert.deepEqual([old.status, old.headers['location']], [301, `/web/${time}/${at('/film')}`]);
  const odd = await memento('/odd');
  assert.deepEqual([odd.status, odd.headers['location']], [300, `/web/${time}/http://b.test/`]);
  for (const [path, said] of [
    ['/self', /It redirects to http:\/\/a\.test\/self, which is not in this archive/],
    ['/bad', /It redirects to an invalid URL/],
    ['/far', /It redirects to an invalid URL/],
  ] as const) {
    const { status, body } = await memento(path);
    assert.equal(status, 502);
    assert.match(body, said);
  }
  const none = await memento('/none');
  assert.deepEqual([none.status, none.body], [302, 'none']);
});

test('a browser that opens a page gets a frame around it, and what it loads otherwise comes bare', async () => {
  const document = { 'sec-fetch-dest': 'document' };
  const framed = await memento('/', document);
  assert.match(framed.body, new RegExp(`<iframe src="/web/${time}/http://a\\.test/" title="archived page">`));
  assert.match(framed.body, /as of 2026-02-03 04:05:06 UTC .+ <a href="\/captures\/http:\/\/a\.test\/">all captures/);
  assert.match(`${framed.headers['content-security-policy']}`, /frame-ancestors 'none'$/);
  const inside = await memento('/', { 'sec-fetch-dest': 'iframe' });
  assert.equal(inside.body, `<a href="/web/${time}/http://a.test/x">x</a>`);
  assert.match(`${inside.headers['content-security-policy']}`, /frame-ancestors 'self'$/);
  assert.equal((await memento('/film', document)).body, '0123456789');
  assert.equal((await memento('/dir/a.css', document)).body, 'p{}');
  for (const { headers } of [framed, inside]) {
    assert.equal(headers['memento-datetime'], 'Tue, 03 Feb 2026 04:05:06 GMT');
    assert.match(`${headers['link']}`, /rel="original".*rel="timegate".*rel="timemap".*rel="first prev memento"/);
    assert.deepEqual([headers['cache-control'], headers['referrer-policy']], ['no-store', 'no-referrer']);
  }
});

test('the start page lists the hosts, and a search the pages of one and of its subdomains', async () => {
  const home = await get('/');
  assert.match(home.body, /2 WARC files\./);
  const hosts = [...home.body.matchAll(/<li><a href="\/search\?url=([^"]*)">([^<]*)</g)].map(([, query, host]) => [
    query,
    host,
  ]);
  assert.deepEqual(hosts, [
    ['a.test', 'a.test'],
    ['sub.a.test', 'sub.a.test'],
    ['b.test', 'b.test'],
    ['many.test', 'many.test'],
  ]);
  const urlsOf = ({ body }: Answer) => [...body.matchAll(/<a href="\/captures\/([^"]*)">/g)].map(([, url]) => url);
  const found = urlsOf(await get('/search?url=a.test'));
  assert.deepEqual(
    found.filter((url) => /sub|%3E|dir/.test(url!)),
    ['http://a.test/%3Cb%3E', 'http://sub.a.test/'],
  );
  assert.deepEqual(urlsOf(await get('/search?url=a.test/dir&parts=all')), ['http://a.test/dir/a.css']);
  const pages = (await get('/search?url=a.test')).body;
  assert.match(pages, /<a href="\/search\?url=a\.test&amp;parts=all">Also styles, scripts, images and media<\/a>/);
  const parts = (await get('/search?url=a.test&parts=all')).body;
  assert.match(parts, /<a href="\/search\?url=a\.test">Pages and documents only<\/a>/);
  const nothing = await get('/search?url=c.test');
  assert.match(nothing.body, /No captured page starts like this\./);
  assert.match(nothing.body, /value="c\.test"/);
  assert.match((await get('/search?url=c.test&parts=all')).body, /No captured URL starts like this\./);
  const hostile = await get(`/search?url=${encodeURIComponent('c.test/"><script>')}`);
  assert.match(hostile.body, /value="c\.test\/&quot;&gt;&lt;script&gt;"/);
});

test('the captures of a URL are on a calendar, 200 on a page, each with its status and type', async () => {
  const first = await get('/captures/http://a.test/');
  assert.match(first.body, /<h1>http:\/\/a\.test\/<\/h1><p>3 captures\./);
  const months = [...first.body.matchAll(/<a href="\/captures-from\/(\d{14})\/http:\/\/a\.test\/">(\d+)</g)];
  assert.deepEqual(
    months.map(([, month, count]) => [month, count]),
    [
      ['20250101000000', '1'],
      ['20260201000000', '1'],
      ['20270101000000', '1'],
    ],
  );
  const timesOf = ({ body }: Answer) => [...body.matchAll(/<tr><td><a href="\/web\/(\d{14})\//g)].map(([, one]) => one);
  assert.deepEqual(timesOf(first), ['20250101000000', time, '20270101000000']);
  assert.deepEqual(timesOf(await get(`/captures-from/20260201000000/${at('/')}`)), [time, '20270101000000']);
  const all = await get('/captures/http://many.test/');
  assert.match(all.body, /205 captures/);
  assert.equal(timesOf(all).length, 200);
  const next =
    /href="(\/captures-from\/\d{14}\/http:\/\/many\.test\/)">More/.exec(all.body)?.[1] ?? assert.fail('no more');
  const rest = await get(next);
  assert.deepEqual(
    [...timesOf(all), ...timesOf(rest)],
    many.map((one) => one.time),
  );
  assert.doesNotMatch(rest.body, />More</);
  const gone = await get(`/captures/${at('/error')}`);
  assert.match(gone.body, /<td class="num">500<\/td><td>text\/html<\/td>/);
});

test('TimeMaps come in their own types', async () => {
  const link = await get(`/timemap/link/${at('/')}`);
  assert.equal(link.headers['content-type'], 'application/link-format');
  assert.match(link.body, new RegExp(`<${origin}/web/20270101000000/http://a\\.test/>; rel="last memento"`));
  const json = await get(`/timemap/json/${at('/')}`);
  assert.match(`${json.headers['content-type']}`, /^application\/json/);
  assert.equal(JSON.parse(json.body).mementos.list.length, 3);
});
