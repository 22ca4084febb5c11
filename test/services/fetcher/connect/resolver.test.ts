import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileOverrides, parseResolveOverride } from '../../../../services/fetcher/connect/resolve-override.ts';
import { createResolver } from '../../../../services/fetcher/connect/resolver.ts';
import { isBlockedAddress } from '../../../../topology/fetch/address.ts';
import { createFakeClock } from '../fake-clock.ts';

function open(answers: (hostname: string) => readonly string[] | Error, ttlMs = 60_000) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const resolver = createResolver({
    clock,
    overrides: compileOverrides([]),
    isBlocked: isBlockedAddress,
    lookup: async (hostname) => {
      asked.push(hostname);
      const answer = answers(hostname);
      if (answer instanceof Error) throw answer;
      return { addresses: answer, ttlMs };
    },
  });
  return { clock, asked, resolver };
}

test('DNS answers are cached for their TTL and shared while under way; failures are cached for less', async () => {
  let addresses: string[] = [];
  const { clock, asked, resolver } = open(() => addresses, 120_000);
  const failed = await Promise.all([resolver.resolve('a.test', 80), resolver.resolve('a.test', 443)]);
  assert.deepEqual(
    failed.map((one) => one.ok),
    [false, false],
  );
  assert.equal(asked.length, 1);
  addresses = ['8.8.8.8'];
  await clock.advance(29_000);
  assert.equal((await resolver.resolve('a.test', 80)).ok, false);
  await clock.advance(2_000);
  assert.equal((await resolver.resolve('a.test', 80)).ok, true);
  await clock.advance(119_000);
  await resolver.resolve('a.test', 80);
  assert.equal(asked.length, 2);
  await clock.advance(2_000);
  await resolver.resolve('a.test', 80);
  assert.equal(asked.length, 3);
});

test('only public addresses are returned, IPv4 first; a name without one is blocked', async () => {
  const { resolver } = open((hostname) =>
    hostname === 'mixed.test' ? ['2606:4700::1', '10.0.0.5', '93.184.215.14'] : ['::ffff:169.254.169.254'],
  );
  const mixed = await resolver.resolve('mixed.test', 80);
  assert.deepEqual(mixed, { ok: true, addresses: ['93.184.215.14', '2606:4700::1'], overridden: false });
  for (const discovery of ['looked up', 'cached']) {
    const bad = await resolver.resolve('bad.test', 80);
    assert.equal(bad.ok === false && bad.kind, 'blockedAddress', discovery);
  }
});

test('a name that moves to a private address after its check is not reached (DNS rebinding)', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const { clock, resolver } = open(() => answers.shift()!, 0);
  assert.equal((await resolver.resolve('turns.test', 80)).ok, true);
  await clock.advance(3_600_000);
  const turned = await resolver.resolve('turns.test', 80);
  assert.equal(turned.ok === false && turned.kind, 'blockedAddress');
});

test('literal addresses pass the guard and are never looked up', async () => {
  const { asked, resolver } = open(() => []);
  assert.equal((await resolver.resolve('8.8.8.8', 80)).ok, true);
  assert.equal((await resolver.resolve('[2606:4700::1]', 80)).ok, true);
  assert.equal((await resolver.resolve('127.0.0.1', 80)).ok, false);
  assert.equal((await resolver.resolve('[::1]', 80)).ok, false);
  assert.deepEqual(asked, []);
});

test('a name with a thousand addresses costs no more than one with a few', async () => {
  const { resolver } = open(() => Array.from({ length: 1_000 }, (_, n) => `8.8.${n >> 8}.${n & 255}`));
  const answer = await resolver.resolve('many.test', 80);
  assert.equal(answer.ok && answer.addresses.length, 8);
});

test('a failed lookup is a value, not an exception', async () => {
  const { resolver } = open(() => new Error('SERVFAIL'));
  const answer = await resolver.resolve('a.test', 80);
  assert.equal(answer.ok === false && answer.kind, 'dnsFailed');
});

test('--resolve matches a name, a suffix or everything, with or without port, the most specific first', () => {
  const lookup = compileOverrides(
    ['*:192.0.2.1', '*.test:192.0.2.2', 'a.test:192.0.2.3', 'a.test:8080:192.0.2.4', '*.b.test:[::1]'].map(
      parseResolveOverride,
    ),
  );
  assert.equal(lookup('x.org', 80), '192.0.2.1');
  assert.equal(lookup('x.test', 80), '192.0.2.2');
  assert.equal(lookup('a.test', 80), '192.0.2.3');
  assert.equal(lookup('a.test', 8080), '192.0.2.4');
  assert.equal(lookup('x.b.test', 80), '::1');
  assert.equal(compileOverrides([parseResolveOverride('*.test:9:192.0.2.2')])('test', 9), undefined);
});

test('a malformed --resolve is refused with the expected form', () => {
  for (const text of [
    '',
    'a',
    'a:b',
    'a:80',
    'a:80:999.1.1.1',
    'a:99999:192.0.2.1',
    'a:80:',
    ':80:192.0.2.1',
    'a*:192.0.2.1',
  ]) {
    assert.throws(() => parseResolveOverride(text), { code: 'INVALID_ARGUMENT' }, text);
  }
});

test('an unresponsive address is tried last while its name has another permitted one', async () => {
  const { clock, resolver } = open((hostname) => {
    if (hostname === 'one.test') return ['8.8.8.8'];
    return hostname === 'inner.test' ? ['8.8.8.8', '10.0.0.5'] : ['8.8.8.8', '9.9.9.9', '1.1.1.1'];
  });
  const addresses = async (hostname: string) => {
    const found = await resolver.resolve(hostname, 80);
    return found.ok ? found.addresses : [];
  };
  assert.equal(resolver.avoid('a.test', '8.8.8.8'), false, 'nothing is known of the name');
  assert.deepEqual(await addresses('a.test'), ['8.8.8.8', '9.9.9.9', '1.1.1.1']);
  assert.equal(resolver.avoid('a.test', '8.8.8.8'), true);
  assert.deepEqual(await addresses('a.test'), ['9.9.9.9', '1.1.1.1', '8.8.8.8']);
  assert.equal(resolver.avoid('a.test', '1.1.1.1'), true);
  assert.deepEqual(await addresses('a.test'), ['9.9.9.9', '8.8.8.8', '1.1.1.1']);
  // One of an older answer adds nothing, and the others are there.
  assert.equal(resolver.avoid('a.test', '7.7.7.7'), true);
  assert.deepEqual(await addresses('a.test'), ['9.9.9.9', '8.8.8.8', '1.1.1.1']);
  for (const name of ['one.test', 'inner.test']) {
    assert.deepEqual(await addresses(name), ['8.8.8.8']);
    assert.equal(resolver.avoid(name, '8.8.8.8'), false, `${name} has no other`);
    assert.deepEqual(await addresses(name), ['8.8.8.8']);
  }
  await clock.advance(61_000);
  assert.deepEqual(await addresses('a.test'), ['8.8.8.8', '9.9.9.9', '1.1.1.1'], 'asked anew');
});

test('names of other domains that were answered before show whether name servers answer, every few seconds at most', async () => {
  let isAway = false;
  const { clock, asked, resolver } = open((hostname) =>
    isAway || hostname === 'broken.test' ? Object.assign(new Error('no server'), { code: 'ESERVFAIL' }) : ['8.8.8.8'],
  );
  await resolver.resolve('broken.test', 80);
  await resolver.resolve('a.test', 80);
  assert.equal(await resolver.resolvesOthers('broken.test'), null, 'one name is not enough');
  await resolver.resolve('b.test', 80);
  assert.equal(await resolver.resolvesOthers('broken.test'), true);
  isAway = true;
  await clock.advance(5_000);
  const before = asked.length;
  assert.equal(await resolver.resolvesOthers('broken.test'), false);
  assert.equal(await resolver.resolvesOthers('broken.test'), false);
  assert.deepEqual(asked.slice(before), ['a.test', 'b.test'], 'although their addresses are known');
});

test('an answer is known without a look-up while it is valid, with the time at which it was asked for', async () => {
  const { clock, asked, resolver } = open((hostname) =>
    hostname === 'dead.test' ? new Error('no server') : ['8.8.8.8'],
  );
  const known = (hostname: string) => resolver.known(hostname, 80)?.ok;
  assert.deepEqual([known('a.test'), resolver.askedAtMs('a.test'), asked], [undefined, undefined, []]);
  assert.equal(known('8.8.8.8'), true);
  const askedAtMs = clock.nowMs();
  await Promise.all(['a.test', 'dead.test'].map((name) => resolver.resolve(name, 80)));
  await clock.advance(20_000);
  assert.deepEqual([known('a.test'), known('dead.test'), resolver.askedAtMs('dead.test')], [true, false, askedAtMs]);
  await clock.advance(60_000);
  assert.deepEqual([known('a.test'), known('dead.test')], [undefined, undefined]);
  assert.equal(asked.length, 2);
});
