/** What archives get of bodies, from real sockets: how long, where it lies, and why it ends. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { compileOverrides } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { createBodyFiles } from '../../../../services/fetcher/http/body-files.ts';
import { createHttpClient, type HttpRequest } from '../../../../services/fetcher/http/client.ts';
import type { BodyArchive } from '../../../../services/fetcher/http/kept-body.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { serveSite } from '../loopback.ts';

const body = Buffer.from(Array.from({ length: 700_000 }, (_, i) => i % 251));
const times = { headersTimeoutMs: 2_000, bodyIdleTimeoutMs: 300, totalTimeoutMs: 5_000 };

async function setUp(t: TestContext, archive: Partial<BodyArchive> = {}, folder = temporaryFolder()) {
  const site = await serveSite(t, (request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    if (request.url === '/whole') response.end(body);
    else response.write(body.subarray(0, 1_000), () => request.url === '/broken' && response.destroy());
  });
  const clock = new SystemClock();
  const lookup = async () => ({ addresses: ['127.0.0.1'], ttlMs: 1_000 });
  const resolver = createResolver({ clock, lookup, overrides: compileOverrides([]), isBlocked: () => false });
  const limits = { ...times, bodyBytesMax: 50_000 };
  const files = createBodyFiles(folder);
  const bounds = { what: 'all', bodyBytesMax: 1_000_000, messageBytesMax: 80_000, files } as const;
  const client = createHttpClient({ clock, resolver, limits, archive: { ...bounds, ...archive } });
  t.after(() => client.close());
  const get = (path: string, more: Partial<HttpRequest> = {}) =>
    client.request({ url: site.url('a.test', path), headers: [], ...more });
  return { get, folder };
}

test('a body is written to its file whole, even if the parser reads only part', async (t) => {
  const { get, folder } = await setUp(t);
  for (const wants of [() => true, () => false]) {
    const { kept, body: read, truncated } = await get('/whole', { wants });
    assert.deepEqual([read.length, truncated], wants() ? [50_000, true] : [0, false]);
    const { name, bytes, digest } = kept!.file!;
    assert.deepEqual([bytes, digest], [body.length, createHash('sha1').update(body).digest('hex')]);
    assert.ok(readFileSync(join(folder, name)).equals(body));
    assert.deepEqual([kept!.truncatedBy, kept!.bytes.length], ['', 0]);
  }
  assert.ok(readdirSync(folder).every((name) => !name.endsWith('.part')));
});

test('a body that goes to a sink is archived whole, even after the sink wants no more', async (t) => {
  const { get, folder } = await setUp(t);
  for (const isShut of [false, true]) {
    const sink = new PassThrough();
    let sunk = 0;
    sink.on('data', (chunk: Buffer) => {
      sunk += chunk.length;
      if (isShut) sink.destroy();
    });
    const { kept, truncated } = await get('/whole', { sink, bodyBytesMax: 1_000_000 });
    assert.deepEqual([kept!.file!.bytes, truncated], [body.length, isShut]);
    assert.ok(readFileSync(join(folder, kept!.file!.name)).equals(body));
    if (!isShut) {
      sink.end();
      assert.equal(sunk, body.length);
    }
  }
});

for (const [path, more, expected, why] of [
  ['/whole', { bodyBytesMax: 300_000 }, 300_000, 'length'],
  ['/whole', { files: undefined }, 80_000, 'length'],
  ['/slow', {}, 1_000, 'time'],
  ['/broken', {}, 1_000, 'disconnect'],
] as const) {
  test(`a body that ends early says why: ${why}${'files' in more ? ', where there is no place for files' : ''}`, async (t) => {
    const { get } = await setUp(t, more);
    const { kept } = await get(path, { wants: () => false });
    const { length } = kept!;
    assert.deepEqual([length, kept!.file?.bytes ?? kept!.bytes.length, kept!.truncatedBy], [expected, expected, why]);
  });
}

test('an archive of pages gets no response that was not read', async (t) => {
  const { get } = await setUp(t, { what: 'pages' });
  assert.equal((await get('/whole', { wants: () => false })).kept, undefined);
  assert.equal((await get('/whole')).kept!.length, body.length);
});

test('a full disk costs the archive the body, and the crawl nothing', async (t) => {
  const folder = join(temporaryFolder(), 'bodies');
  mkdirSync(folder);
  const { get } = await setUp(t, {}, folder);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'in its place');
  const { kept, failure, body: read } = await get('/whole');
  assert.deepEqual([failure, read.length], [null, 50_000]);
  assert.deepEqual([kept!.file, kept!.bytes.length, kept!.truncatedBy], [null, 0, 'unspecified']);
});
