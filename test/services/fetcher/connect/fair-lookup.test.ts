import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFairLookup } from '../../../../services/fetcher/connect/fair-lookup.ts';
import { requestLimits } from '../../../../services/fetcher/http/request-limits.ts';

const { lookupsPerDomainMax } = requestLimits;
const answer = { addresses: ['192.0.2.1'], ttlMs: 0 };

test('thousands of unanswered names of one domain do not delay the lookup of another domain’s name', async () => {
  const asked: string[] = [];
  const fair = createFairLookup((hostname) => {
    asked.push(hostname);
    return hostname.endsWith('dead.test') ? new Promise(() => {}) : Promise.resolve(answer);
  });
  for (let n = 0; n < 3_000; n++) void fair.lookup(`h${n}.dead.test`);
  assert.deepEqual(await fair.lookup('www.honest.test'), answer);
  assert.equal(asked.length, lookupsPerDomainMax + 1);
  assert.equal(fair.waiting, 3_000 - lookupsPerDomainMax);
});

test('waiting names are looked up in turn by domain once others are answered, also with an error', async () => {
  const asked: string[] = [];
  const settle: (() => void)[] = [];
  const fair = createFairLookup((hostname) => {
    asked.push(hostname);
    return new Promise((resolve, reject) => {
      settle.push(() => (settle.length % 2 === 0 ? resolve(answer) : reject(new Error('no'))));
    });
  });
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => fair.lookup(`${name}.one.test`).catch(() => answer));
  assert.equal(asked.length, lookupsPerDomainMax);
  while (settle.length > 0) {
    settle.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal((await Promise.all(all)).length, 6);
  assert.deepEqual(
    asked,
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.one.test`),
  );
  assert.equal(fair.waiting, 0);
});

test('a name that waits for others is asked for once its turn comes', async () => {
  let settle = () => {};
  const fair = createFairLookup((hostname) => {
    return hostname.startsWith('h0')
      ? new Promise((resolve) => (settle = () => resolve(answer)))
      : new Promise(() => {});
  });
  const begun: number[] = [];
  for (let n = 0; n <= lookupsPerDomainMax; n++) void fair.lookup(`h${n}.dead.test`, () => begun.push(n));
  assert.equal(begun.length, lookupsPerDomainMax);
  settle();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(begun.at(-1), lookupsPerDomainMax);
});
