/**
 * `crawl --workers N`: the same crawl as with one process, whatever is killed. A worker's kill comes at moments drawn from
 * a seed (`CRAWLSTREAM_TEST_KILL_SEED`); `CRAWLSTREAM_TEST_KILLS` says how many there are, over as much more of a web.
 */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, lastJson, type Running, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { mix } from '../../../../lab/web/random.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { assertFlawless, printedPages, type SmallWeb, startSmallWeb } from '../small-web.ts';

const kills = Number(process.env['CRAWLSTREAM_TEST_KILLS'] ?? 6);
/** How much more than by default. */
const scale = Math.max(1, kills / 6);
const seed = Number(process.env['CRAWLSTREAM_TEST_KILL_SEED'] ?? 1);
const abortToleranceMs = 25;

const newFolder = () => join(temporaryFolder(), 'data');
const expectedPages = ({ plan, port }: SmallWeb) => [...plan.expected(port).fetch].sort();

/** Processes that another has started from its main thread. */
function workersOf({ child }: Running): number[] {
  try {
    const text = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
    return text.trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return []; // It has ended.
  }
}

async function until(running: Running, condition: () => boolean): Promise<void> {
  while (running.child.exitCode === null && running.child.signalCode === null && !condition()) await sleep(10);
}

/** All fetches kept their delays by the crawl's own records. */
async function assertAuditClean(data: string): Promise<void> {
  const audit = await runCommand(['audit', '--data', data, '--json']);
  assert.equal(audit.code, 0, audit.stdout + audit.stderr);
  assert.deepEqual(lastJson(audit)['details'], []);
  assert.ok((lastJson(audit)['fetches'] as number) > 0);
}

function assertEnded(ended: Ended, pages: number): void {
  assert.equal(ended.code, 0, ended.stderr);
  const { end, pages: fetched, queued, leased } = lastJson(ended);
  assert.deepEqual(
    { end, fetched, queued, leased },
    { end: 'done', fetched: pages, queued: 0, leased: 0 },
    ended.stderr,
  );
}

test('two workers fetch the same pages as one process, once, politely, with the same counts', async () => {
  const web = { hosts: 24, pagesPerHost: 15, crawlDelayMs: 60, slowMs: 40, sitemapOnly: 0.2 };
  const small = await startSmallWeb({ preset: 'full', ...web });
  const flags = ['--delay', '20ms', '--retries', '0.2s,0.5s,1s', '--partitions', '3', '--json'];
  const counts: unknown[] = [];
  for (const workers of ['2', '1']) {
    const data = newFolder();
    const running = startCommand([...small.crawlArguments, ...flags, '--workers', workers, '--data', data]);
    await until(running, () => small.web.requests().length > 50);
    assert.equal(workersOf(running).length, workers === '1' ? 0 : 2);
    const ended = await running.ended;
    assertEnded(ended, expectedPages(small).length);
    assertFlawless(small.check({ delayMs: 20 }));
    assert.deepEqual(await printedPages(data), expectedPages(small));
    await assertAuditClean(data);
    const { admitted, pages, redirected, denied, failed, deadLettered, hosts } = lastJson(ended);
    counts.push({ admitted, pages, redirected, denied, failed, deadLettered, hosts });
    small.web.reset();
  }
  assert.deepEqual(counts[0], counts[1]);
});

test('two workers at full speed fetch every page once, and the audit finds nothing', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 16, pagesPerHost: 40, domains: 4, seed: 3 });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '0', '--workers', '2', '--data', data, '--json'];
  assertEnded(await startCommand(args, { patienceMs: 300_000 }).ended, expectedPages(small).length);
  assertFlawless(small.check({ delayMs: 0 }));
  assert.deepEqual(await printedPages(data), expectedPages(small));
  await assertAuditClean(data);
});

test('a new folder has a partition for each worker, and surplus workers are reported as idle', async () => {
  const small = await startSmallWeb({ hosts: 6, pagesPerHost: 5, domains: 2 });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '0', '--data', data, '--json'];
  assertEnded(await runCommand([...args, '--workers', '2']), 30);
  const manifest = JSON.parse(readFileSync(join(data, 'manifest.json'), 'utf8')) as { partitions: number };
  assert.equal(manifest.partitions, 2);
  const more = await runCommand([...args, '--workers', '5']);
  assertEnded(more, 30);
  assert.match(more.stderr, /--workers 5: only 2 fetch, because this crawl has 2 partitions; to use more/);
  assertFlawless(small.check({ delayMs: 0 }));
});

for (const delayMs of [0, 60]) {
  test(`killed workers lose nothing and break no delay, at ${delayMs} ms`, async (t) => {
    const pagesPerHost = Math.ceil((delayMs === 0 ? 150 : 30) * scale);
    const small = await startSmallWeb({
      preset: 'plain',
      hosts: 16,
      pagesPerHost,
      domains: 4,
      seed: 5,
      slow: 0.3,
      slowMs: 60,
    });
    const data = newFolder();
    const flags = ['--delay', `${delayMs}ms`, '--workers', '2', '--partitions', '4', '--json', '--data', data];
    const running = startCommand([...small.crawlArguments, ...flags], { patienceMs: 300_000 * scale });
    const killed: string[] = [];
    for (let n = 0; n < kills && running.child.exitCode === null; n++) {
      const [before, dice] = [small.web.requests().length, mix(seed, 70, n + delayMs)];
      // One that has nothing to fetch any more is not started again.
      await until(running, () => small.web.requests().length > before + (dice % 60) && workersOf(running).length > 0);
      const pids = workersOf(running);
      const pid = pids[dice % pids.length];
      if (pid === undefined) break;
      process.kill(pid, 'SIGKILL');
      killed.push(`${small.web.requests().length - before}`);
      await until(running, () => !workersOf(running).includes(pid));
    }
    const ended = await running.ended;
    t.diagnostic(`killed after so many requests each: ${killed.join(', ')}`);
    assert.ok(killed.length >= Math.min(3, kills));
    assertEnded(ended, expectedPages(small).length);
    assert.equal(
      ended.stderr.match(/died \(SIGKILL\): \d+ leases? (was|were) returned/g)?.length,
      killed.length,
      ended.stderr,
    );
    const report = small.check({ delayMs, abortToleranceMs });
    for (const kind of ['missing', 'shortGaps', 'concurrency', 'robotsViolations', 'unexpected'] as const)
      assert.deepEqual(report[kind].details, [], kind);
    assert.deepEqual(await printedPages(data).then((pages) => [...new Set(pages)]), expectedPages(small));
    await assertAuditClean(data);
  });
}

test('a crawl whose process is killed leaves no worker, and continues with another number of them', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 12, pagesPerHost: 25, domains: 4, seed: 9 });
  const data = newFolder();
  const flags = ['--delay', '40ms', '--partitions', '3', '--json', '--data', data];
  for (const workers of [2, 1, 3]) {
    const before = small.web.requests().length;
    const running = startCommand([...small.crawlArguments, ...flags, '--workers', `${workers}`]);
    await until(running, () => small.web.requests().length > before + 40);
    const pids = workersOf(running);
    assert.equal(pids.length, workers === 1 ? 0 : workers);
    running.child.kill('SIGKILL');
    await running.ended;
    for (const pid of pids) while (isAlive(pid)) await sleep(5);
  }
  const ended = await runCommand([...small.crawlArguments, ...flags, '--workers', '2']);
  assertEnded(ended, expectedPages(small).length);
  const report = small.check({ delayMs: 40, abortToleranceMs });
  for (const kind of ['missing', 'shortGaps', 'concurrency', 'robotsViolations', 'unexpected'] as const)
    assert.deepEqual(report[kind].details, [], kind);
  assert.deepEqual([...new Set(await printedPages(data))], expectedPages(small));
});

test('an interrupt that reaches workers too drains them, and the same command resumes', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 20, domains: 2, slow: 0.5, slowMs: 100 });
  const data = newFolder();
  const args = [...small.crawlArguments, '--delay', '25ms', '--workers', '2', '--data', data, '--json'];
  const running = startCommand(args);
  await until(running, () => small.web.requests().length > 50);
  // As a terminal does: to all processes of the group.
  for (const pid of workersOf(running)) process.kill(pid, 'SIGINT');
  running.child.kill('SIGINT');
  const ended = await running.ended;
  assert.equal(ended.code, 130, ended.stderr);
  assert.doesNotMatch(ended.stderr, /died/);
  assert.equal((await printedPages(data)).length, lastJson(ended)['pages']);
  assertEnded(await runCommand(args), 160);
  assertFlawless(small.check({ delayMs: 25 }));
});

test('--max-pages, rules, plugins and failure reports cover all workers', async () => {
  const small = await startSmallWeb({ hosts: 8, pagesPerHost: 20, domains: 2 });
  const plugin = join(temporaryFolder(), 'no-items.mjs');
  writeFileSync(plugin, "export default { name: 'no-items', urlFilter: ({ url }) => !url.includes('/item') };\n");
  const flags = ['--delay', '0', '--workers', '2', '--json'];
  const quota = await runCommand([...small.crawlArguments, ...flags, '--max-pages', '37', '--data', newFolder()]);
  assert.equal(quota.code, 0, quota.stderr);
  assert.equal(lastJson(quota)['pages'], 37);

  const rules = join(temporaryFolder(), 'rules.yaml');
  const fields = join(temporaryFolder(), 'fields.yaml');
  writeFileSync(rules, "- hosts: ['*.test']\n  headers: { x-asked: 'yes' }\n");
  writeFileSync(fields, 'mainText: true\nfields: [{ name: heading, selector: h1 }]\n');
  const ruled = newFolder();
  const files = ['--requests', rules, '--extract', fields, '--data', ruled];
  assertEnded(await runCommand([...small.crawlArguments, ...flags, ...files]), 160);
  const { stdout } = await runCommand(['pages', '--data', ruled]);
  assert.equal(stdout.match(/"name":"heading"/g)?.length, 160, stdout.slice(0, 2_000));

  const data = newFolder();
  const dead = 'http://127.0.0.1:8/';
  const filtered = await runCommand([
    ...small.crawlArguments,
    dead,
    '--retries',
    'none',
    ...flags,
    '--plugin',
    plugin,
    '--data',
    data,
  ]);
  assert.equal(filtered.code, 0, filtered.stderr);
  assert.match(filtered.stderr, /http:\/\/127\.0\.0\.1:8\/: /);
  const pages = await printedPages(data);
  assert.ok(pages.length > 0 && pages.length < 160);
  assert.deepEqual(
    pages.filter((url) => url.includes('/item')),
    [],
  );
});

test('an impossible number of workers is refused, with a valid one', async () => {
  for (const value of ['0', '-1', 'two', '1000', '1.5', '']) {
    const { code, stderr, stdout } = await runCommand(['crawl', 'http://127.0.0.1:8/', '--workers', value]);
    assert.equal(code, 2, value);
    assert.match(stderr, new RegExp(`--workers "${value}": give a whole number from 1 to 256`));
    assert.equal(stdout, '');
  }
  const narrow = await runCommand(['crawl', 'http://127.0.0.1:8/', '--workers', '3', '--concurrency', '2']);
  assert.equal(narrow.code, 2, narrow.stderr);
  assert.match(
    narrow.stderr,
    /--workers "3": --concurrency 2 allows requests to 2 hosts at once: use at most as many workers, or --concurrency 3/,
  );
  const kafka = await runCommand(['crawl', 'http://127.0.0.1:8/', '--workers', '2', '--brokers', '127.0.0.1:8']);
  assert.equal(kafka.code, 2, kafka.stderr);
  assert.match(kafka.stderr, /--workers "2": it has no effect on Kafka: start more processes of crawlstream fetcher/);
});

function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
