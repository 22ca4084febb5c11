/** `judge` grades Scrapy, Crawlee, a client by HTTP, one by gRPC and our own fetcher, out of one frontier. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, startCommand } from '../../lab/process/command.ts';
import { printedPages } from '../services/cli/small-web.ts';
import { crawlTogether } from './shared-crawl.ts';

test('judge grades all five clients: every rule of the frontier is kept', async (t) => {
  const flags = ['--hosts', '20', '--pages', '8', '--delay', '60ms', '--crawl-delay', '200ms', '--quiet', '20s'];
  const judge = startCommand(['judge', '--listen', '127.0.0.1:0', '--addresses', '--json', ...flags], {
    patienceMs: 300_000,
  });
  while (!judge.output().includes('The card comes')) {
    await sleep(50);
    assert.equal(judge.child.exitCode, null, judge.output());
  }
  const seeds = judge.output().match(/http:\/\/127\S+/g)!;
  const { data, by } = await crawlTogether(seeds, seeds, ['--delay', '60ms']);
  const ended = await judge.ended;
  const { rows, passed, of } = lastJson(ended) as unknown as {
    rows: { ok: boolean | null; rule: string; details: string[] }[];
  } & Record<'passed' | 'of', number>;
  // How much of one answer is read is each client's own affair, and Crawlee knows no bound.
  const broken = rows.filter(({ ok, rule }) => ok === false && rule !== 'no more than 64 MiB of one response');
  assert.deepEqual(
    broken.map(({ rule, details }) => [rule, ...details]),
    [],
  );
  assert.ok(of > 10 && passed >= of - 1, `${passed} of ${of} rules, exit code ${ended.code}`);
  const counts = Object.entries(by).map(([who, urls]) => [who, urls.length] as const);
  for (const [who, count] of counts) assert.ok(count > 0, `${who} fetched none`);
  const theirs = new Set(Object.values(by).flat());
  const ours = (await printedPages(data)).filter((url) => !theirs.has(url)).length;
  assert.ok(ours > 0, 'our own fetcher fetched none');
  t.diagnostic(`${of} rules; pages: ${counts.map((one) => one.join(' ')).join(', ')}, our own fetcher ${ours}`);
});
