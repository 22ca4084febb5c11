/**
 * Twenty crawls of one fleet over sixty hosts that they share: what the hosts' own servers saw of them, through a kill of
 * the process in the middle.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import type { CrawlAnswer } from '../../../../services/extras/fleet/fleet-schemas.ts';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startFleet } from './running-fleet.ts';

const delayMs = 40;
const weights = [1, 2, 3, 4];
const nameOf = (n: number) => `c${String(n).padStart(2, '0')}`;

test('twenty crawls share sixty hosts by weight, no host gets two requests sooner than its delay, and a kill changes nothing', async (t) => {
  const crawls = 20;
  // Each request takes a while, so that the requests in flight are what is scarce.
  const small = await startSmallWeb({
    ...{ preset: 'plain', hosts: 60, pagesPerHost: 40, domains: 60, sameHostShare: 1, linksPerPage: 12 },
    ...{ slow: 1, slowMs: 30, crawlDelays: 0.1, crawlDelayMs: 120 },
  });
  const data = join(temporaryFolder(), 'fleet');
  const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--host-delay', `${delayMs}ms`, '--in-flight', '2'];
  let fleet = await startFleet(data, flags);
  after(() => fleet.running.child.kill('SIGKILL'));
  const started: number[] = [];
  for (let n = 0; n < crawls; n++) {
    // Thirty hosts of sixty, from another one on each: every host is wanted by ten crawls.
    const seeds = Array.from({ length: 30 }, (_, i) => small.seeds[(3 * n + i) % small.seeds.length]!);
    const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' }, pageQuota: 40 * weights[n % 4]! };
    const beginMs = performance.now();
    await fleet.create({ seeds, policy, name: nameOf(n), weight: weights[n % 4]! });
    started.push(performance.now() - beginMs);
  }
  const beginMs = performance.now();
  await fleet.until('a page of the last one', (all) => all.at(-1)!.counts.pages > 0);
  t.diagnostic(
    `the last of ${crawls} was started in ${Math.round(started.at(-1)!)} ms, its first page came ${Math.round(performance.now() - beginMs)} ms later`,
  );

  const sum = (all: readonly CrawlAnswer[]) => all.reduce((pages, { counts }) => pages + counts.pages, 0);
  const from = await fleet.until('400 pages', (all) => sum(all) >= 400);
  const to = await fleet.until('1,300 pages', (all) => sum(all) >= 1_300);
  const gained = weights.map((weight) =>
    to.reduce((pages, one, n) => pages + (one.weight === weight ? one.counts.pages - from[n]!.counts.pages : 0), 0),
  );
  const all = gained.reduce((a, b) => a + b, 0);
  t.diagnostic(`pages by weight ${weights.join(', ')}: ${gained.join(', ')}`);
  for (const [at, weight] of weights.entries()) {
    const share = gained[at]! / all / (weight / 10);
    // Exactly: test/topology/fleet/arbiter.test.ts. Here, looks and commits come when they come.
    assert.ok(Math.abs(share - 1) < 0.15, `weight ${weight} has ${share} of its share: ${gained.join(', ')}`);
  }

  fleet.running.child.kill('SIGKILL');
  await fleet.running.ended;
  fleet = await startFleet(data, flags);
  const ended = await fleet.until('the ends of all', (some) => some.every(({ end }) => end !== null));
  for (const { name, end, weight, counts, failure } of ended)
    assert.deepEqual([name, end, counts.pages, failure], [name, 'quota', 40 * weight, null]);

  const { shortGaps, concurrency, robotsViolations, unexpected } = small.check({ delayMs });
  for (const [what, { count, details }] of Object.entries({ shortGaps, concurrency, unexpected }))
    assert.equal(count, 0, `${what}: ${details.join('; ')}`);
  assert.equal(robotsViolations.count, 0, robotsViolations.details.join('; '));
  const asked = new Map<number, number>();
  for (const { host, path } of small.web.requests())
    if (path === '/robots.txt') asked.set(host, (asked.get(host) ?? 0) + 1);
  // Once for all crawls, and once more after the kill.
  assert.ok(
    [...asked.values()].every((times) => times <= 2),
    [...asked].join(' '),
  );
  const one = await runCommand(['audit', '--data', join(data, 'crawls', nameOf(7))]);
  assert.equal(one.code, 0, one.stdout);
  // All of them together, beside the fleet.
  const all20 = await runCommand(['audit', '--data', data, '--json']);
  assert.equal(all20.code, 0, all20.stdout + all20.stderr);
  const reported = JSON.parse(all20.stdout.trim().split('\n').at(-1)!) as Record<string, number>;
  assert.deepEqual([reported['crawls'], reported['shared'], reported['violations']], [crawls, 60, 0]);
  assert.ok(reported['fetches']! >= 2_000, all20.stdout);
  const asIfOne = await runCommand(['audit', '--data', data, '--host', 'a.test']);
  assert.match(asIfOne.stderr, /--host.*for a single crawl, not a fleet: name a crawl, as in --data \S+c00/);
  for (const { name } of ended) assert.equal((await fleet.call('DELETE', `/v1/crawls/${name}`)).status, 204);
  assert.deepEqual(await fleet.list(), []);
  assert.ok(!existsSync(join(data, 'crawls', nameOf(0))));
});
