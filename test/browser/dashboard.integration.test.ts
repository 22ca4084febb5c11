/** The dashboard in a real chromium: what people see, click and hear of it, on crawls that are told of and on one that runs. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { startCommand } from '../../lab/process/command.ts';
import { createDashboard } from '../../services/extras/dashboard/dashboard-routes.ts';
import type { HostListStatus } from '../../services/extras/dashboard/status.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { type HttpServer, startHttpServer } from '../../services/runtime/http/http-server.ts';
import { parseListenAddress } from '../../services/runtime/http/listen-address.ts';
import { Probes } from '../../services/runtime/http/probes.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { chromiumHere, noBrowser } from './chromium.ts';
import {
  hostile,
  type State,
  shownCrawl,
  states,
  type TracedCrawl,
  withoutRecord,
  withPlainNames,
} from './shown-crawl.ts';

const executablePath = chromiumHere();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** The folder for pictures; absent: none are taken. Those of the documents are in `docs/pictures/`. */
const pictures = process.env['CRAWLSTREAM_TEST_SCREENSHOTS'];
const desktop = { width: 1_360, height: 900 };
const wide = { width: 1_400, height: 900 };
const phone = { width: 390, height: 844 };

describe('the dashboard in a browser', { skip: executablePath === undefined && noBrowser, timeout: 900_000 }, () => {
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

  const serve = async (reported: Pick<TracedCrawl, 'view'>, port = '0', token?: string) => {
    const dashboard = createDashboard(new SystemClock(), () => reported.view);
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
    const reported = shownCrawl(state);
    const page = await open((await serve(reported)).address, options);
    return { told: reported, page };
  };
  const hostsShown = (page: Page) => page.locator('.hosts tbody th').allTextContents();
  /** What is wider than the place it has, and would have to be scrolled sideways. */
  const sideways = (page: Page) =>
    page.evaluate(
      `[...document.querySelectorAll('.scroll, .panel, dialog')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => [one.ariaLabel, one.id, one.getAttribute('aria-labelledby'), one.scrollWidth, one.clientWidth].join(' '))`,
    );
  const belowFirstScreen = (page: Page) =>
    page.evaluate(
      `scrollTo(0, 0), [...document.querySelectorAll('#phase, .tile, #troubles li:first-child')].filter((one) => one.getBoundingClientRect().bottom > innerHeight).map((one) => one.textContent)`,
    );
  /** The tables that are scrolled, and end within a row. */
  const cutTables = (page: Page) =>
    page.evaluate(
      `[...document.querySelectorAll('.scroll')].filter((place) => {
        place.scrollTop = 0;
        const { top, bottom } = place.getBoundingClientRect();
        const ends = [...place.querySelectorAll('tr')].map((row) => row.getBoundingClientRect().bottom);
        return place.scrollHeight > place.clientHeight + 1 && ends.some((end) => end > top) && !ends.some((end) => Math.abs(end - bottom) <= 1);
      }).map((place) => place.ariaLabel)`,
    );
  const picture = async (page: Page, name: string, fullPage = true) => {
    if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage });
  };

  const pictureMap = async (page: Page, colorScheme: 'light' | 'dark') => {
    const viewport = colorScheme === 'light' ? wide : phone;
    await page.setViewportSize(viewport);
    await page.getByRole('button', { name: 'Draw the map' }).click();
    await page.locator('#host-map svg').waitFor();
    if (pictures === undefined) return;
    const path = join(pictures, `map-${viewport.width}-${colorScheme}.png`);
    await page.locator(viewport === wide ? '#host-map' : '#host-map-picture').screenshot({ path });
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
      assert.equal(await page.title(), 'news: crawling – Crawlstream');
      const about = (await page.locator('#about').textContent())!;
      assert.match(
        about,
        /^\d+ min since .* · seeds https:\/\/www\.example\.org\/ .* · scope domains example\.org · --data/,
      );
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
      // What the crawl has not got has no place on the page.
      for (const absent of ['#search', '#host-map', '#duplicates'])
        assert.ok(!(await page.locator(absent).isVisible()), absent);
      assert.match((await page.locator('#troubles').textContent())!, /No URL has been admitted yet: add one/);
      // A panel with nothing to show is one line.
      const heights = (await page.evaluate(
        `[...document.querySelectorAll('.folded')].map((one) => [one.querySelector('h2').textContent, one.clientHeight])`,
      )) as [string, number][];
      const names = [
        'Throughput',
        'Frontier depth',
        'Errors of the last hour',
        'Hosts with most errors',
        'URLs by outcome',
        'Outcomes of the last minute',
        'Freshness',
        'Hosts',
      ];
      assert.deepEqual(
        heights.map(([name]) => name),
        [...names, 'Dead letters', 'Newest fetches'],
      );
      for (const [name, height] of heights) assert.ok(height < 100, `${name}: ${height}`);
    },
    async done(page) {
      assert.equal(await page.locator('#phase').textContent(), 'ended: nothing left to do');
      assert.equal(await page.locator('.tile-value').first().textContent(), '–', 'no rate of a crawl that has ended');
      assert.ok(!(await page.locator('#pause').isVisible()));
      // What ended without a page is there by reason, and each reason opens to its URLs.
      const note = page.locator('#troubles a[href="#failures"]');
      assert.match((await note.textContent())!, /^[\d,]+ URLs ended without a page: [\d,]+ failed, /);
      const reasons = page.locator('#failures-list summary');
      await reasons.nth(1).waitFor();
      assert.deepEqual(await reasons.allTextContents(), ['gone (404) 1,300', 'timeout, waiting for a retry 1']);
      assert.equal(await page.locator('#failures-list li').first().isVisible(), false);
      await reasons.first().click();
      assert.deepEqual(await page.locator('#failures-list details[open] li').allTextContents(), [
        `${hostile.url}${hostile.detail}`,
        'https://www.example.org/gone',
        '… and 1,298 more',
      ]);
      assert.equal(await page.locator('#failures-list > .hint').textContent(), '3 rarer reasons');
      assert.equal(await page.evaluate('window.owned'), undefined);
      assert.deepEqual(await sideways(page), []);
      await assertAccessible(page);
    },
    async retrying(page) {
      assert.equal(await page.locator('#phase').textContent(), 'waiting for retries');
      assert.equal(await page.title(), 'www.example.org: waiting for retries – Crawlstream', 'it has no name');
      assert.equal(await page.locator('h1').textContent(), 'www.example.org');
      assert.match(
        (await page.locator('#troubles li').first().textContent())!,
        /^Nothing is fetched now: 63 URLs of 2 hosts wait for a retry\. The next try is at 20\d\d-.* UTC$/,
      );
      await page.getByRole('button', { name: 'List by reason' }).click();
      await page.locator('#failures-list summary').first().waitFor();
    },
    async idle(page) {
      assert.equal(await page.locator('#phase').textContent(), 'not running');
      assert.match(
        (await page.locator('#troubles').textContent())!,
        /^No process runs this crawl. It was last written 18 minutes ago, at .* UTC. To continue: crawlstream crawl --data crawl-data\/example.org$/,
      );
      assert.equal(await page.locator('.tile-value').first().textContent(), '–', 'no rate of what nobody runs');
      for (const absent of ['#pause', '#stop']) assert.ok(!(await page.locator(absent).isVisible()), absent);
      assert.equal(
        await page.locator('#steering').textContent(),
        'No process runs the crawl: there is nothing to stop.',
      );
      const partitions = await page.locator('#partitions-list tbody td .state').allTextContents();
      assert.deepEqual([...new Set(partitions)], ['not running']);
    },
    async restoring(page) {
      assert.match((await page.locator('#partitions-list tbody tr').first().textContent())!, /18 %, 14 s left/);
    },
    async failing(page) {
      const said = await page.locator('#troubles li').allTextContents();
      assert.deepEqual(
        said.map((text) => text.replace(/\d+(,\d{3})*/g, 'N')),
        [
          'No process owns partitions N, N: start a frontier',
          'N % of the last minute’s fetches failed, most of them as timeout',
          'slow.example.com fails: N failures in a row, N URLs waiting',
          'N messages of results are not processed yet',
          'N messages of discovered are not processed yet',
        ],
      );
      assert.match((await page.locator('#partitions-map').getAttribute('aria-label'))!, /nobody’s: 3, 5/);
      await page.locator('#troubles a[href="page/host.html?host=slow.example.com"]').waitFor();
      await page.locator('#errors-chart .chart[aria-label*="timeout: now"]').waitFor();
      const erring = await page.locator('#errors-hosts tbody tr').allTextContents();
      assert.deepEqual(erring, [
        'slow.example.comtimeout4,812https://slow.example.com/report',
        `${hostile.host}timeout12${hostile.url}`,
      ]);
    },
  };

  for (const state of states) {
    it(`the dashboard in a browser is accessible, fits a desktop and a phone, and shows the state: a crawl that is ${state}`, async () => {
      const { page } = await show(state, { colorScheme: state === 'busy' ? 'dark' : 'light' });
      await page.locator('#hosts-size:not(:empty)').waitFor();
      for (const viewport of [desktop, phone]) {
        await page.setViewportSize(viewport);
        const width = () => page.evaluate('document.documentElement.scrollWidth') as Promise<number>;
        // Charts follow a frame later.
        for (let tries = 0; (await width()) > viewport.width && tries < 20; tries++) await sleep(50);
        assert.ok((await width()) <= viewport.width, `${await width()} wide on ${viewport.width}`);
        if (viewport === phone) {
          assert.deepEqual(await sideways(page), [], 'no table is scrolled sideways');
          assert.deepEqual(await belowFirstScreen(page), [], 'figures and the first warning need no scrolling');
        }
        assert.deepEqual(await cutTables(page), []);
        await picture(page, `${state}-${viewport.width}`);
      }
      await assertAccessible(page);
      await says[state]?.(page);
    });
  }

  for (const [name, state] of [
    ['running', 'live'],
    ['failing', 'failing'],
    ['ended', 'done'],
  ] as const) {
    it(`the dashboard in a browser shows state, figures and worst trouble on the first screen, as in the pictures of the documents: a crawl that is ${name}`, async () => {
      const { address } = await serve({ view: withPlainNames(shownCrawl(state).view) });
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await open(address, { colorScheme });
        for (const viewport of [wide, phone]) {
          await page.setViewportSize(viewport);
          await page.locator('#rates canvas').waitFor();
          assert.deepEqual(await belowFirstScreen(page), []);
          await sleep(200);
          await picture(page, `${name}-${viewport.width}-${colorScheme}`, false);
        }
        if (state === 'live') await pictureMap(page, colorScheme);
      }
    });
  }

  it('the dashboard in a browser adds a seed, sends dead letters again and stops the crawl, each after a question', async () => {
    const { page, told: reported } = await show('live');
    const agree = async (yes: string, command: RegExp) => {
      const dialog = page.getByRole('dialog');
      assert.match((await dialog.locator('code').textContent())!, command);
      await dialog.getByRole('button', { name: yes, exact: true }).click();
    };
    await page.getByRole('textbox', { name: 'URL' }).fill('example.org/new');
    await page.getByRole('button', { name: 'Add as a seed' }).click();
    await agree('Add', /^crawlstream inject 'example\.org\/new'$/);
    await page.locator('#toast', { hasText: 'example.org/new is added' }).waitFor();
    await page.getByRole('button', { name: 'Send 3 again' }).click();
    await agree('Send again', /^crawlstream dlq replay 0\/17 0\/16 1\/4$/);
    await page.locator('#toast', { hasText: 'Sent 3 dead letters again' }).waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await agree('Stop', /Ctrl-C/);
    await page.locator('#toast', { hasText: 'The crawl stops' }).waitFor();
    assert.deepEqual(
      [reported.added, reported.replayed, reported.steered],
      [['example.org/new'], ['0/17', '0/16', '1/4'], ['stop']],
    );
  });

  it('the dashboard in a browser searches and sorts hosts by keyboard only', async () => {
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
    // The view can be sent.
    assert.equal(new URL(page.url()).search, '?sort=name&search=EXAMPLE.edu');
    await page.reload();
    await page.getByText('30 of 37 found', { exact: true }).waitFor();
    await page.locator('.hosts th[aria-sort=ascending]', { hasText: 'Host' }).waitFor();
  });

  it('the dashboard in a browser leads from a host to its page with its queue, and to a URL’s history, on a phone too', async () => {
    const { page, told: reported } = await show('live', { viewport: phone });
    for (const host of ['slow.example.com', hostile.host]) {
      await page.getByRole('link', { name: host, exact: true }).click();
      await page.locator('#queue tbody tr').nth(49).waitFor();
      assert.equal(await page.locator('h1').textContent(), host);
      assert.equal(await page.locator('#queue tbody tr td a').first().textContent(), `https://${host}/page/0`);
      await page.getByRole('button', { name: 'More URLs' }).click();
      await page.getByRole('link', { name: `https://${host}/last` }).waitFor();
      assert.equal(await page.locator('#queue tbody tr').count(), 51);
      assert.deepEqual(await sideways(page), []);
      await assertAccessible(page);
      await picture(page, `host-${host === hostile.host ? 'hostile' : 'slow'}-390`);
      await page.getByRole('link', { name: 'The crawl' }).click();
      await page.locator('.hosts tbody tr').first().waitFor();
    }
    await page.goto(new URL('page/host.html?host=slow.example.com', page.url()).href);
    const facts = page.locator('#stands');
    await facts.getByText('3, the first in', { exact: false }).waitFor();
    assert.match((await facts.textContent())!, /retrying3, the first in [89](\.\d)? s; the newest was timeout/);
    await page.getByRole('button', { name: 'Block slow.example.com' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click();
    await page.getByText('an operator blocked it').waitFor();
    assert.deepEqual(reported.acts, [{ act: 'block', host: 'slow.example.com', amount: null }]);
    await page.getByRole('link', { name: hostile.url }).first().click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), hostile.url);
    assert.equal(await page.evaluate('window.owned'), undefined);
    await page.goto(new URL('host.html?host=never.example', page.url()).href);
    await page.getByText('the crawl does not know host never.example').waitFor();
    // A slow answer is waited for in words.
    let answer = () => {};
    const late = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/dashboard/host?*', async (route) => {
      await late;
      await route.continue();
    });
    await page.goto(new URL('host.html?host=slow.example.com', page.url()).href);
    await page.locator('#stands-size', { hasText: 'loading …' }).waitFor();
    assert.equal(await page.title(), 'slow.example.com – Crawlstream');
    answer();
    await page.locator('#stands-size', { hasText: 'as of' }).waitFor();
  });

  it('the dashboard in a browser gives the reason beside each state, and an example with its history beside each failure', async () => {
    const { page } = await show('live');
    await page.locator('.hosts tbody tr').first().waitFor();
    const stateOf = async (host: string) =>
      page.locator(`.hosts tbody tr[data-host="${host}"] td`).nth(0).locator('span').allTextContents();
    assert.deepEqual(await stateOf('slow.example.com'), ['waiting', 'backs off after 5 failures in a row: timeout']);
    assert.deepEqual(await stateOf('shop.example.net'), ['waiting', 'slowed down after 3 throttled answers']);
    assert.deepEqual(await stateOf('h001.example.edu'), ['waiting', 'its delay of 1 s']);
    assert.deepEqual(await stateOf('blocked.example'), ['blocked', 'by an operator']);
    assert.match((await stateOf('dead.example')).join(' '), /^dead not requested again for (1 h 0|59) min/);
    const retried = page.locator('#places tr', { hasText: 'retrying' });
    assert.match((await retried.textContent())!, /timeout, as of https:\/\/slow\.example\.com\/report/);
    const gone = page.locator('.causes dd', { hasText: 'shop.example.net' });
    await gone.getByRole('link').click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(
      await page.getByRole('textbox', { name: 'URL' }).inputValue(),
      'https://shop.example.net/item?id=174&view=full',
    );
  });

  it('the dashboard in a browser announces the effect of an action, can cancel it, and can undo a block', async () => {
    const { told: reported, page } = await show('live');
    const button = page.getByRole('button', { name: 'Block www.example.org' });
    const dialog = page.getByRole('dialog');
    await button.click();
    assert.match((await dialog.textContent())!, /Block www\.example\.org\?Requests in progress end.* 9,204 URLs/);
    assert.match((await dialog.textContent())!, /The same as crawlstream block www\.example\.org/);
    await page.keyboard.press('Escape');
    assert.deepEqual(reported.acts, []);
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Block www.example.org', 'the focus is back');
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Block' }).click();
    await page.getByText('www.example.org is blocked').waitFor();
    await page.getByRole('button', { name: 'Unblock www.example.org' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('www.example.org is unblocked').waitFor();
    await button.waitFor();
    await page.getByRole('button', { name: 'Delay www.example.org' }).click();
    const set = dialog.getByRole('button', { name: 'Set' });
    await dialog.getByRole('textbox').fill('soon');
    await dialog.getByText('Enter a time, as in 5s').waitFor();
    assert.ok(await set.isDisabled());
    await dialog.getByRole('textbox').fill('30s');
    await dialog.getByText('2 requests a minute at most').waitFor();
    assert.match((await dialog.textContent())!, /9,204 URLs that wait would take 3\.2 days at least/);
    assert.match((await dialog.textContent())!, /crawlstream delay www\.example\.org 30s/);
    await picture(page, 'dialog-delay');
    await set.click();
    await page.getByText('The delay of www.example.org is 30 s').waitFor();
    await page.getByRole('button', { name: 'Limit www.example.org' }).click();
    await dialog.getByRole('textbox').fill('1000');
    await dialog.getByText(/pages, then the rest of its queue is deferred/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('The limit of www.example.org is 1000 pages').waitFor();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    assert.match((await dialog.textContent())!, /61 leases that are out end in order/);
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The crawl is paused', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    assert.deepEqual(reported.steered, ['pause']);
    assert.deepEqual(
      reported.acts.map(({ act, amount }) => [act, amount]),
      [
        ['block', null],
        ['unblock', null],
        ['delay', 30_000],
        ['limit', 1_000],
      ],
    );
  });

  it('the dashboard in a browser asks for a token if the service needs one, and again if it was wrong', async () => {
    const reported = shownCrawl('live');
    const page = await open((await serve(reported, '0', 'a-token-of-some-length')).address);
    await page.getByRole('button', { name: 'Unblock blocked.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
    await page.locator('input[type=password]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The token is wrong').waitFor();
    assert.deepEqual(reported.acts, []);
    await page.locator('input[type=password]').fill('a-token-of-some-length');
    await page.keyboard.press('Enter');
    await page.getByText('blocked.example is unblocked').waitFor();
    assert.deepEqual(reported.acts, [{ act: 'unblock', host: 'blocked.example', amount: null }]);
  });

  it('the dashboard in a browser asks for the token before it shows anything beyond this machine, once for everything', async () => {
    const reported = shownCrawl('live');
    const { address } = await serve(reported, '0.0.0.0:0', 'a-token-of-some-length');
    const context = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce' });
    const page = await context.newPage();
    const url = `http://${address.replace('0.0.0.0', '127.0.0.1')}/`;
    await page.goto(url);
    await page.locator('input[type=password]').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The token is wrong').waitFor();
    assert.equal(await page.locator('#as-of:not(:empty)').count(), 0);
    assert.deepEqual(await hostsShown(page), []);
    await page.locator('input[type=password]').fill('a-token-of-some-length');
    await page.keyboard.press('Enter');
    await page.locator('#as-of:not(:empty)').waitFor();
    await page.locator('.hosts tbody tr').first().waitFor();
    await page.getByRole('button', { name: 'Unblock blocked.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock' }).click();
    await page.getByText('blocked.example is unblocked').waitFor();
    // Who has none dismisses the question, and is not asked again and again.
    await page.goto(url);
    await page.locator('input[type=password]').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('Nothing was done: the token').first().waitFor();
    await sleep(500);
    assert.equal(await page.locator('input[type=password]').count(), 0);
  });

  it('the dashboard in a browser explains a typed URL, and shows hostile text as text', async () => {
    const { page } = await show('live');
    await page.locator('.hosts tbody tr').first().waitFor();
    assert.ok((await hostsShown(page)).includes(hostile.host));
    assert.equal(await page.locator('#letters a').nth(1).textContent(), hostile.url);
    const detail = (await page.locator('#letters .detail').first().textContent())!;
    assert.ok(hostile.detail.startsWith(detail.replace(/ …$/, '')));
    await page.getByRole('textbox', { name: 'URL' }).fill('https://example.org/a');
    await page.keyboard.press('Enter');
    await page.locator('.explained dd a', { hasText: 'https://example.org/a' }).waitFor();
    assert.deepEqual(await page.locator('.explained dd').allTextContents(), [
      'https://example.org/a',
      'admitted, front queue 3',
    ]);
    assert.equal(await page.evaluate('window.owned'), undefined);
    assert.equal(await page.locator('main img, main script, main svg').count(), 0);
  });

  it('the dashboard in a browser finds pages by their words, and lists duplicates with the page that represents them', async () => {
    const { page } = await show('live');
    const search = page.getByRole('searchbox', { name: 'Words' });
    await search.fill('none');
    await page.keyboard.press('Enter');
    await page.getByText('No page has these words.').waitFor();
    await search.fill('harbor');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.locator('#found td a').waitFor();
    const texts = await page.locator('#found td > *').allTextContents();
    assert.deepEqual(texts, [hostile.detail, hostile.url, `a [harbor] ${hostile.detail}`]);
    await page.getByRole('button', { name: 'List clusters' }).click();
    await page.locator('#duplicates-list tbody tr').waitFor();
    assert.equal(await page.locator('#duplicates-size').textContent(), '2 clusters, the 1 largest');
    assert.deepEqual(await page.locator('#duplicates-list tbody td').allTextContents(), [
      'https://www.example.org/news',
      '2 exact, 1 near',
      `${hostile.url} exacthttps://www.example.org/news?print=1 near… and 1 more`,
    ]);
    assert.equal(await page.evaluate('window.owned'), undefined);
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      assert.deepEqual(await sideways(page), []);
      await assertAccessible(page);
    }
    await page.locator('#found td a').click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), hostile.url);
  });

  it('the dashboard in a browser draws a map of hosts for a desktop and a phone, with a table of the same, by keyboard only', async () => {
    const reported = shownCrawl('live');
    const { edges } = await reported.view.hostMap();
    const page = await open((await serve(reported)).address);
    await page.getByRole('button', { name: 'Draw the map' }).focus();
    await page.keyboard.press('Enter');
    const map = page.getByRole('img', {
      name: `Map of 40 hosts and ${edges.length} connections; the table has the same.`,
    });
    await map.waitFor();
    assert.equal(
      await page.locator('#host-map-size').textContent(),
      `40 hosts (1,204 left out), ${edges.length} connections (12 left out); an estimate: not all hosts and links were read`,
    );
    assert.equal(await map.locator('circle').count(), 40);
    assert.equal(await map.locator('path').count(), edges.length);
    const titles = await map.locator('title').allTextContents();
    assert.deepEqual(titles.slice(0, 3), [
      'www.example.org: 9,204 pages',
      'shop.example.net: 4,100 pages',
      `${hostile.host}: 800 pages`,
    ]);
    const rows = page.locator('#host-map-list tbody tr');
    assert.match((await rows.nth(0).textContent())!, /^www\.example\.org9,204shop\.example\.net 1,700/);
    assert.ok((await rows.nth(2).textContent())!.startsWith(`${hostile.host}800www.example.org 900`));
    // Names are as large as they are drawn, and none is cut by the edge of the picture.
    for (const viewport of [desktop, phone]) {
      await page.setViewportSize(viewport);
      await page.waitForFunction(
        `document.querySelector('#host-map-picture svg').width.baseVal.value <= document.querySelector('#host-map-picture').clientWidth`,
      );
      const place = (await map.boundingBox())!;
      const labels = (await page.evaluate(
        `[...document.querySelectorAll('#host-map-picture text')].map((one) => {
          const { left, right, top, bottom } = one.getBoundingClientRect();
          const { width } = one.ownerSVGElement.getBoundingClientRect();
          const fontPx = (Number.parseFloat(getComputedStyle(one).fontSize) * width) / one.ownerSVGElement.viewBox.baseVal.width;
          return { left, right, top, bottom, name: one.textContent, fontPx };
        })`,
      )) as { left: number; right: number; top: number; bottom: number; name: string; fontPx: number }[];
      for (const { left, right, top, bottom, name, fontPx } of labels) {
        assert.ok(fontPx > 10.9, `${name}: ${fontPx} px`);
        assert.ok(left >= place.x - 1 && right <= place.x + place.width + 1, `${name} is cut: ${left} to ${right}`);
        assert.ok(top >= place.y - 1 && bottom <= place.y + place.height + 1, `${name} is cut: ${top} to ${bottom}`);
      }
      assert.deepEqual(await sideways(page), []);
      assert.deepEqual(await cutTables(page), []);
      await assertAccessible(page);
    }
    await page.setViewportSize(desktop);
    await rows.nth(2).getByRole('link').focus();
    const fillOf = (line: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('#host-map-picture ${line}')).fill`);
    const [from, to, other] = [
      await fillOf('[data-from="2"]'),
      await fillOf('[data-to="2"]'),
      await fillOf('[data-from="0"]'),
    ];
    assert.ok(from !== other && to !== other, 'the lines of the row with the focus stand out');
    assert.equal(await page.evaluate('window.owned'), undefined);
    await page.keyboard.press('Enter');
    await page.locator('#queue tbody tr').first().waitFor();
    assert.equal(await page.locator('h1').textContent(), hostile.host);
  });

  it('the dashboard in a browser leads from an explanation to the history, a picture and a table on a separate page', async () => {
    const { page } = await show('live');
    await page.getByRole('textbox', { name: 'URL' }).fill(hostile.url);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All events of this URL' }).click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), hostile.url);
    const texts = await page.locator('#story-events tbody tr td:nth-child(2)').allTextContents();
    assert.deepEqual(texts, [hostile.detail, hostile.detail]);
    assert.deepEqual(await page.locator('#record dd, #text pre').allTextContents(), [hostile.detail, hostile.detail]);
    assert.deepEqual(await page.locator('#links tbody td').allTextContents(), [
      hostile.url,
      'refused by scope: <b>not in it</b>',
    ]);
    const screenshot = page.getByRole('img', { name: 'Screenshot of the page in the browser that rendered it' });
    await screenshot.waitFor();
    const jpeg = 'document.querySelector(".screenshot")';
    assert.equal(await page.evaluate(`${jpeg}.decode().then(() => ${jpeg}.naturalWidth)`), 16);
    await page.getByRole('img', { name: 'Timeline of 2 events' }).waitFor();
    const image = 'document.querySelector(".story-picture")';
    assert.equal(await page.evaluate(`${image}.decode().then(() => ${image}.naturalWidth)`), 640);
    assert.equal(await page.evaluate('window.owned'), undefined);
    assert.deepEqual(await sideways(page), [], 'long words of others push nothing out of sight');
    await assertAccessible(page);
    await picture(page, 'story');
    const drawnBy = () => page.evaluate(`getComputedStyle(${image}).filter`);
    assert.equal(await drawnBy(), 'none');
    await page.emulateMedia({ colorScheme: 'dark' });
    assert.match(`${await drawnBy()}`, /invert/, 'drawn on white, it is turned dark with the page');
    await picture(page, 'story-dark');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(phone);
    assert.deepEqual(await sideways(page), [], 'a story is read from above on a phone');
    assert.ok(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= phone.width);
    await assertAccessible(page);
    await picture(page, 'story-390');
    await page.setViewportSize(desktop);
    await page.goto(new URL(`/story?${new URLSearchParams({ url: withoutRecord })}`, page.url()).href);
    await page.locator('#story-events tbody tr').first().waitFor();
    await page.locator('#record', { hasText: 'this release has no records' }).waitFor();
    assert.match(await page.title(), /^https:\/\/example\.org\/no-record – /);
  });

  it('the dashboard in a browser follows the system’s light or dark mode, until the user chooses', async () => {
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

  it('the dashboard in a browser shows the age of its numbers without a connection, and reconnects', async () => {
    const reported = shownCrawl('live');
    const server = await serve(reported);
    const page = await open(server.address);
    reported.failure = new Error('no broker answers');
    await page.getByText(/no broker answers\. The data is from \d\d:\d\d:\d\d/).waitFor();
    reported.failure = undefined;
    await page.locator('#connection.shown').waitFor({ state: 'hidden' });
    await server.close();
    servers.length = 0;
    await page.getByText(/does not answer: retrying in \d+ s/).waitFor();
    assert.equal(await page.locator('#phase').textContent(), 'disconnected');
    await picture(page, 'disconnected-1360');
    await serve(reported, server.address);
    await page.locator('#phase[data-phase="running"]').waitFor();
    assert.ok(!(await page.locator('#connection').isVisible()));
  });

  it('the dashboard in a browser blocks, delays and pauses a running crawl, shows its queues, and keeps its end visible', async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 4_000, domains: 2 });
    const data = join(temporaryFolder(), 'data');
    const crawl = startCommand([
      ...small.crawlArguments,
      '--delay',
      '150ms',
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
    await page.getByRole('button', { name: `Unblock ${host}` }).waitFor();
    const { hosts } = (await (
      await fetch(`http://${address}/dashboard/hosts?search=${host}`)
    ).json()) as HostListStatus;
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
    await page.getByRole('button', { name: `Delay ${host}` }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('700ms');
    await page.getByRole('dialog').getByRole('button', { name: 'Set' }).click();
    await page.locator(`tr[data-host="${host}"] td`, { hasText: '700 ms' }).waitFor();
    await page.getByRole('link', { name: host, exact: true }).click();
    await page.getByText('700 ms by an operator').waitFor();
    const queued = page.locator('#queue tbody a').first();
    await queued.waitFor();
    assert.equal(new URL((await queued.textContent())!).host, host, 'its own queue');
    await page.locator('#outcomes tbody tr').first().waitFor();
    await queued.click();
    await page.locator('#explained dd').first().waitFor();
    await page.locator('#story-events tbody tr').first().waitFor();
    const found = page.locator('#story-events tbody tr', { hasText: 'found on' }).first().locator('a');
    const foundOn = (await found.textContent())!;
    assert.ok(URL.canParse(foundOn) && !foundOn.endsWith(','), foundOn);
    await found.click();
    await page.locator('#story-events tbody tr').first().waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'URL' }).inputValue(), foundOn);
    await page.getByRole('link', { name: 'The crawl' }).click();
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.locator('#phase', { hasText: 'paused' }).waitFor();
    // Leases that are out end.
    for (let last = -1; last !== small.web.requests().length; await sleep(1_500)) last = small.web.requests().length;
    const paused = small.web.requests().length;
    await page.getByRole('button', { name: 'Resume', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    while (small.web.requests().length === paused) await sleep(50);
    crawl.child.kill('SIGTERM');
    await page.getByText(/This crawl has ended \(stopped\)/).waitFor();
    assert.equal((await crawl.ended).code, 130);
    // Nobody answers any more, and that it has ended still stands.
    await sleep(1_500);
    assert.equal(await page.locator('#phase').textContent(), 'ended: stopped');
  });

  it('the dashboard in a browser says that a data folder is not running, since when, and which command continues it, until one does', async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 200, domains: 1 });
    const data = join(temporaryFolder(), 'data');
    const crawl = async () => {
      const started = startCommand([...small.crawlArguments, '--delay', '300ms', '--data', data]);
      for (let before = small.web.requests().length; small.web.requests().length < before + 3; ) await sleep(20);
      return started;
    };
    const stopped = await crawl();
    stopped.child.kill('SIGTERM');
    await stopped.ended;
    const dashboard = startCommand(['dashboard', '--data', data, '--http', '127.0.0.1:0']);
    while (!dashboard.output().includes('/dashboard/')) await sleep(20);
    const page = await open(/http:\/\/(\S+)\/dashboard\//.exec(dashboard.output())![1]!);
    const stands = (text: string) => page.locator('#phase', { hasText: text }).waitFor({ timeout: 90_000 });
    await stands('not running');
    const said = (await page.locator('#troubles').textContent())!;
    assert.match(said, /^No process runs this crawl. It was last written less than a minute ago, at 20\d\d-/);
    assert.ok(
      said.endsWith(`To continue: ${said.split('To continue: ')[1]!.split(' crawl ')[0]} crawl --data ${data}`),
    );
    const killed = await crawl();
    await stands('crawling');
    assert.equal(await page.locator('#troubles li').count(), 0);
    killed.child.kill('SIGKILL');
    await killed.ended;
    await stands('not running');
    dashboard.child.kill('SIGTERM');
    assert.equal((await dashboard.ended).code, 0);
  });
});
