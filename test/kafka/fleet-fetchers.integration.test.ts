/**
 * Fetchers of a fleet through a bad hour: one is frozen and wakes after its hosts have gone, others are killed, stopped and started, crawls are
 * paused, resumed, ended and deleted meanwhile, over hosts with Crawl-delays, pauses, and robots.txt files that have moved to other hosts.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { type Running, runCommand } from '../../lab/process/command.ts';
import { openKafkaLog } from '../../services/runtime/log/kafka/kafka-log.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { type FleetClient, fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { startReceiver } from '../services/extras/fleet/webhooks/receiver.ts';
import { until } from '../services/until.ts';
import { besideBroker } from './beside-broker.ts';
import { sameAndReported } from './whole-events.ts';

const skip = (await skipReason()) ?? false;
const secret = `whsec_${Buffer.alloc(32, 'signs what is posted').toString('base64')}`;
const delayMs = 500;
const names = ['c0', 'c1', 'c2'];

test('crawls of a fleet have all their pages, and hosts their delays, whatever happens to the fetchers', {
  skip,
  timeout: 900_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, 800_000);
  const small = await startSmallWeb({
    ...{
      preset: 'full',
      hosts: 30,
      pagesPerHost: 14,
      domains: 10,
      robotsMoved: 0.5,
      crawlDelays: 0.2,
      crawlDelayMs: 900,
    },
    ...{ robotsUnavailable: 0, errors: 0, flaky: 0.03, throttled: 1, retryAfterSeconds: 2, calendars: 0, slow: 0.05 },
  });
  const { port, posts } = await startReceiver(
    () => 204,
    () => ({}),
  );
  const fleet = `h${process.pid}`;
  const place = ['--brokers', broker.brokers, '--fleet', fleet];
  const start = (role: string, data: string): Running => {
    const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--resolve', `hooks.test:${port}:127.0.0.1`];
    const own = ['--role', role, '--data', join(root, data), '--http', '0', '--host-delay', `${delayMs}ms`];
    return command(['fleet', ...place, ...own, ...flags]);
  };
  const frontier: FleetClient = await (async () => {
    const running = start('frontier', 'frontier');
    return fleetClient(running, await listening(running));
  })();
  await untilReady(frontier.base);
  const [a, b] = [start('fetcher', 'a'), start('fetcher', 'b')];
  for (const one of [a, b]) await untilReady(await listening(one));
  const webhook = { url: `http://hooks.test:${port}/hook`, secret };
  const policy = { delayMs, delayFactor: 0 };
  for (const name of [...names, 'gone', 'stopped']) {
    const more = name.startsWith('c') ? { webhook, idempotencyKey: name } : {};
    await frontier.create({ seeds: small.seeds, policy, name, ...more });
  }
  const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
  atEnd(() => log.close());
  /** One of so many fetchers has all partitions, or each has its share. */
  const shared = (count: number) =>
    until(async () => {
      const members = await log.membersOf(`${fleet}.fetchers`).catch(() => []);
      return members.length === count && members.every(({ owned }) => owned.length === 16 / count);
    }, 60_000);
  const pagesOf = async () => new Map((await frontier.list()).map(({ name, counts }) => [name, counts.pages] as const));
  const more = async (what: string, pages: number, of = names) => {
    const before = await pagesOf();
    const beganMs = performance.now();
    const isMore = (name: string, now: number, end: string | null) => end !== null || now >= before.get(name)! + pages;
    await frontier.until(`pages after ${what}`, (all) =>
      all.every(({ name, counts, end }) => !of.includes(name) || isMore(name, counts.pages, end)),
    );
    t.diagnostic(`${pages} pages more of each crawl ${Math.round(performance.now() - beganMs)} ms after ${what}`);
  };
  await more('the start', 8);

  a.child.kill('SIGSTOP');
  await shared(1);
  await more('one was frozen, and its hosts were taken over', 15);
  a.child.kill('SIGCONT');
  await shared(2);
  await more('it woke', 10);
  assert.equal((await frontier.call('POST', '/v1/crawls/c1/pause')).status, 200);
  const paused = (await pagesOf()).get('c1')!;
  b.child.kill('SIGKILL');
  assert.equal((await frontier.call('DELETE', '/v1/crawls/gone')).status, 204);
  await shared(1);
  await more('another was killed, and its hosts were taken over', 12, ['c0', 'c2']);
  const requests = small.web.requests().length;
  assert.equal((await frontier.call('POST', '/v1/crawls/stopped/end')).status, 200);
  assert.equal((await pagesOf()).get('c1'), paused, 'a crawl that is paused has no more pages');
  assert.ok(requests > 0);
  assert.equal((await frontier.call('POST', '/v1/crawls/c1/resume')).status, 200);
  const c = start('fetcher', 'c');
  await shared(2);
  await more('a third had come', 10);
  a.child.kill('SIGTERM');
  assert.equal((await a.ended).code, 130);
  await more('the first was stopped', 10);
  // The same name as before is another crawl.
  await frontier.create({ seeds: small.seeds, policy: { ...policy, pageQuota: 20 }, name: 'gone' });
  const ended = await frontier.until('the ends of all', (all) => all.every(({ end }) => end !== null));
  assert.deepEqual(
    Object.fromEntries(ended.map(({ name, end, failure }) => [name, [end, failure]])),
    {
      ...Object.fromEntries(names.map((name) => [name, ['done', null]])),
      ...{ gone: ['quota', null], stopped: ['stopped', null] },
    },
    JSON.stringify(ended),
  );
  const { shortGaps, concurrency, robotsViolations, missing } = small.check({ delayMs });
  for (const [what, { count, details }] of Object.entries({ shortGaps, concurrency, robotsViolations, missing }))
    assert.equal(count, 0, `${what}: ${details.join('; ')}`);
  await sameAndReported(frontier, posts, names);
  const together = await runCommand(['audit', ...place, '--json']);
  assert.equal(together.code, 0, together.stdout + together.stderr);
  for (const one of [c, frontier.running]) {
    one.child.kill('SIGTERM');
    assert.equal((await one.ended).code, 130);
  }
});
