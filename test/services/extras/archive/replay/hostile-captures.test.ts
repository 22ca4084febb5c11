import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ArchiveIndex } from '../../../../../services/extras/archive/replay/archive-index.ts';
import { askedUrl } from '../../../../../services/extras/archive/replay/asked-url.ts';
import { rangeOf } from '../../../../../services/extras/archive/replay/byte-range.ts';
import { captureOfLine } from '../../../../../services/extras/archive/replay/capture.ts';
import { replayRoutes, replayTarget } from '../../../../../services/extras/archive/replay/replay-routes.ts';
import { createLinker, pathOf } from '../../../../../services/extras/archive/replay/rewrite/linker.ts';
import { dispositionOf } from '../../../../../services/extras/archive/replay/shown-headers.ts';
import { startHttpServer } from '../../../../../services/runtime/http/http-server.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { writeWarc } from './warc-file.ts';

const time = '20260101000000';
const at = (path: string) => `http://bad.test${path}`;
const pointer = (path: string, day: string) => [
  `WARC-Refers-To-Target-URI: ${at(path)}`,
  `WARC-Refers-To-Date: 2026-01-0${day}T00:00:00Z`,
];
const file = writeWarc(temporaryFolder(), 'bad', [
  { url: at('/page'), time, body: '<script>alert(1)</script>' },
  { url: at('/frame'), time, head: 'HTTP/1.1 200 OK\r\nContent-Type: application/pdf', body: '%PDF' },
  { url: at('/circle'), time, head: 'HTTP/1.1 301 Moved\r\nLocation: /circle' },
  { url: at('/loop'), time, type: 'revisit', mime: 'text/html', fields: pointer('/loop', '1') },
  { url: at('/css'), time, head: 'HTTP/1.1 200 OK\r\nContent-Type: text/css', body: Buffer.alloc(20 << 20, 'a') },
]);
const server = await startHttpServer({
  listen: { host: '127.0.0.1', port: 0 },
  probes: { started: true, waitsFor: null, note: null } as never,
  metrics: async () => ({ type: 'text/plain', text: '' }),
  routes: [replayRoutes(new ArchiveIndex([{ file }]), 1, async (body) => body)],
  rewriteUrl: replayTarget,
  onBug: (error) => assert.fail(`${error}`),
});
after(() => server.close());
const get = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
  const answer = await fetch(`http://${server.address}/web/${time}/${at(path)}`, { redirect: 'manual', headers });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
};

/** Directives of a policy by name. */
function policyOf(headers: Headers): ReadonlyMap<string, readonly string[]> {
  const said = headers.get('content-security-policy') ?? '';
  return new Map(
    said.split('; ').map((one) => {
      const [name, ...values] = one.split(' ');
      return [name!, values];
    }),
  );
}

describe('a shown capture', () => {
  it('a shown capture runs nothing, contacts nobody else, and cannot be framed elsewhere', async () => {
    const document = { 'sec-fetch-dest': 'document' };
    for (const [path, headers] of [
      ['/page', {}],
      ['/page', document],
      ['/frame', document],
    ] as const) {
      const answer = await get(path, headers);
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(answer.headers.get('referrer-policy'), 'no-referrer');
      const policy = policyOf(answer.headers);
      const sandbox = policy.get('sandbox') ?? assert.fail(`${path}: no sandbox`);
      assert.deepEqual(
        sandbox.filter((one) => !['allow-same-origin', 'allow-forms', 'allow-downloads'].includes(one)),
        [],
      );
      const scripts = policy.get('script-src') ?? policy.get('default-src');
      assert.deepEqual(scripts, ["'none'"], path);
      for (const name of ['default-src', 'frame-src', 'form-action', 'base-uri', 'frame-ancestors', 'object-src']) {
        const values = policy.get(name) ?? policy.get('default-src')!;
        assert.ok(
          values.every((one) => ["'self'", "'none'", 'data:'].includes(one)),
          `${path}: ${name} ${values.join(' ')}`,
        );
      }
      for (const name of ['frame-src', 'form-action', 'base-uri', 'frame-ancestors'])
        assert.ok(policy.has(name), `${path}: ${name} goes by nothing else`);
    }
  });

  it('a shown capture redirects neither endlessly nor out of the archive', async () => {
    const circle = await get('/circle');
    assert.equal(circle.status, 502);
    assert.match(circle.body, /redirects to .*, which is not in this archive/);
    const loop = await get('/loop');
    assert.equal(loop.status, 502);
    assert.match(loop.body, /it refers to another revisit record/);
  });

  it('a shown capture has no more of a style sheet than fits into memory', async () => {
    const { body } = await get('/css');
    assert.equal(body.length, 16 << 20);
  });
});

it('links are read as in a browser: blanks and control characters before a scheme hide nothing', () => {
  const linker = createLinker(time, at('/dir/page'));
  assert.equal(linker.lead(' \u0001#place'), null);
  assert.equal(linker.lead('\u0000 data:text/plain,x'), null);
  for (const link of ['\u0001javascript:alert(1)', 'java\tscript:alert(1)', 'blob:http://bad.test/x'])
    assert.equal(linker.lead(link), '#');
  assert.equal(pathOf(time, 'http://bad.test/?a=\\\\evil.test'), `/web/${time}/http://bad.test/?a=%5C%5Cevil.test`);
});

it('a download name holds nothing that a header or shell could misread', () => {
  for (const [given, reported] of [
    ['attachment; filename="a b.pdf"', 'attachment; filename="a b.pdf"'],
    ['attachment; filename="../../.profile"', 'attachment'],
    ['attachment; filename="a;rm.sh"', 'attachment; filename="a"'],
    ['inline; filename="a.pdf"', undefined],
  ] as const) {
    assert.equal(dispositionOf(given), reported, given);
  }
});

it('byte ranges stay within their body', () => {
  assert.deepEqual(rangeOf('bytes=0-9', 10), { first: 0, last: 9 });
  assert.deepEqual(rangeOf('bytes=5-99', 10), { first: 5, last: 9 });
  assert.deepEqual(rangeOf('bytes=9-', 10), { first: 9, last: 9 });
  assert.equal(rangeOf('bytes=10-', 10), 'none');
  assert.deepEqual(rangeOf('bytes=-3', 10), { first: 7, last: 9 });
});

it('only http and https captures are requested, or read from an index', () => {
  for (const text of ['ftp://a.test/', 'file:///etc/passwd', 'javascript://a.test/'])
    assert.equal(askedUrl(text), null);
  const line = (url: string) =>
    `k ${time} ${JSON.stringify({ url, mime: 'text/html', length: '9', offset: '0', filename: 'f' })}`;
  assert.equal(
    captureOfLine(line('file:///etc/passwd'), () => '/f'),
    null,
  );
  assert.equal(captureOfLine(line('http://a.test/'), () => '/f')?.file, '/f');
});
