/** Pages for money: what is asked, what is paid, and what never is. The shops are on loopback and keep their own books. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';

import { type Site, serveSite } from '../../fetcher/loopback.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';
import { crawlSignals } from './signal-web.ts';

const folder = temporaryFolder();
const payer = join(folder, 'payer.mjs');
writeFileSync(payer, "export default { name: 'payer', version: '1', pay: () => ({}) };\n");
const budget = (fields: object) => {
  const file = join(folder, `pay-${Math.random()}.json`);
  writeFileSync(file, JSON.stringify({ currency: 'USD', total: '1', page: '0.1', ...fields }));
  return file;
};

/** What a shop answers to a paid request; null: the page. */
type Cheat = (response: ServerResponse, path: string) => void;

/** A shop: `/` is free and leads to `pages` others at these prices, by path. */
async function shop(t: TestContext, prices: Readonly<Record<string, string>>, cheat: Cheat | null = null) {
  const paid: { path: string; offered: string; atMs: number }[] = [];
  const site: Site = await serveSite(t, (request, response) => {
    const path = request.url!;
    const offered = request.headers['crawler-exact-price'];
    response.setHeader('content-type', 'text/html');
    if (offered !== undefined) paid.push({ path, offered: `${offered}`, atMs: performance.now() });
    if (path === '/robots.txt') return response.writeHead(404).end();
    if (path === '/')
      return response.end(
        Object.keys(prices)
          .map((one) => `<a href="${one}">x</a>`)
          .join(''),
      );
    const price = prices[path];
    if (price === undefined) return response.end('found for nothing');
    if (offered === undefined) return response.writeHead(402, { 'crawler-price': price }).end('pay');
    if (cheat !== null) return cheat(response, path);
    return response.setHeader('crawler-charged', `${offered}`).end(`<title>bought</title>${path}`);
  });
  return { paid, site, seeds: [`http://127.0.0.1:${site.port}/`], pages: new Map(), asked: new Set<string>() };
}

const auditOf = async (data: string) =>
  lastJson(await runCommand(['audit', '--data', data, '--json'])) as { violations: number };

test('a page is bought if a policy has a budget and a plugin consents, and every record shows it', async (t) => {
  const web = await shop(t, { '/a': 'USD 0.01', '/b': 'USD 0.05', '/dear': 'USD 0.11', '/euro': 'EUR 0.01' });
  const { data, ended } = await crawlSignals(web, '--pay', budget({}), '--plugin', payer, '--delay', '200ms');
  assert.equal(ended.code, 0, ended.stderr);
  assert.deepEqual(web.paid.map(({ path, offered }) => `${path} ${offered}`).sort(), ['/a USD 0.01', '/b USD 0.05']);
  // Money buys no pace: what is paid for waits for its turn, too.
  for (const { path, atMs } of web.paid) {
    const before = web.site.hits.filter((hit) => hit.startMs < atMs - 1 && hit.endMs > 0).at(-1)!;
    assert.ok(web.site.hits.filter((hit) => hit.path === path).length === 2);
    assert.ok(atMs - before.endMs >= 150, `${path} after ${atMs - before.endMs} ms`);
  }
  const pages = await runCommand(['pages', '--data', data]);
  assert.match(pages.stdout, /\/a/);
  assert.doesNotMatch(pages.stdout, /\/dear|\/euro/);
  const stats = lastJson(await runCommand(['stats', '--data', data, '--json']));
  assert.deepEqual(stats['paid'], { payments: 2, spent: ['USD 0.06'], open: 0, cheated: 0 });
  assert.equal(stats['paymentRequired'], 2);
  assert.match((await runCommand(['stats', '--data', data])).stdout, /paid USD 0\.06 for 2 pages/);
  const [seed] = web.seeds;
  const bought = await runCommand(['explain', `${seed}a`, '--data', data]);
  assert.match(bought.stdout, /paid +.* USD 0\.01 \(crawler-price\) by fetcher .*: answered 200, charged USD 0\.01/);
  const { payments } = lastJson(await runCommand(['explain', `${seed}a`, '--json', '--data', data]));
  assert.equal((payments as readonly { readonly money: string }[])[0]!.money, 'USD 0.01');
  const dear = await runCommand(['story', `${seed}dear`, '--data', data]);
  assert.match(dear.stdout, /402.*price USD 0\.11; not paid: the price is above the limit of USD 0\.1 for a page/);
  const euro = await runCommand(['story', `${seed}euro`, '--data', data]);
  assert.match(euro.stdout, /price EUR 0\.01; not paid: the answer has no price in USD/);
  const audit = await runCommand(['audit', '--data', data]);
  assert.equal(audit.code, 0, audit.stdout);
  assert.match(audit.stdout, /payments +4 answers asked for payment; 2 paid: USD 0\.06/);
  const failed = await runCommand(['pages', '--failed', '--data', data]);
  assert.match(failed.stdout, /the site requires payment and answered 402 \(price USD 0\.11/);
});

test('nothing is paid without a budget or without a payment plugin', async (t) => {
  for (const flags of [
    ['--pay', 'none', '--plugin', payer],
    ['--pay', budget({})],
  ]) {
    const web = await shop(t, { '/a': 'USD 0.01' });
    const { data, ended } = await crawlSignals(web, ...flags);
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual(web.paid, [], flags.join(' '));
    const stats = lastJson(await runCommand(['stats', '--data', data, '--json']));
    assert.deepEqual([stats['paid'], stats['paymentRequired']], [undefined, 1]);
  }
  const bad = await runCommand(['crawl', 'http://127.0.0.1:1/', '--pay', budget({ page: -1 })]);
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /policy\.pay.*page/);
});

test('the budget holds over several fetch processes, and over a kill', async (t) => {
  const shops: Awaited<ReturnType<typeof shop>>[] = [];
  for (let one = 0; one < 4; one++)
    shops.push(await shop(t, Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`/${n}`, 'USD 0.1']))));
  const seeds = shops.flatMap((one) => one.seeds);
  const data = join(folder, 'killed');
  const flags = ['--user-agent', 'x/1', '--contact', 'me@example.org', '--allow-private', '--delay', '50ms'];
  const all = ['crawl', ...seeds, '--data', data, ...flags, '--workers', '2', '--pay', budget({}), '--plugin', payer];
  const spent = () => shops.reduce((sum, { paid }) => sum + paid.length, 0);
  const first = startCommand(all);
  await until(() => spent() >= 3);
  first.child.kill('SIGKILL');
  await once(first.child, 'close');
  const ended = await runCommand(all);
  assert.equal(ended.code, 0, ended.stderr);
  assert.ok(spent() <= 10 && spent() >= 6, `${spent()} of 24 pages were paid for`);
  const paths = shops.flatMap(({ paid }, one) => paid.map(({ path }) => `${one}${path}`));
  assert.equal(new Set(paths).size, paths.length, 'no page was paid for twice');
  const stats = lastJson(await runCommand(['stats', '--data', data, '--json']));
  assert.deepEqual((stats['paid'] as { spent: string[] }).spent, ['USD 1']);
  assert.equal((await auditOf(data)).violations, 0);
});

const cheats: Readonly<Record<string, Cheat>> = {
  'asks again': (response) => response.writeHead(402, { 'crawler-price': 'USD 0.02' }).end('more'),
  redirects: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
  'charges more': (response) => response.setHeader('crawler-charged', 'USD 5').end('bought'),
  'breaks off': (response) => response.socket!.destroy(),
  'is down': (response) => response.writeHead(503).end(),
};

test('shops that take the money and give no page, or overcharge, are not paid again', async (t) => {
  const prices = { '/a': 'USD 0.01', '/b': 'USD 0.01', '/c': 'USD 0.01' };
  const shops = new Map<string, Awaited<ReturnType<typeof shop>>>();
  for (const [name, cheat] of Object.entries(cheats)) shops.set(name, await shop(t, prices, cheat));
  const web = { seeds: [...shops.values()].flatMap(({ seeds }) => seeds), pages: new Map(), asked: new Set<string>() };
  // Enough for them all, whatever one charges and whichever is first.
  const flags = ['--pay', budget({ total: '20' }), '--plugin', payer, '--retries', '100ms'];
  const { data, ended } = await crawlSignals(web, ...flags);
  assert.equal(ended.code, 0, ended.stderr);
  for (const [name, { paid }] of shops) {
    // A connection that breaks may be the network's fault; still no page is paid for twice.
    assert.ok(name === 'breaks off' ? paid.length >= 1 : paid.length === 1, `${name}: ${JSON.stringify(paid)}`);
    assert.equal(new Set(paid.map(({ path }) => path)).size, paid.length, name);
    assert.ok(
      paid.every(({ path }) => path !== '/elsewhere'),
      'no redirect carries a payment on',
    );
  }
  assert.equal((await auditOf(data)).violations, 0);
  const stats = await runCommand(['stats', '--data', data]);
  // Of the one that charges 5 in the place of 0.01 that much counts as spent.
  assert.match(stats.stdout, /paid USD 5\.0\d for \d pages; 4 got no page, or were charged a different amount/);
});
