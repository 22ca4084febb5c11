/**
 * kill -9 at random moments, then the same command: the crawl ends with the pages of one that nobody disturbed.
 *
 * The moments come from a seed, so that a failure can be repeated (as far as timing can). `CRAWLSTREAM_KILLS` says how
 * many kills in all; `CRAWLSTREAM_KILL_SEED` which.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { mix } from '../../web/random.ts';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';
import { lastJson, runCommand, startCommand } from './command.ts';
import { printedPages, startSmallWeb } from './small-web.ts';

const kills = Number(process.env['CRAWLSTREAM_KILLS'] ?? 12);
const seed = Number(process.env['CRAWLSTREAM_KILL_SEED'] ?? 1);

/** Before it, the child is only loading its modules: the first kill of three may fall into that. ms */
const loadingMs = 500;

/**
 * How long after a client's death the server may still believe its request under way: the kernel closes the sockets
 * at once, our own event loop sees it when it comes to it.
 */
const abortToleranceMs = 25;

const crawls = [
  { name: 'no delay, 1 partition', partitions: 1, delayMs: 0, hosts: 16, pages: 60, share: 0.25 },
  { name: 'no delay, 3 partitions', partitions: 3, delayMs: 0, hosts: 16, pages: 60, share: 0.25 },
  { name: 'a polite delay, 1 partition', partitions: 1, delayMs: 60, hosts: 12, pages: 16, share: 0.25 },
  { name: 'a polite delay, 3 partitions', partitions: 3, delayMs: 60, hosts: 12, pages: 16, share: 0.25 },
] as const;

for (const [number, { name, partitions, delayMs, hosts, pages, share }] of crawls.entries()) {
  test(`kills at random moments lose nothing and break no delay: ${name}`, async (t) => {
    const target = Math.ceil(kills * share);
    let [killed, round] = [0, 0];
    while (killed < target) {
      const small = await startSmallWeb({ preset: 'plain', hosts, pagesPerHost: pages, domains: 4, seed: 7 + round });
      const data = join(temporaryFolder(), 'data');
      const args = [...small.crawlArguments, '--delay', `${delayMs}`, '--partitions', `${partitions}`];
      args.push('--retries', '0.1,0.2', '--data', data, '--json');
      const momentsMs: number[] = [];
      for (;;) {
        const running = startCommand(args);
        // A crawl of this size takes one to three seconds: several kills, then it is let go.
        const momentMs = loadingMs - 150 + (mix(seed, 90 + number, 1000 * round + momentsMs.length) % 1_100);
        const kill = killed < target && momentsMs.length < 5;
        if (kill) {
          const ended = await Promise.race([sleep(momentMs, undefined), running.ended]);
          if (ended === undefined) {
            running.child.kill('SIGKILL');
            killed++;
            momentsMs.push(momentMs);
            assert.equal((await running.ended).signal, 'SIGKILL');
            continue;
          }
        }
        const ended = await running.ended;
        const context = `round ${round}, killed after ${momentsMs.join(', ')} ms`;
        assert.equal(ended.code, 0, `${context}: ${ended.stderr}`);
        const report = small.check({ delayMs, abortToleranceMs });
        assert.deepEqual(report.missing.details, [], context);
        assert.deepEqual(report.shortGaps.details, [], context);
        assert.deepEqual(report.concurrency.details, [], context);
        assert.deepEqual(report.robotsViolations.details, [], context);
        assert.deepEqual(report.unexpected.details, [], context);
        assert.deepEqual(await printedPages(data), [...small.plan.expected(small.port).fetch].sort(), context);
        const { admitted, pages: fetched, queued, failed, deadLettered } = lastJson(ended);
        const expected = hosts * pages;
        assert.deepEqual(
          { admitted, fetched, queued, failed, deadLettered },
          { admitted: expected, fetched: expected, queued: 0, failed: 0, deadLettered: 0 },
          context,
        );
        t.diagnostic(`${context}: ${report.requests} requests, ${report.duplicates.count} repeated`);
        break;
      }
      round++;
      await small.web.close();
    }
    // The last crawl's folder answers as one that was never killed would.
    assert.equal((await runCommand(['--version'])).code, 0);
  });
}
