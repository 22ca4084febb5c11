/**
 * A fleet on Kafka whose fetchers are processes of their own: crawls that share their hosts, a fetcher that joins, one that dies by kill -9,
 * a frontier that dies, and what hosts, webhooks and commands see of that.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { type FleetClient, fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { startReceiver } from '../services/extras/fleet/webhooks/receiver.ts';
import { until } from '../services/until.ts';
import { besideBroker } from './beside-broker.ts';
import { sameAndReported } from './whole-events.ts';

const skip = (await skipReason()) ?? false;
const secret = `whsec_${Buffer.alloc(32, 'signs what is posted').toString('base64')}`;
const delayMs = 150;
const names = ['c0', 'c1', 'c2'];

test('a fleet of one frontier and two fetchers survives a kill of any of them, with one clock per host over all crawls and processes', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { broker, root, command } = await besideBroker(t, 300_000);
  const small = await startSmallWeb({ preset: 'plain', hosts: 12, pagesPerHost: 20, domains: 12, sameHostShare: 0.9 });
  const { port, posts } = await startReceiver(
    () => 204,
    () => ({}),
  );
  const fleet = `r${process.pid}`;
  const place = ['--brokers', broker.brokers, '--fleet', fleet];
  const start = (role: string, data: string) => {
    const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--resolve', `hooks.test:${port}:127.0.0.1`];
    const own = ['--role', role, '--data', join(root, data), '--http', '0', '--host-delay', `${delayMs}ms`];
    return command(['fleet', ...place, ...own, ...flags]);
  };
  const frontier = async (data: string): Promise<FleetClient> => {
    const running = start('frontier', data);
    return fleetClient(running, await listening(running));
  };
  const first = await frontier('a');
  await untilReady(first.base);
  const second = await frontier('b');
  const oneFetcher = start('fetcher', 'x');
  const webhook = { url: `http://hooks.test:${port}/hook`, secret };
  const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' } };
  for (const [at, name] of names.entries())
    await first.create({ seeds: small.seeds, policy, name, webhook, idempotencyKey: name, weight: at + 1 });
  await first.until('pages of all', (all) => all.every(({ counts }) => counts.pages >= 5));
  // Another takes half of the hosts over.
  const other = start('fetcher', 'y');
  await untilReady(await listening(other));
  await first.until('more pages of all', (all) => all.every(({ counts }) => counts.pages >= 20));
  oneFetcher.child.kill('SIGKILL');
  const killedMs = performance.now();
  const at = new Map((await first.list()).map(({ name, counts }) => [name, counts.pages]));
  await first.until('pages after a fetcher was killed', (all) =>
    all.every(({ name, counts, end }) => counts.pages > at.get(name)! + 20 || end !== null),
  );
  t.diagnostic(`more pages of each crawl ${Math.round(performance.now() - killedMs)} ms after the kill of a fetcher`);
  first.running.child.kill('SIGKILL');
  await first.running.ended;
  await untilReady(second.base);
  const last = start('fetcher', 'z');
  const ended = await second.until('the ends of all', (all) => all.every(({ end }) => end !== null));
  assert.deepEqual(
    ended.map(({ name, end, failure }) => [name, end, failure]),
    names.map((name) => [name, 'done', null]),
  );

  const { shortGaps, concurrency, robotsViolations, unexpected } = small.check({ delayMs });
  for (const [what, { count, details }] of Object.entries({ shortGaps, concurrency, robotsViolations, unexpected }))
    assert.equal(count, 0, `${what}: ${details.join('; ')}`);
  const pages = await sameAndReported(second, posts, names);
  assert.ok(pages.length >= 12 * 15, `${pages.length}`);
  const together = await runCommand(['audit', ...place, '--json']);
  assert.equal(together.code, 0, together.stdout + together.stderr);
  const judged = JSON.parse(together.stdout.trimEnd().split('\n').at(-1)!);
  assert.deepEqual([judged.crawls, judged.violations, judged.hosts], [names.length, 0, judged.shared]);

  // One that fetches by itself waits until no fetcher has the hosts.
  second.running.child.kill('SIGKILL');
  await second.running.ended;
  const alone = command(['fleet', ...place, '--data', join(root, 'alone'), '--http', '0']);
  const base = await listening(alone);
  await until(async () =>
    (await (await fetch(`${base}/readyz`)).text()).includes('stop them, or start this process with --role frontier'),
  );
  for (const { child } of [other, last]) child.kill('SIGKILL');
  await untilReady(base);
});
