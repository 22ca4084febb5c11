/** `--requisites`: a page is archived with what it is built of, and players that are not ours show it so. */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { unusedPort } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { openPlayer } from './player.ts';

const run = promisify(execFile);
const folder = temporaryFolder();
const wacz = join(folder, 'pond.wacz');
/** One red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
const page = (title: string) =>
  `<title>${title}</title><link rel=stylesheet href=/style/main.css><h1>${title}</h1><a href=/two>two</a>` +
  '<img id=picture src=/frog.png><img src=/private/heron.png><script src=/app.js></script><a href=/film.mp4>film</a>';
const answers: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  '/robots.txt': ['text/plain', 'user-agent: *\ndisallow: /private/\n'],
  '/': ['text/html', page('One')],
  '/two': ['text/html', page('Two')],
  '/style/main.css': ['text/css', '@import "more.css"; h1 { color: rgb(1, 2, 3) }'],
  '/style/more.css': ['text/css', 'body { background: url(../reed.png) } @font-face { src: url(/reed.woff2) }'],
  '/frog.png': ['image/png', png],
  '/reed.png': ['image/png', png],
  '/reed.woff2': ['font/woff2', Buffer.from('wOF2')],
  '/app.js': ['text/javascript', 'document.body.dataset.app = "ran"'],
};
const asked: { path: string; atMs: number }[] = [];
let origin = '';
let way: readonly string[] = [];

before(async () => {
  const site = createServer((request, response) => {
    asked.push({ path: request.url!, atMs: Date.now() });
    const [type, body] = answers[request.url!] ?? [];
    if (type === undefined) return response.writeHead(404).end();
    return response.writeHead(200, { 'content-type': type }).end(body);
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  site.unref();
  const { port } = site.address() as AddressInfo;
  origin = `http://pond.test:${port}`;
  way = ['--resolve', `*.test:${port}:127.0.0.1`, '--contact', 'a@pond.test', '--with', 'archive'];
  const words = ['--requisites', '--delay', '50ms', '--data', join(folder, 'data'), '--json'];
  const crawl = await runCommand(['crawl', `${origin}/`, ...way, ...words]);
  assert.equal(crawl.code, 0, crawl.stderr);
  assert.equal(lastJson(crawl)['pages'], 2, 'what pages are built of is no page');
  const made = await runCommand(['warc', 'wacz', join(folder, 'data/archive'), '--out', wacz]);
  assert.equal(made.code, 0, made.stderr);
});

test('each requisite is requested once, at its host’s pace, if robots.txt allows it', async () => {
  const paths = asked.map(({ path }) => path);
  assert.deepEqual([...paths].sort(), Object.keys(answers).sort());
  // Clocks of whole milliseconds.
  for (const [n, { atMs, path }] of asked.slice(1).entries())
    assert.ok(atMs - asked[n]!.atMs >= 49, `${path} came ${atMs - asked[n]!.atMs} ms later`);
  const before = asked.length;
  const plain = ['--delay', '0', '--data', join(folder, 'plain')];
  const { code, stderr } = await runCommand(['crawl', `${origin}/`, ...way, ...plain]);
  assert.equal(code, 0, stderr);
  const more = asked.slice(before).map(({ path }) => path);
  assert.deepEqual(more.sort(), ['/', '/robots.txt', '/two'], 'without it, as ever');
});

test('pywb shows a page’s requisites', async (t) => {
  const environment = pythonEnvironment('pywb', ['pywb==2.10.0', 'setuptools<81']);
  const collections = join(folder, 'pywb');
  mkdirSync(collections);
  const manager = (...words: string[]) => run(join(environment, 'bin/wb-manager'), words, { cwd: collections });
  await manager('init', 'pond');
  await manager('add', '--unpack-wacz', 'pond', wacz);
  const port = await unusedPort();
  const options = { cwd: collections, stdio: 'ignore' } as const;
  const server = spawn(join(environment, 'bin/wayback'), ['-p', `${port}`, '-b', '127.0.0.1'], options);
  t.after(() => server.kill('SIGKILL'));
  const get = (path: string, modifier: string) =>
    fetch(`http://127.0.0.1:${port}/pond/${modifier}/${origin}${path}`).catch(() => undefined);
  const deadlineMs = Date.now() + 60_000;
  while ((await get('/', 'mp_')) === undefined) {
    assert.ok(Date.now() < deadlineMs, 'waited for pywb');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const picture = await get('/reed.png', 'im_');
  assert.ok(Buffer.from(await picture!.arrayBuffer()).equals(png));
  assert.match(await (await get('/style/main.css', 'cs_'))!.text(), /rgb\(1, 2, 3\)/);
});

test('ReplayWeb.page shows style, picture and the script’s effect', {
  skip: chromiumHere() === undefined && noBrowser,
}, async (t) => {
  const player = await openPlayer(t, wacz, `${origin}/`);
  // In the page: `document` is the browser's.
  const look = `({ color: getComputedStyle(document.querySelector('h1')).color,
    width: document.querySelector('#picture').naturalWidth, app: document.body.dataset.app })`;
  const shown = { color: 'rgb(1, 2, 3)', width: 1, app: 'ran' };
  const deadlineMs = Date.now() + 60_000;
  for (let seen: unknown[] = []; !seen.some((one) => JSON.stringify(one) === JSON.stringify(shown)); ) {
    assert.ok(Date.now() < deadlineMs, `the frames show ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen = await Promise.all(player.frames().map((frame) => frame.evaluate(look).catch(() => null)));
  }
  await player.screenshot({ path: join(folder, 'shown.png') });
});
