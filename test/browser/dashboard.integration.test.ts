/** The dashboard in a real chromium: what people see, click and hear of it, on crawls that are told of and on one that runs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createDashboard } from '../../services/dashboard/dashboard-routes.ts';
import type { HostListTold } from '../../services/dashboard/told.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { type HttpServer, startHttpServer } from '../../services/runtime/http/http-server.ts';
import { parseListenAddress } from '../../services/runtime/http/listen-address.ts';
import { Probes } from '../../services/runtime/http/probes.ts';
import { startCommand } from '../services/cli/command.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { chromiumHere, noBrowser } from './chromium.ts';
import { hostile, type State, states, type ToldCrawl, toldCrawl } from './told-crawl.ts';

const executablePath = chromiumHere();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Where pictures go of every state; absent: none are taken. */
const pictures = process.env['CRAWLSTREAM_SCREENSHOTS'];
const desktop = { width: 1_360, height: 900 };
const phone = { width: 390, height: 844 };

describe('the dashboard in a browser', { skip: executablePath === undefined && noBrowser, timeout: 300_000 }, () => {
  let browser: Browser;
  const servers: HttpServer[] = [];
  const troubles: string[] = [];

  before(async () => {
    browser = await chromium.launch({ executablePath: executablePath!, args: ['--no-sandbox'] });
  });
  after(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    for (const server of servers.splice(0)) await server.close();
    // Nothing the page did was refused by its own policy, and nothing threw.
    assert.deepEqual(troubles.splice(0), []);
  });

  const serve = async (told: ToldCrawl, port = '0', token?: string) => {
    const dashboard = createDashboard(new SystemClock(), () => told.view);
    const server = await startHttpServer({
      listen: parseListenAddress('--http', port),
      token,
      probes: new Probes(),
      metrics: async () => ({ type: 'text/plain', text: '' }),
      routes: [dashboard.routes],
      onBug: (error) => troubles.push(`${error}`),
    });
    servers.push(server);
    return server;
  };
  const open = async (address: string, options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('console', (message) => {
      // A server that is gone, or wants a token, is told by the page itself.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) troubles.push(message.text());
    });
    await page.goto(`http://${address}/`);
    await page.locator('#as-of:not(:empty)').waitFor();
    return page;
  };
  const show = async (state: State, options?: BrowserContextOptions) => {
    const told = toldCrawl(state);
    const page = await open((await serve(told)).address, options);
    return { told, page };
  };
  const hostsShown = (page: Page) => page.locator('.hosts tbody th').allTextContents();
  const picture = async (page: Page, name: string) => {
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  };

  const assertAccessible = async (page: Page) => {
    await page.evaluate(axe);
    const found = (await page.evaluate('axe.run({ resultTypes: ["violations"] })')) as {
      readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
    };
    assert.deepEqual(
      found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      [],
    );
  };

  /** What is to be read of each state, on a phone by now. */
  const says: Partial<Readonly<Record<State, (page: Page) => Promise<void>>>> = {
    // Charts begin with the crawl's past, and have a sentence and a table for those who do not see them.
    async live(page) {
      assert.equal(await page.locator('#troubles li').count(), 0);
      const chart = page.locator('#rates .chart');
      await chart.locator('canvas').waitFor();
      assert.match(
        (await chart.getAttribute('aria-label'))!,
        /^Pages and requests a second from .* pages: now 1\d\d\/s/,
      );
      await page.locator('#rates summary').click();
      await page.locator('#rates tbody tr').nth(11).waitFor();
      await page.getByRole('button', { name: 'Bytes' }).click();
      await page.locator('#rates .chart[aria-label*="received: now"]').waitFor();
      assert.match((await chart.getAttribute('aria-label'))!, /received: now [\d.]+ MB\/s/);
    },
    async empty(page) {
      assert.match((await page.locator('#troubles').textContent())!, /No URL has been admitted yet: give it one/);
    },
    async restoring(page) {
      assert.match((await page.locator('#partitions-list tbody tr').first().textContent())!, /18 %, 14 s left/);
    },
    async failing(page) {
      const said = await page.locator('#troubles li').allTextContents();
      assert.deepEqual(
        said.map((text) => text.replace(/\d+(,\d{3})*/g, 'N')),
        [
          'Nobody owns partitions N, N: start a frontier',
          'N % of the last minute’s fetches failed, most of them as timeout',
          'N messages of results are not decided yet',
          'N messages of discovered are not decided yet',
        ],
      );
      assert.match((await page.locator('#partitions-map').getAttribute('aria-label'))!, /nobody’s: 3, 5/);
    },
  };

  for (const state of states) {
    it(`is accessible, fits a desk and a phone, and says how it stands: a crawl that is ${state}`, async () => {
      const { page } = await show(state, { colorScheme: state === 'busy' ? 'dark' : 'light' });
      await page.locator('#hosts-size:not(:empty)').waitFor();
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        const width = () => page.evaluate('document.documentElement.scrollWidth') as Promise<number>;
        // Charts follow a frame later.
        for (let tries = 0; (await width()) > viewport.width && tries < 20; tries++) await sleep(50);
        assert.ok((await width()) <= viewport.width, `${await width()} wide on ${viewport.width}`);
        await picture(page, `${state}-${viewport.width}`);
      }
      await assertAccessible(page);
      await says[state]?.(page);
    });
  }

  it('searches and sorts hosts by keyboard alone', async () => {
    const { page } = await show('live');
    await page.locator('.hosts tbody tr').first().waitFor();
    assert.equal((await hostsShown(page))[0], 'www.example.org');
    const sorted = () =>
      page.evaluate(
        `[...document.querySelectorAll('.hosts th[aria-sort$="ending"]')].map((one) => one.textContent + one.ariaSort)`,
      );
    assert.deepEqual(await sorted(), ['Queueddescending']);
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the numbers');
    await page.locator('#hosts-search').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.hosts th[aria-sort=ascending]', { hasText: 'Host' }).waitFor();
    await page.locator('.hosts tbody tr:first-child th', { hasText: '<img' }).waitFor();
    await page.locator('#hosts-search').focus();
    await page.keyboard.type('EXAMPLE.edu');
    await page.getByText('30 of 37 found', { exact: true }).waitFor();
    assert.equal((await hostsShown(page)).length, 30);
  });

  it('asks before it blocks a host, takes no for an answer, and takes a block back', async () => {
    const { told, page } = await show('live');
    const button = page.getByRole('button', { name: 'Block www.example.org' });
    await button.click();
    assert.match((await page.getByRole('dialog').textContent())!, /Block www\.example\.org\?/);
    await page.keyboard.press('Escape');
    assert.deepEqual(told.acts, []);
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Block www.example.org', 'the focus is back');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('www.example.org is blocked').waitFor();
    await page.getByRole('button', { name: 'Release www.example.org' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('www.example.org is released').waitFor();
    await button.waitFor();
    assert.deepEqual(
      told.acts.map(({ act }) => act),
      ['block', 'release'],
    );
  });

  it('asks for a token where the service wants one, and again where it was wrong', async () => {
    const told = toldCrawl('live');
    const page = await open((await serve(told, '0', 'a-token-of-some-length')).address);
    await page.getByRole('button', { name: 'Release blocked.example' }).click();
    await page.locator('input[type=password]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('That token was refused').waitFor();
    assert.deepEqual(told.acts, []);
    await page.locator('input[type=password]').fill('a-token-of-some-length');
    await page.keyboard.press('Enter');
    await page.getByText('blocked.example is released').waitFor();
    assert.deepEqual(told.acts, [{ act: 'release', host: 'blocked.example' }]);
  });

  it('asks for the token before it shows anything beyond this machine, once for all that it shows', async () => {
    const told = toldCrawl('live');
    const { address } = await serve(told, '0.0.0.0:0', 'a-token-of-some-length');
    const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const url = `http://${address.replace('0.0.0.0', '127.0.0.1')}/`;
    await page.goto(url);
    await page.locator('input[type=password]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('That token was refused').waitFor();
    assert.equal(await page.locator('#as-of:not(:empty)').count(), 0);
    assert.deepEqual(await hostsShown(page), []);
    await page.locator('input[type=password]').fill('a-token-of-some-length');
    await page.keyboard.press('Enter');
    await page.locator('#as-of:not(:empty)').waitFor();
    await page.locator('.hosts tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Release blocked.example' }).click();
    await page.getByText('blocked.example is released').waitFor();
    // Who has none dismisses the question, and is not asked again and again.
    await page.goto(url);
    await page.locator('input[type=password]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing was done: it needs the token').first().waitFor();
    await sleep(500);
    assert.equal(await page.locator('input[type=password]').count(), 0);
  });

  it('explains a URL that is typed in, and shows what is hostile as the text it is', async () => {
    const { page } = await show('live');
    await page.locator('.hosts tbody tr').first().waitFor();
    assert.ok((await hostsShown(page)).includes(hostile.host));
    assert.equal(await page.locator('#letters .link').nth(1).textContent(), hostile.url);
    assert.ok(hostile.detail.startsWith((await page.locator('.detail').first().textContent())!.replace(/ …$/, '')));
    await page.locator('#letters .link').nth(1).click();
    await page.locator('.explained dd').first().waitFor();
    assert.equal(await page.locator('.explained dd').first().textContent(), hostile.url);
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.org/a');
    await page.keyboard.press('Enter');
    await page.locator('.explained dd', { hasText: 'https://example.org/a' }).waitFor();
    assert.deepEqual(await page.locator('.explained dd').allTextContents(), ['https://example.org/a', 'taken, band 3']);
    assert.equal(await page.evaluate('window.owned'), undefined);
    assert.equal(await page.locator('main img, main script, main svg').count(), 0);
  });

  it('leads from what is explained to its story, a picture and a table on a page of its own', async () => {
    const { page } = await show('live');
    await page.getByRole('textbox', { name: 'URL' }).fill(hostile.url);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Its whole story' }).click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), hostile.url);
    const texts = await page.locator('#story-events tbody tr td:nth-child(2)').allTextContents();
    assert.deepEqual(texts, [hostile.detail, hostile.detail]);
    await page.getByRole('img', { name: 'Timeline of 2 events' }).waitFor();
    const image = 'document.querySelector(".story-picture")';
    assert.equal(await page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`), 640);
    assert.equal(await page.evaluate('window.owned'), undefined);
    await assertAccessible(page);
    await picture(page, 'story');
    await page.goto(new URL(`/story?${new URLSearchParams({ url: 'https://example.org/a' })}`, page.url()).href);
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.match(await page.title(), /^https:\/\/example\.org\/a – /);
  });

  it('is light or dark as the system is, until somebody says otherwise', async () => {
    const { page } = await show('live', { colorScheme: 'dark' });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await background();
    const button = page.getByRole('button', { name: /Colours/ });
    await button.click();
    assert.equal(await button.getAttribute('aria-label'), 'Colours: light');
    const light = await background();
    assert.notEqual(light, dark);
    await page.reload();
    assert.equal(await background(), light, 'it is kept');
    await button.click();
    assert.equal(await background(), dark);
  });

  it('says how old its numbers are while nobody answers, and goes on by itself', async () => {
    const told = toldCrawl('live');
    const server = await serve(told);
    const page = await open(server.address);
    told.failure = new Error('no broker answers');
    await page.getByText(/no broker answers\. What is shown is of \d\d:\d\d:\d\d/).waitFor();
    told.failure = undefined;
    await page.locator('#connection.shown').waitFor({ state: 'hidden' });
    await server.close();
    servers.length = 0;
    await page.getByText(/does not answer: trying again in \d+ s/).waitFor();
    assert.equal(await page.locator('#standing').textContent(), 'disconnected');
    await picture(page, 'disconnected-1360');
    await serve(told, server.address);
    await page.locator('#standing[data-standing="running"]').waitFor();
    assert.ok(!(await page.locator('#connection').isVisible()));
  });

  it('blocks a host of a crawl that runs, which then leaves it alone, and releases it', async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 200, domains: 2 });
    const data = join(temporaryFolder(), 'data');
    const crawl = startCommand([
      ...small.crawlArguments,
      '--delay',
      '150',
      '--data',
      data,
      '--dashboard',
      '127.0.0.1:0',
    ]);
    while (!crawl.output().includes('/dashboard/')) await sleep(20);
    const [, address] = /http:\/\/(\S+)\/dashboard\//.exec(crawl.output())!;
    const page = await open(address!);
    const host = new URL(small.seeds[0]!).host;
    await page.getByRole('button', { name: `Block ${host}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByRole('button', { name: `Release ${host}` }).waitFor();
    const { hosts } = (await (await fetch(`http://${address}/dashboard/hosts?search=${host}`)).json()) as HostListTold;
    assert.equal(hosts[0]!.hold, 'blocked');
    await sleep(500);
    const requests = () =>
      small.web.requests().filter((one) => small.plan.hosts[one.host] === new URL(small.seeds[0]!).hostname);
    const before = requests().length;
    await sleep(700);
    assert.equal(requests().length, before, 'no request after the block');
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: `Block ${host}` }).waitFor();
    while (requests().length === before) await sleep(50);
    crawl.child.kill('SIGTERM');
    await page.getByText(/This crawl has ended \(stopped\)/).waitFor();
    assert.equal((await crawl.ended).code, 130);
  });
});
