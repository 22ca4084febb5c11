/**
 * Pages that a browser renders, in an archive: what their scripts loaded, and the document as they left it. Read by warcio
 * (PyPI's), and shown by ReplayWeb.page with the site gone.
 */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { openPlayer } from './player.ts';
import { checkByWarcio, fieldsOf, readByWarcio, type WarcioRecord } from './warcio.ts';

const folder = temporaryFolder();
const skip = chromiumHere() === undefined && noBrowser;
const page = '<title>Pond</title><div id=root></div><img src=/heron.png><script src=/app.js></script>';
const script = `for (const path of ['/frogs.json', '/private.json', '/kept-out.json']) fetch(path).then((answer) => answer.json()).then((said) => {
  document.querySelector('#root').innerHTML += '<p>' + said.text + '<a href=/reeds>reeds</a><img src=/frog.png></p>';
});`;
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
const json = { 'content-type': 'application/json' };
const answers: Readonly<Record<string, readonly [headers: Record<string, string>, body: string | Buffer]>> = {
  '/robots.txt': [{ 'content-type': 'text/plain' }, 'user-agent: *\ndisallow: /private\n'],
  '/': [{ 'content-type': 'text/html' }, page],
  '/reeds': [{ 'content-type': 'text/html', 'x-robots-tag': 'noarchive' }, '<title>Reeds</title><p>they rustle'],
  '/app.js': [{ 'content-type': 'text/javascript' }, script],
  '/frogs.json': [json, '{"text":"Seven frogs."}'],
  '/private.json': [json, '{"text":"nobody may see this"}'],
  '/kept-out.json': [{ ...json, 'x-robots-tag': 'noarchive' }, '{"text":"Shown, and in no archive."}'],
  '/frog.png': [{ 'content-type': 'image/png' }, png],
  '/heron.png': [{ 'content-type': 'image/png' }, png],
};
const asked: string[] = [];
let origin = '';
let askedFirst: readonly string[] = [];
let records: readonly WarcioRecord[] = [];
/** Of a renderer and an archive that run after the crawl, by their own commands. */
let recordsApart: readonly WarcioRecord[] = [];

async function recordsIn(archive: string): Promise<WarcioRecord[]> {
  const files = warcsIn(archive);
  assert.equal(files.length, 1);
  await checkByWarcio(files);
  return readByWarcio(files);
}

function warcsIn(archive: string): string[] {
  const names = readdirSync(archive).filter((name) => name.endsWith('.warc.gz'));
  return names.map((name) => join(archive, name));
}

before(
  async () => {
    const site = createServer((request, response) => {
      asked.push(request.url!);
      const [headers, body] = answers[request.url!] ?? [];
      if (headers === undefined) return response.writeHead(404).end();
      return response.writeHead(200, headers).end(body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    site.unref();
    const { port } = site.address() as AddressInfo;
    origin = `http://pond.test:${port}`;
    const rules = join(folder, 'extract.yaml');
    writeFileSync(rules, 'render: [{ hosts: [pond.test], when: always }]\n');
    const way = ['--resolve', `*.test:${port}:127.0.0.1`, '--delay', '0', '--extract', rules];
    const wanted = ['--with', 'render,archive', '--requisites', '--data', join(folder, 'data'), '--json'];
    const crawl = await runCommand(['crawl', `${origin}/`, ...way, ...wanted]);
    assert.equal(crawl.code, 0, crawl.stderr);
    askedFirst = [...asked];
    const apart = join(folder, 'apart');
    const crawled = await runCommand(['crawl', `${origin}/`, ...way, '--responses', '--data', apart]);
    assert.equal(crawled.code, 0, crawled.stderr);
    const reach = ['--resolve', `*.test:${port}:127.0.0.1`, '--responses', '--archive', 'all'];
    for (const words of [['render', ...reach], ['archive']]) {
      const { code, stderr } = await runCommand([...words, '--data', apart]);
      assert.equal(code, 0, stderr);
    }
    site.close();
    site.closeAllConnections();
    const archive = join(folder, 'data/archive');
    records = await recordsIn(archive);
    recordsApart = await recordsIn(join(apart, 'archive'));
    const made = await runCommand(['warc', 'wacz', archive, '--out', join(folder, 'pond.wacz')]);
    assert.equal(made.code, 0, made.stderr);
  },
  { timeout: 600_000 },
);

const ofType = (type: string) => records.filter((record) => record.type === type);

test('an archive of a rendered page holds what the scripts loaded, once each as it was requested', { skip }, () => {
  const responses = ofType('response').concat(ofType('revisit'));
  const urls = (path: string) => responses.filter(({ url }) => url === `${origin}${path}`);
  assert.equal(urls('/frogs.json').length, 1);
  assert.match(
    urls('/frogs.json')[0]!.block.toString(),
    /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{"text":"Seven frogs\."\}$/,
  );
  for (const path of Object.keys(answers)) {
    const times = askedFirst.filter((one) => one === path).length;
    const isBarred = path === '/reeds' || path === '/kept-out.json';
    assert.equal(urls(path).length, isBarred ? 0 : times, `${path} was asked for ${times} times`);
  }
  assert.equal(asked.filter((path) => path === '/private.json').length, 0);
  assert.ok(asked.includes('/frog.png'), 'a picture that the script put there is part of the page, too');
});

test('an archive of a rendered page holds the final document as a conversion of the page', { skip }, () => {
  const made = ofType('conversion');
  assert.deepEqual(
    made.map(({ url }) => url),
    [`${origin}/`],
    'of the page that may be archived',
  );
  const [record] = made;
  assert.deepEqual(fieldsOf(record!, 'Content-Type'), ['text/html; charset=utf-8']);
  const html = record!.block.toString();
  assert.match(html, /<p>Seven frogs\./);
  assert.match(html, /Shown, and in no archive/);
  const [page] = ofType('response').filter(({ url }) => url === `${origin}/`);
  assert.deepEqual(fieldsOf(record!, 'WARC-Warcinfo-ID'), fieldsOf(page!, 'WARC-Warcinfo-ID'));
  assert.ok(fieldsOf(record!, 'WARC-Date')[0]! >= fieldsOf(page!, 'WARC-Date')[0]!);
});

test('ReplayWeb.page runs the page and shows what its script loaded', { skip }, async (t) => {
  const player = await openPlayer(t, join(folder, 'pond.wacz'), `${origin}/`);
  // In the page: `document` is the browser's.
  const look = `[...document.querySelectorAll('#root p')].map((one) => one.textContent).join()`;
  const deadlineMs = Date.now() + 60_000;
  for (let seen: unknown[] = []; !seen.some((one) => `${one}`.includes('Seven frogs.')); ) {
    assert.ok(Date.now() < deadlineMs, `the frames show ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen = await Promise.all(player.frames().map((frame) => frame.evaluate(look).catch(() => null)));
  }
});

test('a separate renderer publishes the same for archives if asked to', { skip }, () => {
  const of = (type: string, path: string) =>
    recordsApart.filter((record) => record.type === type && record.url === `${origin}${path}`).length;
  assert.equal(of('response', '/frogs.json'), 1);
  assert.equal(of('response', '/app.js'), 1);
  assert.equal(of('conversion', '/'), 1);
});

test('an archive with rendered pages is parsed again to its pages only', { skip }, async () => {
  const replayed = await runCommand(['warc', 'replay', ...warcsIn(join(folder, 'data/archive'))]);
  assert.equal(replayed.code, 0, replayed.stderr);
  const lines = replayed.stdout.trimEnd().split('\n');
  const titles = lines.map((line) => (JSON.parse(line) as { readonly title: string }).title);
  assert.deepEqual(
    titles.filter((title) => title !== ''),
    ['Pond'],
  );
});
