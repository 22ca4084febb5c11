/** A fleet by its API, as a client sees it: crawls made, refused, paused, resumed, ended and deleted beside each other. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runCommand } from '../../../../lab/process/command.ts';
import { startSmallWeb } from '../../cli/small-web.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { startFleet } from './running-fleet.ts';

const polite = { delayMs: 20, delayFactor: 0 };

test('crawls are created, paused, resumed, ended and deleted by HTTP while others go on, and commands accept their folders', async () => {
  const small = await startSmallWeb({ preset: 'plain', hosts: 6, pagesPerHost: 20, domains: 3 });
  const resolve = ['--resolve', `*.test:${small.port}:127.0.0.1`];
  const data = join(temporaryFolder(), 'fleet');
  const fleet = await startFleet(data, [...resolve, '--host-delay', '20ms']);
  after(() => fleet.running.child.kill('SIGKILL'));

  const call = { seeds: small.seeds, policy: polite, owner: 'me', weight: 2, idempotencyKey: 'one', name: 'one' };
  const first = await fleet.create(call);
  assert.deepEqual([first.name, first.owner, first.weight, first.seeds], ['one', 'me', 2, small.seeds.length]);
  assert.equal(first.data, join(data, 'crawls', 'one'));
  assert.equal((await fleet.call('POST', '/v1/crawls', call)).status, 200);
  assert.equal((await fleet.list()).length, 1);
  const changed = await fleet.call('POST', '/v1/crawls', { ...call, weight: 3 });
  assert.equal(changed.status, 400);
  assert.match(JSON.stringify(changed.body), /idempotencyKey: this key was already used with a different crawl/);

  // What is wrong is refused with its field, and leaves nothing.
  for (const [body, said] of [
    [{ seeds: ['ftp://a.test/'] }, /ftp/],
    [{ seeds: small.seeds, policy: { delayMs: 'soon' } }, /policy\.delayMs/],
    [{ seeds: small.seeds, policy: { filters: { exclude: ['('] } } }, /exclude|expression|\(/],
    [{ seeds: small.seeds, policy: { nothing: 1 } }, /policy\.nothing/],
    [{ seeds: small.seeds, weight: 0 }, /weight/],
    [{ seeds: small.seeds, name: '../up' }, /name/],
    [{ seeds: small.seeds, name: 'one' }, /a crawl one already/],
    [{ seeds: ['http://example.org/'] }, /--contact/],
    [{ seeds: small.seeds, color: 'red' }, /color/],
  ] as const) {
    const { status, body: answer } = await fleet.call('POST', '/v1/crawls', body);
    assert.equal(status, 400, JSON.stringify(answer));
    assert.match((answer as { readonly message: string }).message, said);
  }
  assert.deepEqual(readdirSync(join(data, 'crawls')), ['one']);

  // A name of its own, of the seed's host.
  const second = await fleet.create({ seeds: small.seeds, policy: { ...polite, pageQuota: 30 } });
  assert.match(second.name, /^h\d+-site0-test-\d+$/);
  const third = await fleet.create({ seeds: small.seeds, policy: polite, name: 'third' });
  assert.equal(third.state, 'starting');

  await fleet.until('some pages of one', (crawls) => crawls.find(({ name }) => name === 'one')!.counts.pages > 5);
  const paused = (await fleet.call('POST', '/v1/crawls/one/pause')).body as { state: string; counts: object };
  assert.equal(paused.state, 'paused');
  const stats = await runCommand(['stats', '--data', first.data, '--json']);
  assert.equal(stats.code, 0, stats.stderr);
  assert.deepEqual((await fleet.get('one')).counts, paused.counts);
  const before = await fleet.pages('one', 3);
  assert.equal(before.length, (await fleet.get('one')).counts.pages);

  // The others go on meanwhile, one to its quota and one to its end.
  const rest = await fleet.until('the ends of the others', (crawls) =>
    crawls.every(({ end, name }) => end !== null || name === 'one'),
  );
  assert.deepEqual(
    rest.map(({ name, state, end }) => [name, state, end]),
    [
      ['one', 'paused', null],
      [second.name, 'ended', 'quota'],
      ['third', 'ended', 'done'],
    ],
  );
  assert.equal(rest[1]!.counts.pages, 30);
  assert.equal((await fleet.call('POST', '/v1/crawls/one/resume')).status, 200);
  await fleet.until('the end of one', (crawls) => crawls[0]!.end === 'done');
  const urls = (await fleet.pages('one')).map(({ url }) => url).sort();
  assert.deepEqual(urls, [...small.plan.expected(small.port).fetch].sort());
  const again = await fleet.call('POST', '/v1/crawls/one/resume');
  assert.equal(again.status, 400);
  assert.match(JSON.stringify(again.body), /has ended \(done\)/);
  for (const name of ['one', second.name, 'third']) {
    const { code, stdout } = await runCommand(['audit', '--data', join(data, 'crawls', name)]);
    assert.equal(code, 0, stdout);
  }

  const fourth = await fleet.create({ seeds: small.seeds, policy: polite, name: 'fourth' });
  assert.equal((await fleet.call('POST', '/v1/crawls/fourth/end')).status, 200);
  assert.deepEqual([(await fleet.get('fourth')).state, (await fleet.get('fourth')).end], ['ended', 'stopped']);
  for (const name of ['fourth', 'third']) assert.equal((await fleet.call('DELETE', `/v1/crawls/${name}`)).status, 204);
  assert.ok(!existsSync(fourth.data));
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/pages'],
    ['POST', '/pause'],
    ['DELETE', ''],
  ] as const)
    assert.equal((await fleet.call(method, `/v1/crawls/third${path}`)).status, 404);
  // Its name is free.
  await fleet.create({ seeds: small.seeds, policy: polite, name: 'third' });
  const document = (await fleet.call('GET', '/v1/openapi.json')).body as { readonly paths: object };
  assert.equal(Object.keys(document.paths).length, 11);

  const other = await runCommand(['fleet', '--data', data, '--http', '0']);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /another process/);
  fleet.running.child.kill('SIGINT');
  const { code, stderr } = await fleet.running.ended;
  assert.equal(code, 130, stderr);
  assert.doesNotMatch(stderr, /bug|Warning/);
});
