/**
 * Pages bought by x402 with nothing of ours at the other end: shop and purse are of the protocol's packages from npm, signatures
 * are real ones. The chain alone is played, by a facilitator on loopback: money moves in its book, and no network is asked.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { lastJson, runCommand } from '../../../../lab/process/command.ts';
import { npmPackages } from '../../../../lab/process/npm-packages.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { until } from '../../until.ts';

const versions = ['@x402/core@2.27.0', '@x402/evm@2.27.0', '@x402/express@2.27.0', 'express@5.3.0', 'viem@2.57.20'];

interface Line {
  readonly port?: number;
  readonly asked?: string;
  readonly isPaid?: boolean;
  readonly url?: string;
  readonly value?: string;
  readonly objection?: string;
}

/** A project that has the packages, and in it the shop, running. */
async function openShop(t: TestContext) {
  const folder = temporaryFolder();
  symlinkSync(npmPackages('x402-2.27.0', versions), join(folder, 'node_modules'));
  for (const file of ['x402-shop.mjs', 'x402-payer.mjs'])
    copyFileSync(fileURLToPath(new URL(file, import.meta.url)), join(folder, file));
  const child = spawn(process.execPath, [join(folder, 'x402-shop.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  const lines = () =>
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Line);
  await until(() => lines().some(({ port }) => port !== undefined) || child.exitCode !== null);
  const { port } = lines().find((line) => line.port !== undefined)!;
  const budget = join(folder, 'pay.json');
  const assets = [{ network: 'eip155:84532', asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6 }];
  writeFileSync(budget, JSON.stringify({ currency: 'USD', total: '1', page: '0.1', assets }));
  const seed = `http://127.0.0.1:${port}/`;
  const crawl = async (env: NodeJS.ProcessEnv = {}) => {
    const data = join(temporaryFolder(), 'data');
    const ended = await runCommand(
      [
        ...['crawl', seed, '--data', data, '--allow-private', '--contact', 'me@example.org', '--delay', '20ms'],
        ...['--pay', budget, '--plugin', join(folder, 'x402-payer.mjs')],
      ],
      { env: { ...process.env, ...env } },
    );
    assert.equal(ended.code, 0, ended.stderr);
    const audit = await runCommand(['audit', '--data', data]);
    assert.equal(audit.code, 0, audit.stdout);
    const stats = lastJson(await runCommand(['stats', '--data', data, '--json']));
    const pages = await runCommand(['pages', '--data', data, '--fields', 'title']);
    return { data, stats, titles: pages.stdout };
  };
  return { seed, crawl, lines };
}

test('a page is bought from a shop of x402’s own packages, once, within the budget, and a forged payment buys none', {
  timeout: 300_000,
}, async (t) => {
  const { seed, crawl, lines } = await openShop(t);
  const { data, stats, titles } = await crawl();
  assert.match(titles, /bought \/cheap/);
  assert.doesNotMatch(titles, /dear/);
  const book = lines().filter(({ asked }) => asked === '/settle' || asked === '/verify');
  assert.deepEqual(
    book.map(({ asked, url, value, objection }) => ({ asked, url, value, objection })),
    ['/verify', '/settle'].map((asked) => ({ asked, url: `${seed}cheap`, value: '10000', objection: '' })),
  );
  const paid = lines().filter(({ isPaid }) => isPaid === true);
  assert.deepEqual(
    paid.map(({ asked }) => asked),
    ['/cheap'],
  );
  assert.deepEqual(stats['paid'], { payments: 1, spent: ['USD 0.01'], open: 0, cheated: 0 });
  assert.equal(stats['paymentRequired'], 1);
  const bought = await runCommand(['explain', `${seed}cheap`, '--data', data]);
  assert.match(bought.stdout, /paid +.* USD 0\.01 \(x402\) .*answered 200.*0x[0-9a-f]{64}/);
  const dear = await runCommand(['story', `${seed}dear`, '--data', data]);
  assert.match(
    dear.stdout,
    /402.*eip155:84532 0x036C\w+ 500000; not paid: the price is above the limit of USD 0\.1 for a page/,
  );

  const forged = await crawl({ FORGES: 'yes' });
  assert.doesNotMatch(forged.titles, /bought/);
  assert.equal(
    lines().at(-1)?.objection ?? lines().findLast(({ objection }) => objection)?.objection,
    'invalid_signature',
  );
  assert.deepEqual(forged.stats['paid'], { payments: 1, spent: ['USD 0.01'], open: 0, cheated: 1 });
});
