/** Hosts whose robots.txt is not asked. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { RobotsCache } from '../../../../services/fetcher/robots/cache.ts';
import { exceptHosts } from '../../../../services/fetcher/robots/exempt-hosts.ts';
import { isAllowed } from '../../../../topology/robots/rules.ts';

it('a host that a policy exempts from robots.txt is fetched without it; all other hosts need theirs', async () => {
  const asked: string[] = [];
  const known = { fresh: true } as unknown as Awaited<ReturnType<RobotsCache['get']>>;
  const cache = {
    get: async (origin: string) => {
      asked.push(origin);
      return known;
    },
    has: (origin: string) => origin === 'https://known.test',
    hop: { get: () => undefined },
    size: 7,
  } as unknown as RobotsCache;
  const except = exceptHosts(cache, (hostKey) => hostKey === 'a.test:8080', ['bot', 'other']);
  const fetch = () => assert.fail('nobody asks');
  const answer = await except.get('http://a.test:8080', fetch);
  assert.equal(answer!.fresh, false);
  const { status, token, hash, fetchedAtMs, stale, silent, blockedAddress, retryAfterMs, rules } = answer!.robots;
  assert.deepEqual([status, token, hash, fetchedAtMs, retryAfterMs], ['allowAll', 'bot', '', 0, 0]);
  assert.deepEqual([stale, silent, blockedAddress], [false, false, false]);
  assert.equal(isAllowed(rules, 'http://a.test:8080/x'), true);
  assert.deepEqual(asked, []);
  assert.equal(await except.get('http://a.test', fetch), known);
  assert.deepEqual(asked, ['http://a.test']);
  assert.deepEqual(
    ['http://a.test:8080', 'https://known.test', 'http://a.test'].map((origin) => except.has(origin)),
    [true, true, false],
  );
  assert.equal(except.size, 7);
  assert.equal(except.hop, cache.hop);
});
