import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlots } from '../../../../services/fetcher/pace/slots.ts';
import { createLinkCache } from '../../../../services/fetcher/publish/link-cache.ts';

test('a link is new until it is remembered, per source', () => {
  const cache = createLinkCache(1_024);
  const a = cache.source('a.test');
  const b = cache.source('b.test');
  const pending: number[] = [];
  assert.equal(cache.isNews(a, 'http://x.test/', 2, pending), true);
  assert.equal(cache.isNews(a, 'http://x.test/', 2, pending), true);
  cache.remember(pending);
  assert.equal(cache.isNews(a, 'http://x.test/', 2, []), false);
  assert.equal(cache.isNews(a, 'http://x.test/', 3, []), false);
  assert.equal(cache.isNews(b, 'http://x.test/', 2, []), true);
});

test('a link found at a smaller depth passes and replaces the older one', () => {
  const cache = createLinkCache(1_024);
  const a = cache.source('a.test');
  const see = (depth: number) => {
    const pending: number[] = [];
    const news = cache.isNews(a, 'http://x.test/', depth, pending);
    cache.remember(pending);
    return news;
  };
  assert.deepEqual(
    [see(5), see(5), see(3), see(4), see(3), see(0), see(0)],
    [true, false, true, false, false, true, false],
  );
});

test('the link cache is bounded: it forgets links and never claims to know unseen ones', () => {
  const cache = createLinkCache(1_024);
  const a = cache.source('a.test');
  const remember = (n: number) => {
    const pending: number[] = [];
    cache.isNews(a, `http://x.test/${n}`, 1, pending);
    cache.remember(pending);
  };
  for (let n = 0; n < 10_000; n++) remember(n);
  let known = 0;
  for (let n = 0; n < 10_000; n++) if (!cache.isNews(a, `http://x.test/${n}`, 1, [])) known += 1;
  assert.ok(known > 900 && known <= 1_024, `${known} known`);
  for (let n = 10_000; n < 50_000; n++) assert.equal(cache.isNews(a, `http://x.test/${n}`, 1, []), true);
});

test('slots are given in the order of requests', async () => {
  const slots = createSlots(2);
  const order: number[] = [];
  assert.equal(slots.take(), undefined);
  assert.equal(slots.take(), undefined);
  const waiting = [1, 2, 3].map((n) => slots.take()?.then(() => order.push(n)));
  assert.deepEqual([slots.taken, slots.waiting], [2, 3]);
  for (let n = 0; n < 5; n++) slots.release();
  await Promise.all(waiting);
  assert.deepEqual(order, [1, 2, 3]);
  assert.deepEqual([slots.taken, slots.waiting], [0, 0]);
});
