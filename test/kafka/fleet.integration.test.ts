/**
 * A fleet on Kafka: two processes, of which the one that runs it freezes, and later dies by kill -9, and what hosts, webhooks, commands and
 * brokers see of that.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { runCommand } from '../../lab/process/command.ts';
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
const delayMs = 100;
const names = ['c0', 'c1', 'c2', 'c3'];

test('a fleet on Kafka moves to another process when one is frozen or killed, politely, with no page and no event lost', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const { broker, root, command, atEnd } = await besideBroker(t, 300_000);
  const small = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 14, domains: 6, sameHostShare: 1 });
  const { port, posts } = await startReceiver(
    () => 204,
    () => ({}),
  );
  const fleet = `f${process.pid}`;
  const place = ['--brokers', broker.brokers];
  const start = async (data: string): Promise<FleetClient> => {
    const flags = ['--resolve', `*.test:${small.port}:127.0.0.1`, '--resolve', `hooks.test:${port}:127.0.0.1`];
    const own = ['--data', join(root, data), '--http', '0', '--host-delay', `${delayMs}ms`];
    const running = command(['fleet', ...place, '--fleet', fleet, ...own, ...flags]);
    return fleetClient(running, await listening(running));
  };
  const first = await start('a');
  await untilReady(first.base);
  const second = await start('b');
  const refused = await second.call('POST', '/v1/crawls', { seeds: small.seeds });
  assert.equal(refused.status, 503);
  assert.equal(refused.headers.get('retry-after'), '1');
  await until(async () => {
    const { body } = await second.call('GET', '/v1/crawls');
    return JSON.stringify(body).includes(first.base.slice('http://'.length));
  });
  assert.equal((await fetch(`${second.base}/readyz`)).status, 503);

  const webhook = { url: `http://hooks.test:${port}/hook`, secret };
  const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' } };
  const took: number[] = [];
  for (const name of names) {
    const beginMs = performance.now();
    await first.create({ seeds: small.seeds, policy, name, webhook, idempotencyKey: name });
    took.push(Math.round(performance.now() - beginMs));
  }
  t.diagnostic(`crawls were made in ${took.join(', ')} ms`);
  // Cut off, and alive: what it was about to do when it stopped, it does when it wakes.
  await first.until('pages of all', (all) => all.every(({ counts }) => counts.pages >= 3));
  first.running.child.kill('SIGSTOP');
  const frozenMs = performance.now();
  await untilReady(second.base);
  t.diagnostic(`another process ran the fleet ${Math.round(performance.now() - frozenMs)} ms after it froze`);
  first.running.child.kill('SIGCONT');
  await until(async () => (await first.call('GET', '/v1/crawls')).status === 503);
  await second.until('more pages of all', (all) => all.every(({ counts }) => counts.pages >= 8));

  second.running.child.kill('SIGKILL');
  const killedMs = performance.now();
  await second.running.ended;
  await untilReady(first.base);
  t.diagnostic(`another process ran the fleet ${Math.round(performance.now() - killedMs)} ms after a kill -9`);
  const again = await first.call('POST', '/v1/crawls', {
    ...{ seeds: small.seeds, policy, name: 'c0', webhook, idempotencyKey: 'c0' },
  });
  assert.equal(again.status, 200, 'the key of a crawl made before the kill makes no other');
  const ended = await first.until('the ends of all', (all) => all.every(({ end }) => end !== null));
  assert.deepEqual(
    ended.map(({ name, end, failure }) => [name, end, failure]),
    names.map((name) => [name, 'done', null]),
  );

  const { shortGaps, concurrency, robotsViolations, unexpected } = small.check({ delayMs });
  for (const [what, { count, details }] of Object.entries({ shortGaps, concurrency, robotsViolations, unexpected }))
    assert.equal(count, 0, `${what}: ${details.join('; ')}`);
  const pages = await sameAndReported(first, posts, names);
  assert.ok(pages.length >= 6 * 10, `${pages.length}`);

  const crawl = [...place, '--crawl', `${fleet}.c1`];
  const printed = await runCommand(['pages', ...crawl]);
  assert.equal(printed.code, 0, printed.stderr);
  assert.equal(
    new Set(
      printed.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).url),
    ).size,
    pages.length,
  );
  for (const command of ['stats', 'audit']) {
    const { code, stdout, stderr } = await runCommand([command, ...crawl]);
    assert.equal(code, 0, `${command}: ${stdout}${stderr}`);
  }
  const together = await runCommand(['audit', ...place, '--fleet', fleet, '--json']);
  assert.equal(together.code, 0, together.stdout + together.stderr);
  const judged = JSON.parse(together.stdout.trimEnd().split('\n').at(-1)!);
  assert.deepEqual([judged.crawls, judged.violations, judged.hosts], [names.length, 0, judged.shared]);
  assert.ok(judged.fetches >= names.length * pages.length, `${judged.fetches} requests were judged`);
  const ofOne = await runCommand(['audit', ...place, '--fleet', fleet, '--host', 'a.test']);
  assert.match(ofOne.stderr, new RegExp(`--host.*for a single crawl, not a fleet.*--crawl ${fleet}.NAME`));
  const none = await runCommand(['audit', ...place, '--fleet', 'nobody']);
  assert.match(none.stderr, /no fleet nobody exists on these brokers/);
  const explained = await runCommand(['explain', pages[0]!, ...crawl]);
  assert.equal(explained.code, 0, explained.stderr);

  const log = await openKafkaLog({ brokers: [broker.brokers], clientId: 'test' });
  atEnd(() => log.close());
  const partitionsOf = async (name: string) =>
    Promise.all(
      ['pages', 'flow', 'frontier-changelog', 'results'].map((topic) => log.partitionsOf(`${fleet}.${name}.${topic}`)),
    );
  assert.deepEqual(await partitionsOf('c0'), [1, 1, 1, 0]);
  assert.equal((await first.call('DELETE', '/v1/crawls/c0')).status, 204);
  assert.deepEqual(await partitionsOf('c0'), [0, 0, 0, 0]);
  assert.deepEqual(
    (await first.list()).map(({ name }) => name),
    names.slice(1),
  );
  first.running.child.kill('SIGTERM');
  assert.equal((await first.running.ended).code, 130);
});
