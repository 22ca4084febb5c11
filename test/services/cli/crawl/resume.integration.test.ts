/** A crawl that is killed and resumed with fewer options, or others: nothing is forgotten, and what changes is said. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

type Policy = Record<string, unknown> & { readonly filters: { readonly exclude: readonly string[] } };

async function policyOf(data: string): Promise<Policy> {
  const shown = await runCommand(['policy', 'show', '--data', data, '--json']);
  assert.equal(shown.code, 0, shown.stderr);
  return lastJson(shown) as Policy;
}

async function report(data: string, ...words: string[]): Promise<void> {
  const ended = await runCommand([...words, '--data', data]);
  assert.equal(ended.code, 0, ended.stderr);
}

test('a killed crawl continues with the data folder alone: its policy, networks and names, and no URL is lost', async () => {
  const small = await startSmallWeb({ hosts: 6, pagesPerHost: 12, domains: 2 });
  const data = join(temporaryFolder(), 'data');
  const options = [
    '--delay',
    '40ms',
    '--exclude',
    '/p/1\\b',
    '--max-pages',
    '50',
    '--retries',
    '0.1s',
    '--allow-private',
  ];
  const first = startCommand([...small.crawlArguments, ...options, '--data', data]);
  while (small.web.requests().length < 15) {
    assert.equal(first.child.exitCode, null, first.output());
    await sleep(20);
  }
  first.child.kill('SIGKILL');
  await first.ended;
  const before = await policyOf(data);
  await report(data, 'bandwidth', '5M');

  const second = await runCommand(['crawl', '--data', data, '--json']);
  assert.equal(second.code, 0, second.stderr);
  assert.deepEqual({ ...(await policyOf(data)), version: 0 }, { ...before, version: 0, bytesPerSecond: 5_000_000 });
  assert.match(second.stderr, /options from the last run: .*--resolve \*\.test:\d+:127\.0\.0\.1.*--allow-private/);
  assert.doesNotMatch(second.stderr, /changed:/);
  const { pages, failed, deadLettered, end } = lastJson(second);
  assert.deepEqual({ pages, failed, deadLettered, end }, { pages: 50, failed: 0, deadLettered: 0, end: 'quotaSpent' });
});

test('a crawl with nothing left to fetch says so, and keeps the options that it was given', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 4, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const first = await runCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
  assert.equal(first.code, 0, first.stderr);
  assert.doesNotMatch(first.stdout, /Nothing was left/);
  const requests = small.web.requests().length;
  const second = await runCommand(['crawl', '--delay', '2s', '--data', data]);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stderr, /^changed: delayMs 0 → 2000$/m);
  assert.match(
    second.stdout,
    /^ {2}Nothing was left to fetch: every URL of this crawl had ended before\. The options of this command are kept for .* inject URL --data/m,
  );
  assert.equal(small.web.requests().length, requests);
  assert.equal((await policyOf(data))['delayMs'], 2_000);
});

test('given options change what they name, and say so; operators’ orders stay', async () => {
  const small = await startSmallWeb({ hosts: 2, pagesPerHost: 10, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const crawl = async (...options: string[]) => {
    const ended = await runCommand([...small.crawlArguments, '--data', data, '--json', ...options]);
    assert.equal(ended.code, 0, ended.stderr);
    return ended;
  };
  await crawl('--delay', '0', '--max-pages', '3', '--exclude', 'nothing', '--concurrency', '7');
  await report(data, 'bandwidth', '9M');
  const file = join(temporaryFolder(), 'policy.json');
  const { version: _, ...policy } = await policyOf(data);
  await writeFile(file, JSON.stringify({ ...policy, hopsMax: 2, delayMs: 3 }));
  await report(data, 'policy', 'set', file);

  const changed = await crawl('--delay', '0', '--max-pages', '5', '--concurrency', '8');
  assert.match(changed.stderr, /^changed: pageQuota 3 → 5$/m);
  assert.match(changed.stderr, /^changed: --concurrency 7 → 8$/m);
  assert.equal(lastJson(changed)['pages'], 5);
  const { pageQuota, delayMs, hopsMax, bytesPerSecond, filters } = await policyOf(data);
  assert.deepEqual(
    { pageQuota, delayMs, hopsMax, bytesPerSecond, exclude: filters.exclude },
    // --delay 0 was asked for before as well: what an operator has set since then stands.
    { pageQuota: 5, delayMs: 3, hopsMax: 2, bytesPerSecond: 9_000_000, exclude: ['nothing'] },
  );

  const anew = await crawl('--new-options', '--delay', '1ms');
  assert.equal((await printedPages(data)).length, 20);
  assert.match(anew.stderr, /^changed: pageQuota 5 → none$/m);
  const made = await policyOf(data);
  assert.deepEqual([made['pageQuota'], made['hopsMax'], made['bytesPerSecond']], [null, 10, 9_000_000]);
});

test('a pause survives a changed option', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 5, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--delay', '0', '--data', data];
  await runCommand([...args, '--max-pages', '1']);
  await report(data, 'pause');
  const second = startCommand([...args, '--max-pages', '4']);
  while (!second.output().includes('changed: pageQuota')) {
    assert.equal(second.child.exitCode, null, second.output());
    await sleep(20);
  }
  await report(data, 'resume');
  assert.equal((await second.ended).code, 0);
  assert.equal((await printedPages(data)).length, 4);
});

test('an older crawl.json without options continues with its policy', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 6, domains: 1 });
  const data = join(temporaryFolder(), 'data');
  const args = [...small.crawlArguments, '--data', data];
  await runCommand([...args, '--delay', '0', '--max-pages', '2', '--exclude', 'nothing']);
  const file = join(data, 'crawl.json');
  const { seeds, policy } = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
  await writeFile(file, JSON.stringify({ seeds, policy }));
  const ended = await runCommand([...args, '--max-pages', '4', '--json']);
  assert.equal(lastJson(ended)['pages'], 4, ended.stderr);
  const { delayMs, filters } = await policyOf(data);
  assert.deepEqual([delayMs, filters.exclude], [0, ['nothing']]);
});

test('a named rules file is read again on a resume, from any working directory', async () => {
  const small = await startSmallWeb({ hosts: 1, pagesPerHost: 6, domains: 1 });
  const cwd = temporaryFolder();
  await writeFile(join(cwd, 'rules.yaml'), '- { hosts: ["*"], headers: { x-asked: one } }\n');
  const args = [...small.crawlArguments, '--delay', '0', '--data', 'data', '--requests', 'rules.yaml'];
  await runCommand([...args, '--max-pages', '1'], { cwd });
  await writeFile(join(cwd, 'rules.yaml'), '- { hosts: ["*"], headers: [wrong] }\n');
  const ended = await runCommand(['crawl', '--data', join(cwd, 'data')]);
  assert.equal(ended.code, 2, ended.stdout);
  assert.match(ended.stderr, /--requests .*rules\.yaml: \[0\]\.headers/);
});
