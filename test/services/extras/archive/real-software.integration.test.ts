/**
 * A wiki's own software (DokuWiki, Debian's), crawled with what its pages are built of, and gone: pywb and ReplayWeb.page show
 * its pages with the styles and pictures that it showed itself.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { chromium, type Frame } from 'playwright-core';
import { pythonEnvironment } from '../../../../lab/bench/content/python-environment.ts';
import { runCommand } from '../../../../lab/process/command.ts';
import { chromiumHere, noBrowser } from '../../../browser/chromium.ts';
import { dokuwiki } from '../../../zoo/sites/dokuwiki.ts';
import { unusedPort } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { openPlayer } from './player.ts';

const run = promisify(execFile);
const skip = chromiumHere() === undefined && noBrowser;
const folder = temporaryFolder();
const wacz = join(folder, 'wiki.wacz');
const screenshots = process.env['CRAWLSTREAM_TEST_SCREENSHOTS'] ?? folder;
let url = '';
/** What the wiki itself showed. */
let live: Look;

interface Look {
  readonly heading: string;
  readonly colour: string;
  readonly font: string;
  readonly listed: number;
  /** Widths of pictures; 0: it did not load. */
  readonly pictures: readonly number[];
  readonly logoHigh: number;
}

/** In the page: `document` is the browser's. */
const look = `(() => { const heading = document.querySelector('h1.sectionedit1');
  return heading && { heading: heading.textContent, colour: getComputedStyle(document.querySelector('a.wikilink1')).color, font: getComputedStyle(document.body).fontFamily,
    listed: document.querySelectorAll('li.level1 a.wikilink1').length, logoHigh: Math.round(document.querySelector('#dokuwiki__header h1 img').getBoundingClientRect().height),
    pictures: [...document.images].filter((one) => !/taskrunner|indexer/.test(one.src)).map((one) => one.naturalWidth) } })()`;

async function untilShown(frames: () => readonly Frame[], what: string): Promise<Frame> {
  const deadlineMs = Date.now() + 60_000;
  for (let seen: unknown[] = []; ; ) {
    const at = seen.findIndex((one) => JSON.stringify(one) === JSON.stringify(live));
    if (at >= 0) return frames()[at]!;
    assert.ok(
      Date.now() < deadlineMs,
      `${what} shows ${JSON.stringify(seen)}, and the wiki showed ${JSON.stringify(live)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen = await Promise.all(frames().map((frame) => frame.evaluate(look).catch(() => null)));
  }
}

before(
  async () => {
    if (skip) return;
    const site = await dokuwiki.start();
    url = site.url;
    try {
      const browser = await chromium.launch({ executablePath: chromiumHere()!, args: ['--no-sandbox'] });
      const page = await browser.newPage();
      await page.goto(url, { waitUntil: 'load' });
      live = (await page.evaluate(look)) as Look;
      await page.screenshot({ path: join(screenshots, 'dokuwiki-live.png') });
      await browser.close();
      assert.ok(
        live.listed > 50 && live.pictures.length > 2 && live.pictures.every((width) => width > 0),
        JSON.stringify(live),
      );
      const way = ['--allow-private', '--contact', 'a@pond.test', '--delay', '0', '--with', 'archive'];
      const words = ['--requisites', '--max-pages', '12', '--data', join(folder, 'data')];
      const crawl = await runCommand(['crawl', url, ...way, ...words]);
      assert.equal(crawl.code, 0, crawl.stderr);
    } finally {
      await site.stop();
    }
    const made = await runCommand(['warc', 'wacz', join(folder, 'data/archive'), '--out', wacz]);
    assert.equal(made.code, 0, made.stderr);
  },
  { timeout: 600_000 },
);

test('ReplayWeb.page shows an archive of a crawl', { skip }, async (t) => {
  const player = await openPlayer(t, wacz, url);
  await untilShown(() => player.frames(), 'the player');
  await player.screenshot({ path: join(screenshots, 'dokuwiki-replayweb.png') });
});

test('pywb shows an archive of a crawl', { skip }, async (t) => {
  const environment = pythonEnvironment('pywb', ['pywb==2.10.0', 'setuptools<81']);
  const collections = join(folder, 'pywb');
  mkdirSync(collections);
  const manager = (...words: string[]) => run(join(environment, 'bin/wb-manager'), words, { cwd: collections });
  await manager('init', 'wiki');
  await manager('add', '--unpack-wacz', 'wiki', wacz);
  const port = await unusedPort();
  const server = spawn(join(environment, 'bin/wayback'), ['-p', `${port}`, '-b', '127.0.0.1'], {
    cwd: collections,
    stdio: 'ignore',
  });
  t.after(() => server.kill('SIGKILL'));
  const deadlineMs = Date.now() + 60_000;
  while ((await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)) === undefined) {
    assert.ok(Date.now() < deadlineMs, 'waited for pywb');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const browser = await chromium.launch({ executablePath: chromiumHere()!, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/wiki/mp_/${url}`, { waitUntil: 'load' });
  await untilShown(() => page.frames(), 'pywb');
  await page.screenshot({ path: join(screenshots, 'dokuwiki-pywb.png') });
});
