/** The desk for webmasters in a real chromium: from a host's name to a receipt, by keyboard, and nothing that it shows runs. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { serveSite } from '../services/fetcher/loopback.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { chromiumHere, noBrowser } from './chromium.ts';

const executablePath = chromiumHere();
const markup = `"'><img src=x onerror="window.ours=1"><script>window.ours=1</script>`;

test('a webmaster proves a host and gives orders in a browser, and hostile text stays text', {
  skip: executablePath === undefined && noBrowser,
  timeout: 600_000,
}, async (t) => {
  let proof = '';
  const site = await serveSite(t, ({ url = '/' }, response) => {
    if (url === '/robots.txt') return response.end(`User-agent: *\n# ${markup}\nDisallow: /no\n`);
    if (url === '/.well-known/crawlstream-desk.txt') return response.end(`${markup}\n${proof}\n`);
    const links = `<a href="/p?${markup.replaceAll('"', '&quot;')}">next</a>`;
    response.setHeader('content-type', 'text/html').end(`<title>${url}</title>${url === '/' ? links : ''}`);
  });
  const data = join(temporaryFolder(), 'data');
  const reach = ['--resolve', `*.test:${site.port}:127.0.0.1`];
  const host = `a.test:${site.port}`;
  const crawl = await runCommand(['crawl', `http://${host}/`, '--data', data, ...reach, '--delay', '20ms']);
  assert.equal(crawl.code, 0, crawl.stderr);
  const desk = startCommand(['desk', '--data', data, '--http', '127.0.0.1:0', ...reach], { patienceMs: 150_000 });
  t.after(() => desk.child.kill('SIGKILL'));
  const address = await listening(desk);
  await untilReady(address);
  const browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  t.after(() => browser.close());
  const page = await (await browser.newContext({ viewport: { width: 390, height: 800 } })).newPage();
  page.setDefaultTimeout(60_000);
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) troubles.push(message.text());
  });
  /** Of every page: it has a title, is styled, is no wider than a phone but for tables, and nothing ran. */
  const sound = async () => {
    await page.waitForLoadState('load');
    const seen = await page.evaluate(`({
      ours: 'ours' in window,
      foreign: document.querySelectorAll('script, img, iframe').length,
      styled: document.styleSheets[0].cssRules.length > 0,
      wide: document.documentElement.scrollWidth > window.innerWidth,
      unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter(({ labels }) => labels.length === 0).length,
    })`);
    assert.deepEqual(seen, { ours: false, foreign: 0, styled: true, wide: false, unlabelled: 0 });
    assert.notEqual(await page.title(), '');
  };
  const heading = () => page.locator('h1').textContent();
  const name = async (typed: string) => {
    await page.goto(`${address}/`);
    await page.getByLabel('Host').fill(typed);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/host\?/);
    await sound();
  };

  await page.goto(`${address}/`);
  assert.equal(await page.title(), 'Control how we crawl your host');
  await sound();
  for (const hostile of [markup, 'javascript:alert(1)', `${host}/<script>`]) {
    await name(hostile);
    assert.equal(await heading(), 'Request failed');
  }
  // A look-alike is shown as what it is.
  await name(`а.test:${site.port}`);
  assert.equal(await heading(), `Verify xn--80a.test:${site.port}`);
  await page.goto(`${address}/host?host=${encodeURIComponent(markup)}`);
  await sound();

  await name(host.toUpperCase());
  assert.equal(await page.title(), `Verify ${host}`);
  await page.getByRole('button', { name: 'Check the file' }).click();
  assert.match((await page.getByRole('alert').textContent()) ?? '', /no line there starts with/);
  await sound();
  proof = (await page.locator('pre').last().textContent()) ?? '';
  await page.getByRole('button', { name: 'Check the file' }).click();
  await page.getByRole('heading', { name: 'Newest requests' }).waitFor();
  assert.deepEqual([await page.title(), await heading()], [host, host]);
  await sound();
  assert.ok((await page.locator('pre.account').textContent())?.includes(markup), 'robots.txt, as text');

  await page.getByLabel(/Minimum seconds between two requests/).fill('30');
  await page.keyboard.press('Enter');
  assert.match((await page.locator('#receipt').textContent()) ?? '', /^[\w-]+\.[\w-]+\.[\w-]+$/);
  await page.getByText('and 30 s by an order for this host').waitFor();
  await sound();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('It is paused.').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('heading', { name: 'Ordered: resume' }).waitFor();
  // Without the box that says for good, the browser sends nothing.
  await page.getByRole('button', { name: 'Remove this host' }).click();
  assert.equal(await page.getByText('This host was removed').count(), 0);
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Remove this host' }).click();
  await page.getByText('This host was removed').waitFor();
  await sound();
  assert.deepEqual(troubles, []);
});
