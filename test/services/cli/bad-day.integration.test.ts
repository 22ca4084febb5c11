/** What a bad day brings: a user in a hurry, a machine that is too small. It says why, and forgets nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { mountSmallDisk } from './full-disk.ts';
import { printedPages, startSmallWeb } from './small-web.ts';

const patience = { timeout: 600_000 };

for (const [first, second, code] of [
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGTERM', 'SIGKILL', null],
] as const) {
  test(
    `a crawl that gets ${first}, then ${second}, ends at once and continues later without loss`,
    patience,
    async () => {
      // Each answer takes 4 s: what is under way at the first signal is not over at the second.
      const small = await startSmallWeb({
        preset: 'plain',
        hosts: 4,
        pagesPerHost: 3,
        domains: 2,
        slow: 1,
        slowMs: 4_000,
      });
      const data = join(temporaryFolder(), 'data');
      const running = startCommand([...small.crawlArguments, '--delay', '0', '--data', data]);
      while (small.web.requests().length < 6) await sleep(20);
      running.child.kill(first);
      while (!running.output().includes('press again to stop at once')) await sleep(20);
      assert.equal(running.child.exitCode, null, running.output());
      running.child.kill(second);
      const ended = await running.ended;
      assert.equal(ended.code, code, ended.stderr);
      if (code !== null) assert.match(ended.stderr, /stopped at once: stored data is safe, .* at the next start\n$/);
      const resumed = await runCommand(['crawl', '--data', data], { patienceMs: 200_000 });
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.deepEqual(await printedPages(data), [...small.plan.expected(small.port).fetch].sort());
      assert.deepEqual(small.check({ delayMs: 0 }).missing.details, []);
    },
  );
}

test('a too low limit on open files is reported in one line, with the command that raises it', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 1, pagesPerHost: 2, domains: 1 });
  const words = [...small.crawlArguments, '--data', join(temporaryFolder(), 'data')];
  const ended = await runCommand(words, { shellPrefix: 'ulimit -n 24;' });
  assert.equal(ended.code, 1);
  assert.match(
    ended.stderr,
    /^crawlstream: (?:too many files are open|the store in \S+ needs more open files .*): raise the limit \(as in ulimit -n 4096\), then run the same command again$/m,
  );
});

test('a data folder on a read-only file system can be read, and a command that would write names it', async (t) => {
  const disk = mountSmallDisk(20);
  if (disk === undefined) return t.skip('nobody lets us mount');
  const small = await startSmallWeb({ preset: 'plain', hosts: 2, pagesPerHost: 3, domains: 1 });
  const data = join(disk.folder, 'data');
  const crawl = [...small.crawlArguments, '--delay', '0', '--data'];
  assert.equal((await runCommand([...crawl, data])).code, 0);
  disk.forbidWriting();
  const fresh = join(disk.folder, 'deep', 'new');
  for (const [words, place] of [
    [['crawl', '--data', data], join(data, 'log')],
    [['pause', '--data', data], join(data, 'requests')],
    [[...crawl, fresh], fresh],
  ] as const) {
    const { code, stderr } = await runCommand(words);
    assert.notEqual(code, 0);
    const last = stderr.trimEnd().split('\n').at(-1)!;
    assert.match(last, /^crawlstream: .* is on a file system that is mounted read-only: (choose|name) another/);
    assert.ok(last.includes(place), last);
  }
  assert.equal((await printedPages(data)).length, small.plan.expected(small.port).fetch.size);
});

test(
  'a crawl on a machine whose clock was hours ahead continues at once when the clock is corrected',
  patience,
  async () => {
    const small = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 12, domains: 1 });
    const data = join(temporaryFolder(), 'data');
    const ahead = 'const was = Date.now; Date.now = () => was() + 5 * 3_600_000';
    const env = { ...process.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(ahead)}` };
    const running = startCommand([...small.crawlArguments, '--delay', '50ms', '--data', data], { env });
    while (small.web.requests().length < 15) await sleep(20);
    running.child.kill('SIGKILL');
    await running.ended;
    const resumed = await runCommand(['crawl', '--data', data]);
    assert.equal(resumed.code, 0, resumed.stderr);
    assert.match(
      resumed.stderr,
      /the machine's clock was set back since the last run: the crawl keeps its own time, \d+[hm] ahead/,
    );
    assert.deepEqual(await printedPages(data), [...small.plan.expected(small.port).fetch].sort());
  },
);
