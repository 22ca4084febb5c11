/** A fleet on a broker with TLS, SASL and an authorizer: it, and whoever reads its crawls, with no right but those that `crawlstream acls` lists. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { skipReason } from '../../lab/kafka/components.ts';
import { lastJson, runCommand, startCommand } from '../../lab/process/command.ts';
import { listening, untilReady } from '../services/cli/listening.ts';
import { startSmallWeb } from '../services/cli/small-web.ts';
import { fleetClient } from '../services/extras/fleet/running-fleet.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';
import { allow } from './allow.ts';
import { passwordOf, startSecuredBroker } from './secured-broker.ts';

const skip = (await skipReason()) ?? false;
const delayMs = 50;

test('a fleet runs, is taken over by a frontier and a fetcher, and creates, ends and deletes crawls with exactly the rights that acls lists', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const ends: (() => unknown)[] = [];
  t.after(async () => {
    for (const end of ends.reverse()) await end();
  });
  const broker = await startSecuredBroker(['fleet', 'fetcher', 'operator', 'reader']);
  ends.push(() => broker.stop());
  const web = await startSmallWeb({ preset: 'plain', hosts: 3, pagesPerHost: 8, domains: 3, sameHostShare: 1 });
  const root = temporaryFolder();
  const env = (user: string) => ({
    ...process.env,
    CRAWLSTREAM_KAFKA_CA: broker.ca,
    CRAWLSTREAM_KAFKA_MECHANISM: 'plain',
    CRAWLSTREAM_KAFKA_USERNAME: user,
    CRAWLSTREAM_KAFKA_PASSWORD: passwordOf(user),
  });
  const run = (user: string, ...args: readonly string[]) =>
    runCommand([...args, '--brokers', broker.brokers], { env: env(user) });
  const start = (name: string, data: string, role?: 'frontier' | 'fetcher') => {
    const place = ['--brokers', broker.brokers, '--fleet', name, '--data', join(root, data)];
    const flags = ['--http', '0', '--host-delay', `${delayMs}ms`, '--resolve', `*.test:${web.port}:127.0.0.1`];
    const roles = role === undefined ? [] : ['--role', role];
    const user = role === 'fetcher' ? 'fetcher' : 'fleet';
    const running = startCommand(['fleet', ...place, ...roles, ...flags], { env: env(user), patienceMs: 280_000 });
    ends.push(() => running.child.kill('SIGKILL'));
    return running;
  };
  await allow(broker, ['--fleet', 'search']);
  await allow(broker, ['reader', '--crawl', 'search.docs']);

  const first = start('search', 'a');
  const before = fleetClient(first, await listening(first));
  await untilReady(before.base);
  const policy = { delayMs, delayFactor: 0, scope: { kind: 'host' } };
  for (const name of ['docs', 'news']) await before.create({ seeds: web.seeds, policy, name });
  await before.until('pages', (all) => all.every(({ counts }) => counts.pages > 0));
  first.child.kill('SIGKILL');
  await first.ended;
  const second = start('search', 'b', 'frontier');
  const fleet = fleetClient(second, await listening(second));
  await untilReady(fleet.base);
  await untilReady(await listening(start('search', 'c', 'fetcher')));
  const done = await fleet.until('the ends of both', (all) => all.every(({ end }) => end !== null));
  assert.deepEqual(
    done.map(({ name, end, failure }) => [name, end, failure]),
    [
      ['docs', 'done', null],
      ['news', 'done', null],
    ],
  );
  const { shortGaps, concurrency, robotsViolations, missing } = web.check({ delayMs });
  for (const [what, { count, details }] of Object.entries({ shortGaps, concurrency, robotsViolations, missing }))
    assert.equal(count, 0, `${what}: ${details.join('; ')}`);
  await fleet.create({ seeds: web.seeds, policy, name: 'ended' });
  assert.equal((await fleet.call('POST', '/v1/crawls/ended/end')).status, 200);
  for (const name of ['ended', 'news']) assert.equal((await fleet.call('DELETE', `/v1/crawls/${name}`)).status, 204);
  const looked = await run('operator', 'stats', '--crawl', 'search.docs', '--json');
  assert.equal(lastJson(looked)['pages'], done[0]!.counts.pages, looked.stderr);
  const set = await run('operator', 'block', 'h0.test', '--crawl', 'search.docs');
  assert.equal(set.code, 0, set.stderr);

  const read = await run('reader', 'pages', '--crawl', 'search.docs');
  assert.equal(read.code, 0, read.stderr);
  assert.equal(new Set(read.stdout.trim().split('\n')).size, done[0]!.counts.pages);
  await fleet.create({ seeds: web.seeds, policy, name: 'other' });
  assert.notEqual(
    (await run('reader', 'pages', '--crawl', 'search.other')).code,
    0,
    'a crawl of which acls was not asked',
  );

  const refused = await start('another', 'd').ended;
  assert.equal(refused.code, 2, refused.stderr);
  assert.match(refused.stderr, /another\.crawls.*not allowed for this user.*grant the right/);
});
