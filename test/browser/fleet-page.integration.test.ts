/** The page of a fleet in a real chromium: crawls, shares and owners, what is done with them, and that what they met stays text. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startFleet } from '../services/extras/fleet/running-fleet.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { until } from '../services/until.ts';
import { chromiumHere, noBrowser } from './chromium.ts';

const executablePath = chromiumHere();
const markup = '<img src=x onerror="window.ours=1"><script>window.ours=1</script>';

describe('the page of a fleet in a browser', {
  skip: executablePath === undefined && noBrowser,
  timeout: 300_000,
}, () => {
  let browser: Browser;
  const troubles: string[] = [];
  /** Any number of pages, each of which links to two more; the title of each is markup. */
  const site = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const title = markup.replaceAll('<', '&lt;');
    response.setHeader('content-type', 'text/html');
    response.end(`<title>${title}</title><a href="${url}a/">a</a><a href="${url}b/">b</a>`);
  });
  let seed = '';

  before(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    seed = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  });
  after(async () => {
    await browser.close();
    site.close();
  });
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    assert.deepEqual(troubles.splice(0), []);
  });

  const open = async (base: string): Promise<Page> => {
    const page = await (await browser.newContext()).newPage();
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) troubles.push(message.text());
    });
    page.setDefaultTimeout(60_000);
    await page.goto(`${base}/`);
    return page;
  };
  const cells = (page: Page, name: string) => page.locator(`tr[data-crawl="${name}"] td`).allTextContents();

  it('the page of a fleet in a browser lists crawls with their shares; starts, pauses, resumes and opens one, and runs no script of theirs', async () => {
    const flags = ['--allow-private', '--contact', 'me@example.org', '--host-delay', '50ms'];
    const fleet = await startFleet(join(temporaryFolder(), 'fleet'), flags);
    after(() => fleet.running.child.kill('SIGKILL'));
    const policy = { delayMs: 50, delayFactor: 0, maxDepth: 100 };
    await fleet.create({ seeds: [seed], name: 'big', owner: markup, weight: 3, policy });
    await fleet.create({ seeds: [seed], name: 'small', owner: markup, weight: 1, policy });
    const page = await open(fleet.base);
    await page.locator('tr[data-crawl="big"]', { hasText: /running.*75 %/s }).waitFor();
    assert.deepEqual((await cells(page, 'big')).slice(0, 4), [markup, 'running', '3', '75 %']);
    assert.equal((await cells(page, 'small'))[3], '25 %');

    await page.getByRole('button', { name: 'Pause small' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('button', { name: 'Resume small' }).waitFor();
    assert.equal((await fleet.get('small')).state, 'paused');
    assert.equal((await cells(page, 'big'))[3], '100 %');
    await page.getByRole('button', { name: 'Resume small' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await fleet.get('small')).state, 'paused', 'nothing is done before it is confirmed');
    await page.getByRole('button', { name: 'Resume small' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause small' }).waitFor();

    await page.getByLabel('Seed').fill('no URL');
    await page.getByRole('button', { name: 'Start a crawl' }).click();
    await page.locator('#toast', { hasText: 'no URL' }).waitFor();
    await page.getByLabel('Seed').fill(seed);
    await page.getByRole('button', { name: 'Start a crawl' }).click();
    await page.locator('#toast', { hasText: 'has started' }).waitFor();
    await until(async () => (await fleet.list()).length === 3);

    await until(async () => (await fleet.get('big')).counts.pages > 0);
    await page.getByRole('button', { name: 'big', exact: true }).click();
    await page.locator('#one-pages td', { hasText: markup }).first().waitFor();
    assert.match((await page.locator('#one-text').textContent())!, /1 seed.*crawlstream dashboard --data/s);
    assert.equal(await page.evaluate('window.ours'), undefined);
    // All of it: hosts, queues, what is done to them, as of a crawl by itself.
    const whole = await page.context().newPage();
    await whole.goto(new URL((await page.locator('#one-dashboard').getAttribute('href'))!, page.url()).href);
    await whole.locator('#crawl', { hasText: 'big' }).waitFor();
    const { host } = new URL(seed);
    await whole.getByRole('link', { name: host, exact: true }).first().waitFor();
    const blocked = await fleet.call('POST', `/crawls/big/hosts/${host}/delay`, { amount: 5 });
    assert.equal(blocked.status, 202, JSON.stringify(blocked.body));
    assert.equal((await fleet.call('GET', '/crawls/none/dashboard/data')).status, 404);
    assert.equal(await page.locator('table img, table script').count(), 0);
    // A policy that lets no inline script run: what got in by another way would not run either.
    const { headers } = await fleet.call('GET', '/dashboard/');
    assert.match(
      headers.get('content-security-policy')!,
      /default-src 'none'.*script-src 'self';.*frame-ancestors 'none'/,
    );
    await page.getByRole('button', { name: 'End big' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.locator('tr[data-crawl="big"] td', { hasText: /^ended/ }).waitFor();
    await whole.locator('#connection', { hasText: 'crawl big has ended (stopped)' }).waitFor();

    await page.getByRole('button', { name: 'Delete big' }).click();
    await page
      .getByRole('dialog', { name: 'Delete big?' })
      .getByText(/all its other data are removed/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('#toast', { hasText: 'big was deleted' }).waitFor();
    assert.equal((await fleet.call('GET', '/v1/crawls/big')).status, 404);
  });

  it('the page of a fleet in a browser leaves single pages out of the list until they are asked for, and says what got nothing', async () => {
    const flags = ['--allow-private', '--contact', 'me@example.org', '--host-delay', '50ms'];
    const fleet = await startFleet(join(temporaryFolder(), 'fleet'), flags);
    after(() => fleet.running.child.kill('SIGKILL'));
    const nothing = createServer((_, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => nothing.listen(0, '127.0.0.1', resolve));
    after(() => nothing.close());
    const { port } = nothing.address() as AddressInfo;
    await fleet.create({ seeds: [`http://127.0.0.1:${port}/`], name: 'nothing' });
    const scraped = await fleet.call('POST', '/v1/scrape', { url: seed, waitSeconds: 50 });
    assert.equal(scraped.status, 200, JSON.stringify(scraped.body));
    const page = await open(fleet.base);
    await page.locator('tr[data-crawl="nothing"] td', { hasText: 'ended: nothing fetched' }).waitFor();
    await page.getByRole('button', { name: 'nothing', exact: true }).click();
    await page.locator('#one-text', { hasText: /nothing was fetched: .*gone 404/ }).waitFor();
    await page.locator('#one-more').waitFor({ state: 'hidden' });
    const single = page.locator('tr[data-crawl^="page-"]');
    assert.equal(await single.count(), 0);
    await page.getByLabel('single pages: 1').check();
    await single.waitFor();
    await page.reload();
    await single.waitFor();
  });

  it('the page of a crawl in a fleet says that the crawl has ended, while it is open and when it is opened later', async () => {
    const flags = ['--allow-private', '--contact', 'me@example.org', '--host-delay', '50ms'];
    const fleet = await startFleet(join(temporaryFolder(), 'fleet'), flags);
    after(() => fleet.running.child.kill('SIGKILL'));
    const policy = { delayMs: 300, delayFactor: 0, pageQuota: 20 };
    await fleet.create({ seeds: [seed], name: 'short', policy });
    await fleet.until('the crawl runs', ([crawl]) => crawl!.state === 'running');
    const page = await open(`${fleet.base}/crawls/short/dashboard`);
    await page.locator('#crawl', { hasText: 'short' }).waitFor();
    await page.locator('#connection', { hasText: 'This crawl has ended' }).waitFor();
    await page.waitForTimeout(8_000);
    assert.match((await page.locator('#connection').textContent())!, /This crawl has ended/, 'it goes on saying so');
    await page.reload();
    await page.locator('#connection', { hasText: 'crawl short has ended (quota)' }).waitFor();
  });

  it('the page of a fleet in a browser asks for a key if owners have keys, and shows an owner its own crawls and quotas only', async () => {
    const folder = temporaryFolder();
    const [ann, bob] = ['key-of-ann-0123456789', 'key-of-bob-0123456789'];
    const owners = join(folder, 'owners.yaml');
    writeFileSync(owners, '- { name: ann, key: { env: ANN }, pagesPerDay: 500 }\n- { name: bob, key: { env: BOB } }\n');
    const flags = ['--allow-private', '--contact', 'me@example.org', '--owners', owners];
    const env = { ...process.env, ANN: ann, BOB: bob };
    const fleet = await startFleet(join(folder, 'fleet'), flags, { env });
    after(() => fleet.running.child.kill('SIGKILL'));
    for (const [name, key] of [
      ['of-ann', ann],
      ['of-bob', bob],
    ] as const) {
      const made = await fleet.call('POST', '/v1/crawls', { seeds: [seed], name }, { authorization: `Bearer ${key}` });
      assert.equal(made.status, 201, JSON.stringify(made.body));
    }
    const page = await open(fleet.base);
    const give = async (key: string) => {
      await page.getByRole('textbox', { name: 'Token' }).fill(key);
      await page.getByRole('button', { name: 'Use it' }).click();
    };
    await give('a-wrong-key-0123456789');
    await page.getByText('The token is wrong').waitFor();
    await give(ann);
    await page.locator('tr[data-crawl="of-ann"]').waitFor();
    assert.equal(await page.locator('tr[data-crawl]').count(), 1);
    await page.locator('#owners-list td', { hasText: 'of 500' }).waitFor();
    assert.deepEqual(await page.locator('#owners-list tbody th').allTextContents(), ['ann']);
    // Another page of this browser has no key: it is kept in the one that asked.
    assert.equal(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length'), '00');

    await page.goto(`${fleet.base}/crawls/of-ann/dashboard/`);
    await give(ann);
    const host = page.getByRole('link', { name: new URL(seed).host, exact: true }).first();
    await host.waitFor();
    await page.locator('body.reads-only').waitFor();
    const forOperators = async () => (await page.locator('.operators:visible').allTextContents()).join();
    assert.equal(await forOperators(), '', 'nothing is offered that would be refused');
    assert.ok((await page.locator('.operators').count()) > 5);
    await host.click();
    await give(ann);
    await page.getByText('delay', { exact: true }).waitFor();
    await page.locator('body.reads-only').waitFor();
    assert.equal(await forOperators(), '');
  });
});
