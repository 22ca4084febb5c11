/** What a bad day brings: a user in a hurry, a machine that is too small. It says why, and forgets nothing. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand, startCommand } from '../../../lab/process/command.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { printedPages, startSmallWeb } from './small-web.ts';

const patience = { timeout: 240_000 };

for (const [first, second, code] of [
  ['SIGINT', 'SIGINT', 130],
  ['SIGTERM', 'SIGTERM', 143],
  ['SIGTERM', 'SIGKILL', null],
] as const) {
  test(
    `a crawl that gets ${first}, then ${second}, ends at once and goes on later without a loss`,
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
      while (!running.output().includes('again to leave at once')) await sleep(20);
      assert.equal(running.child.exitCode, null, running.output());
      running.child.kill(second);
      const ended = await running.ended;
      assert.equal(ended.code, code, ended.stderr);
      if (code !== null) assert.match(ended.stderr, /left at once: nothing durable is lost, .* by the next start\n$/);
      const resumed = await runCommand(['crawl', '--data', data], { patienceMs: 200_000 });
      assert.equal(resumed.code, 0, resumed.stderr);
      assert.deepEqual(await printedPages(data), [...small.plan.expected(small.port).fetch].sort());
      assert.deepEqual(small.check({ delayMs: 0 }).missing.details, []);
    },
  );
}

test('too few files that may be open are said in one line, with the command that raises them', async () => {
  for (const limit of [24, 64]) {
    const ended = await runCommand(['stats', '--data', 'nowhere'], { shellPrefix: `ulimit -n ${limit};` });
    assert.equal(ended.code, 1);
    assert.equal(
      ended.stderr,
      'crawlstream: too many files are open at once: raise the limit (such as ulimit -n 4096), then run the same command again\n',
    );
  }
});
