/**
 * kill -9 at random moments, then the same command: the crawl ends with the pages of one that nobody disturbed.
 *
 * The moments come from a seed, so that a failure can be repeated (as far as timing can). `CRAWLSTREAM_TEST_KILLS` says how
 * many kills in all; `CRAWLSTREAM_TEST_KILL_SEED` which.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ended, lastJson, runCommand, startCommand } from '../../../../lab/process/command.ts';
import { mix } from '../../../../lab/web/random.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type Death, fetchedAgain, tasksIn } from '../fetched-again.ts';
import { printedPages, startSmallWeb } from '../small-web.ts';

const kills = Number(process.env['CRAWLSTREAM_TEST_KILLS'] ?? 12);
const seed = Number(process.env['CRAWLSTREAM_TEST_KILL_SEED'] ?? 1);

/** Every fourth kill comes this soon after the start, among the loading of modules and the opening of the folder. ms */
const openingMs = 900;
/** The others come this soon after the first request of their run: most of these crawls take one to three seconds. ms */
const crawlingMs = 900;
const killsPerCrawl = 5;

/**
 * How long after a client's death the server may still believe its request under way: the kernel closes the sockets
 * at once, our own event loop sees it when it comes to it.
 */
const abortToleranceMs = 25;

interface Moment {
  /** Of the process, or the first request it makes. */
  readonly after: 'start' | 'request';
  readonly waitMs: number;
}

function momentOf(dice: number): Moment {
  if (dice % 4 === 0) return { after: 'start', waitMs: (dice >>> 2) % openingMs };
  return { after: 'request', waitMs: (dice >>> 2) % crawlingMs };
}

/** `full`: with Crawl-delays, rules, redirects and failures, which a restart must remember or learn again in time. */
const crawls = [
  { name: 'no delay, 1 partition', preset: 'plain', partitions: 1, delayMs: 0, hosts: 16, pages: 60 },
  { name: 'no delay, 3 partitions', preset: 'plain', partitions: 3, delayMs: 0, hosts: 16, pages: 60 },
  { name: 'a polite delay, 1 partition', preset: 'full', partitions: 1, delayMs: 60, hosts: 12, pages: 12 },
  { name: 'a polite delay, 3 partitions', preset: 'plain', partitions: 3, delayMs: 60, hosts: 12, pages: 16 },
] as const;

for (const [number, one] of crawls.entries()) {
  test(`kills at random moments lose nothing and break no delay: ${one.name}`, async (t) => {
    const target = Math.ceil(kills / crawls.length);
    for (let [killed, round] = [0, 0]; killed < target; round++) {
      const moments = Array.from({ length: Math.min(killsPerCrawl, target - killed) }, (_, n) =>
        momentOf(mix(seed, 90 + number, 1000 * round + n)),
      );
      const { killedAt, summary } = await crawlWithKills(one, 7 + round, moments);
      t.diagnostic(`round ${round}, killed ${killedAt.join(', ')}: ${summary}`);
      killed += killedAt.length;
    }
  });
}

/** One crawl, killed at some moments of its runs, then let go. A run that ends before its moment is not killed. */
async function crawlWithKills(
  { preset, partitions, delayMs, hosts, pages }: (typeof crawls)[number],
  webSeed: number,
  moments: readonly Moment[],
): Promise<{ readonly killedAt: readonly string[]; readonly summary: string }> {
  const traits = { domains: 4, crawlDelays: preset === 'full' ? 0.2 : 0, crawlDelayMs: 150, slowMs: 60 };
  const small = await startSmallWeb({ preset, hosts, pagesPerHost: pages, seed: webSeed, ...traits });
  const flags = ['--delay', `${delayMs}ms`, '--partitions', `${partitions}`, '--retries', '0.1s,0.2s', '--json'];
  const argsFor = (data: string) => [...small.crawlArguments, ...flags, '--data', data];
  const expected = [...small.plan.expected(small.port).fetch].sort();
  let admittedUndisturbed: unknown = expected.length;
  if (preset === 'full') {
    admittedUndisturbed = lastJson(await runCommand(argsFor(join(temporaryFolder(), 'data'))))['admitted'];
    small.web.reset();
  }

  const data = join(temporaryFolder(), 'data');
  const killedAt: string[] = [];
  const deaths: Death[] = [];
  let ended: Ended | undefined;
  for (const { after, waitMs } of moments) {
    const requests = small.web.requests().length;
    const running = startCommand(argsFor(data));
    while (after === 'request' && running.child.exitCode === null && small.web.requests().length === requests) {
      await sleep(10);
    }
    ended = await Promise.race([sleep(waitMs, undefined), running.ended]);
    if (ended !== undefined) break;
    running.child.kill('SIGKILL');
    const last = await running.ended;
    // It may have ended by itself a moment before.
    if (last.signal === null) {
      ended = last;
      break;
    }
    assert.equal(last.signal, 'SIGKILL');
    killedAt.push(`${waitMs} ms after ${after}`);
    deaths.push({ deadMs: Date.now() });
  }
  ended ??= await runCommand(argsFor(data));

  const context = `web ${webSeed}, killed ${killedAt.join(', ')}`;
  assert.equal(ended.code, 0, `${context}: ${ended.stderr}`);
  const report = small.check({ delayMs, abortToleranceMs });
  for (const kind of ['missing', 'shortGaps', 'concurrency', 'robotsViolations', 'unexpected'] as const) {
    assert.deepEqual(report[kind].details, [], `${context}: ${kind}`);
  }
  assert.deepEqual(await printedPages(data), expected, context);
  const again = fetchedAgain(small.plan, [...small.web.requests()], await tasksIn(data), deaths);
  assert.deepEqual(again.wrong, [], `${context}: at most one lease per host is fetched again`);
  const { admitted, pages: fetched, queued, leased } = lastJson(ended);
  assert.deepEqual(
    { admitted, fetched, queued, leased },
    { admitted: admittedUndisturbed, fetched: expected.length, queued: 0, leased: 0 },
    context,
  );
  await small.web.close();
  const summary = `${report.requests} requests, fetched again ${again.pages.join(', ')}, of one host ${again.mostOfOneHost}`;
  return { killedAt, summary };
}
