/**
 * Of a crawl with index, dedup, graph and archive a tenth of the pages is purged: none of them is left anywhere, and all else
 * is as it was, to the byte. CRAWLSTREAM_TEST_PAGES: how many pages the web has; 1,000 if it is not set.
 */
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { membersOf } from '../../../../services/extras/archive/forget/members.ts';
import { knownUrls } from '../../../../services/extras/dedup/known-urls.ts';
import { indexedUrls } from '../../../../services/extras/index/indexed-urls.ts';
import { withFolderLog } from '../../../../services/hosting/connect/folder-log.ts';
import { SystemClock } from '../../../../services/runtime/clock.ts';
import { readDataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { checkByWarcio, readByWarcio, warcioMissing } from '../../extras/archive/warcio.ts';
import { serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const pages = Number(process.env['CRAWLSTREAM_TEST_PAGES'] ?? 1_000);
const hosts = 10;
const perHost = pages / hosts;

/**
 * Each host's pages, in a list at its root. Every tenth page has the content that it has on every host; of /p/10 the first is
 * that of h3, the second that of h5, so that both, which are to go, stand for others in turn.
 */
async function startHosts(t: TestContext) {
  const served = new EventEmitter();
  const [third, fifth] = ['h3.test', 'h5.test'].map((host) => once(served, host));
  const site = await serveSite(t, async ({ url = '/' }, response, host) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (url === '/p/10') {
      if (host !== 'h3.test') await third;
      if (!/^h[35]\./.test(host)) await fifth;
      response.on('finish', () => served.emit(host));
    }
    const number = Number(/^\/p\/(\d+)$/.exec(url)?.[1]);
    response.setHeader('content-type', 'text/html');
    if (Number.isNaN(number)) {
      const links = Array.from({ length: perHost - 1 }, (_, n) => `<a href="/p/${n}">${n}</a>`);
      return response.end(`<title>${host}</title>${links.join(' ')}`);
    }
    const name = number % 10 === 0 ? 'shared' : host.replace('.test', '');
    const words = Array.from({ length: 60 }, (_, n) => `${name}word${(number * 7 + n * n) % 997}`);
    return response.end(
      `<title>${name} ${number}</title><p>${words.join(' ')}</p><a href="/p/${(number + 1) % (perHost - 1)}">next</a>`,
    );
  });
  const seeds = Array.from({ length: hosts }, (_, n) => site.url(`h${n}.test`, '/'));
  return { site, seeds, flags: ['--resolve', `*.test:${site.port}:127.0.0.1`, '--delay', '0'] };
}

async function exported(data: string, ...words: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCommand(['export', ...words, '--data', data]);
  assert.equal(code, 0, stderr);
  return stdout.split('\n').filter((line) => line !== '');
}

async function dedupUrls(data: string): Promise<string[]> {
  const store = await openStateStore(join(data, 'dedup'), { readOnly: true });
  try {
    const urls: string[] = [];
    for await (const url of knownUrls(store)) urls.push(url);
    return urls;
  } finally {
    await store.close();
  }
}

/** URLs that `duplicates` names: of pages, and of those that stand for them. */
async function urlsInDuplicates(data: string): Promise<Set<string>> {
  const folder = await readDataFolder(data);
  const urls = new Set<string>();
  await withFolderLog(folder, new SystemClock(), async ({ log, codec }) => {
    const { crawl, partitions } = folder.manifest;
    for (let partition = 0; partition < partitions; partition++) {
      const { start, end } = await log.offsets(`${crawl}.duplicates`, partition);
      for await (const { value } of recordsOf(log, `${crawl}.duplicates`, partition, start, end)) {
        if (value.length === 0) continue;
        const { url, representative } = codec.decode('duplicates', value);
        urls.add(url).add(representative);
      }
    }
  });
  return urls;
}

async function warcs(data: string): Promise<string[]> {
  const names = (await readdir(join(data, 'archive'))).filter((name) => name.endsWith('.warc.gz'));
  return names.map((name) => join(data, 'archive', name));
}

/** The bytes of each record, by its id. */
async function members(files: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const file of files) {
    for await (const { bytes, record } of membersOf(file)) {
      const id = /^WARC-Record-ID: (.*)\r$/m.exec(record.toString('latin1', 0, 1_000))![1]!;
      found.set(id, bytes.toString('base64'));
    }
  }
  return found;
}

function verified(receipt: string): Record<string, unknown> {
  const [head = '', payload = '', signature = ''] = receipt.trim().split('.');
  const { jwk, alg } = JSON.parse(Buffer.from(head, 'base64url').toString());
  assert.equal(alg, 'EdDSA');
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  const isSound = (text: string) => verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  assert.ok(isSound(`${head}.${payload}`));
  assert.ok(!isSound(`${head}.${payload.slice(0, -2)}AA`));
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

test('a purged page is gone everywhere, and everything else is unchanged to the byte', {
  timeout: 600_000,
}, async (t) => {
  const { site, seeds, flags } = await startHosts(t);
  const data = join(temporaryFolder(), 'data');
  const beside = ['--with', 'index,dedup,graph,archive', '--archive-file-mb', '1'];
  const crawled = await runCommand(['crawl', ...seeds, '--data', data, ...flags, ...beside], { patienceMs: 300_000 });
  assert.equal(crawled.code, 0, crawled.stderr);
  const before = {
    pages: await exported(data, 'pages'),
    urls: await exported(data, 'urls'),
    edges: await exported(data, 'graph', '--of', 'pages', '--format', 'csv'),
    index: [...indexedUrls(join(data, 'index'))].sort(),
    dedup: await dedupUrls(data),
    members: await members(await warcs(data)),
  };
  assert.equal(before.pages.length, pages);
  const purged = [`h3.test:${site.port}`, site.url('h5.test', '/p/10')];
  for (const target of purged) {
    const { code, stderr } = await runCommand(['purge', target, '--data', data]);
    assert.equal(code, 0, stderr);
  }
  const isGone = (url: string) => url.startsWith(site.url('h3.test', '/')) || purged.includes(url);
  const done = await runCommand(['forget', '--data', data, '--json'], { patienceMs: 300_000 });
  assert.equal(done.code, 0, done.stderr);

  const urlOf = (line: string) => (JSON.parse(line) as { readonly url: string }).url;
  const left = (lines: readonly string[]) => lines.filter((line) => !isGone(urlOf(line)));
  assert.equal(left(before.pages).length, pages - perHost - 1);
  assert.deepEqual(await exported(data, 'pages'), left(before.pages));
  assert.deepEqual(await exported(data, 'urls'), left(before.urls));
  const edges = await exported(data, 'graph', '--of', 'pages', '--format', 'csv');
  assert.deepEqual(
    edges,
    before.edges.filter((line) => !isGone(line.split(',')[0]!)),
  );
  assert.deepEqual(
    [...indexedUrls(join(data, 'index'))].sort(),
    before.index.filter((url) => !isGone(url)),
  );
  assert.deepEqual(
    await dedupUrls(data),
    before.dedup.filter((url) => !isGone(url)),
  );
  const inDuplicates = await urlsInDuplicates(data);
  assert.ok(inDuplicates.has(site.url('h1.test', '/p/10')));
  assert.deepEqual([...inDuplicates].filter(isGone), []);
  const now = await members(await warcs(data));
  const changed = [...now].filter(([id, bytes]) => before.members.get(id) !== bytes);
  const reported = verified(await readFile((lastJson(done) as { readonly file: string }).file, 'utf8')) as {
    readonly purged: readonly { readonly hostKey: string; readonly url: string | null }[];
    readonly places: readonly {
      readonly place: string;
      readonly removed?: number;
      readonly left: number;
      readonly more?: Record<string, number>;
    }[];
  };
  assert.deepEqual(reported.purged.map(({ hostKey, url }) => url ?? hostKey).sort(), [...purged].sort());
  const place = (name: string) => reported.places.find((one) => one.place === name)!;
  for (const { place: name, left: some } of reported.places) assert.equal(some, 0, name);
  assert.equal(place('topic pages').removed, perHost + 1);
  assert.equal(place('topic pages').more!['tombstones'], perHost + 1);
  assert.equal(place('archive').removed, before.members.size - now.size);
  const { revisitsMadeResponses = 0, revisitsRedirected = 0, revisitsDangling } = place('archive').more!;
  assert.equal(changed.length, revisitsMadeResponses + revisitsRedirected);
  assert.equal(revisitsDangling, 0);

  const again = await runCommand(['forget', '--data', data, '--json']);
  assert.equal(again.code, 0, again.stderr);
  for (const { place: name, removed = 0 } of (lastJson(again) as unknown as typeof reported).places)
    assert.equal(removed, 0, name);

  await t.test('an independent reader finds the archive whole after a purge', { skip: warcioMissing }, async () => {
    const files = await warcs(data);
    await checkByWarcio(files);
    const records = await readByWarcio(files);
    assert.equal(records.length, now.size);
    assert.ok(!records.some(({ url }) => isGone(url)));
    const pagesThere = records.filter(({ type, url }) => /response|revisit/.test(type) && !url.endsWith('/robots.txt'));
    assert.equal(new Set(pagesThere.map(({ url }) => url)).size, pages - perHost - 1);
  });
});

test('a page whose site withdraws its permission is withdrawn, with earlier copies', {
  timeout: 300_000,
}, async (t) => {
  let isBarred = false;
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    if (isBarred && url === '/b') response.setHeader('content-usage', 'train-ai=n');
    response.setHeader('content-type', 'text/html');
    return response.end(`<title>page ${url}</title><p>some words of ${url}</p><a href="/a">a</a> <a href="/b">b</a>`);
  });
  const origin = `http://127.0.0.1:${site.port}`;
  const data = join(temporaryFolder(), 'data');
  const flags = ['--allow-private', '--delay', '0', '--uses', 'ai-train', '--with', 'index,dedup,graph,archive'];
  const crawled = await runCommand(['crawl', `${origin}/`, '--data', data, ...flags]);
  assert.equal(crawled.code, 0, crawled.stderr);
  const before = await exported(data, 'pages');
  assert.equal(before.length, 3);

  isBarred = true;
  const requeued = await runCommand(['requeue', '--prefix', `${origin}/b`, '--data', data]);
  assert.equal(requeued.code, 0, requeued.stderr);
  const resumed = await runCommand(['crawl', '--data', data]);
  assert.equal(resumed.code, 0, resumed.stderr);
  const left = before.filter((line) => !line.includes(`"url":"${origin}/b"`));
  assert.deepEqual(await exported(data, 'pages'), left);
  assert.deepEqual((await dedupUrls(data)).sort(), [`${origin}/`, `${origin}/a`]);
  const edges = await exported(data, 'graph', '--of', 'pages', '--format', 'csv');
  assert.ok(!edges.some((line) => line.startsWith(`${origin}/b,`)), edges.join('\n'));
  const printed = await runCommand(['pages', '--data', data]);
  assert.equal(printed.stdout.trim().split('\n').length, 2, printed.stdout);
  const found = await runCommand(['search', 'words', '--data', data, '--json']);
  assert.ok(!found.stdout.includes(`${origin}/b`), found.stdout);

  const done = await runCommand(['forget', '--data', data, '--json']);
  assert.equal(done.code, 0, done.stderr);
  assert.equal((lastJson(done) as { readonly withdrawn: number }).withdrawn, 1);
  for (const file of await warcs(data)) {
    for await (const { record } of membersOf(file)) {
      assert.ok(!record.toString('latin1', 0, 1_000).includes(`WARC-Target-URI: ${origin}/b\r`), file);
    }
  }
  assert.ok(existsSync(join(data, 'receipts', 'key.pem')));

  // It is allowed again, and comes back.
  isBarred = false;
  await runCommand(['requeue', '--prefix', `${origin}/b`, '--data', data]);
  const back = await runCommand(['crawl', '--data', data]);
  assert.equal(back.code, 0, back.stderr);
  assert.equal((await exported(data, 'pages')).length, 3);
});
