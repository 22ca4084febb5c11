import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetcherLimits } from '../../../../services/fetcher/fetcher-limits.ts';
import { createRobotsCache, type RobotsResponse } from '../../../../services/fetcher/robots/cache.ts';
import { createSharedRobots } from '../../../../services/fetcher/robots/shared-robots.ts';
import { createFakeClock } from '../fake-clock.ts';

const url = 'http://a.test/robots.txt';
const answer = (status: number, text = ''): RobotsResponse => ({
  ...{ status, location: null, body: Buffer.from(text), retryAfterMs: 0, blockedAddress: false, detail: '' },
});

test('files and their absence are shared between crawls, but failures are not', () => {
  const shared = createSharedRobots(createFakeClock());
  for (const status of [0, 429, 500, 503]) {
    shared.put(url, answer(status));
    assert.equal(shared.get(url), undefined, `${status}`);
  }
  for (const status of [200, 301, 404]) {
    shared.put(url, answer(status, 'x'));
    assert.equal(shared.get(url)!.status, status);
  }
  // The newest counts, and one that could not be had takes the place of what was.
  shared.put(url, answer(503));
  assert.equal(shared.get(url), undefined);
  assert.equal(shared.size, 0);
});

test('a copy from another crawl keeps its age and is fetched again after a day', async () => {
  const clock = createFakeClock();
  const shared = createSharedRobots(clock);
  const fetchedAtMs = clock.nowMs();
  shared.put(url, answer(200, 'User-agent: *\nCrawl-delay: 2'));
  await clock.advance(3_000_000);
  const cache = createRobotsCache(clock, ['bot']);
  const copy = await cache.get('http://a.test', async () => shared.get(url) ?? null);
  assert.deepEqual([copy!.robots.fetchedAtMs, copy!.robots.rules.crawlDelayMs], [fetchedAtMs, 2_000]);
  await clock.advance(86_400_000 - 3_000_001);
  assert.ok(cache.has('http://a.test'));
  await clock.advance(2);
  assert.ok(!cache.has('http://a.test'));
});

test('a copy is shared for an hour with its age, without the first crawl’s requests', () => {
  const clock = createFakeClock();
  const shared = createSharedRobots(clock);
  shared.put(url, { ...answer(404, 'x'), retryAfterMs: 9, blockedAddress: true, detail: 'why' });
  clock.leap(3_599_999);
  assert.deepEqual(shared.get(url), { ...answer(404, 'x'), ageMs: 3_599_999 });
  clock.leap(1);
  assert.equal(shared.get(url), undefined);
  assert.equal(shared.size, 0, 'it is forgotten');
});

test('shared copies are bounded in number, and the oldest go first', () => {
  const shared = createSharedRobots(createFakeClock());
  const at = (n: number) => `http://h${n}.test/robots.txt`;
  for (let n = 0; n < fetcherLimits.robotsEntriesMax; n++) shared.put(at(n), answer(404));
  assert.equal(shared.size, fetcherLimits.robotsEntriesMax);
  shared.put(at(-1), answer(404));
  assert.deepEqual([shared.size, shared.get(at(0))], [fetcherLimits.robotsEntriesMax, undefined]);
  assert.notEqual(shared.get(at(1)), undefined);
});

test('shared copies are bounded by their bytes, and removed ones no longer count', () => {
  const shared = createSharedRobots(createFakeClock());
  const half = { ...answer(200), body: new Uint8Array(fetcherLimits.robotsEntriesBytesMax / 2) };
  const at = (n: number) => `http://h${n}.test/robots.txt`;
  for (let n = 0; n < 9; n++) shared.put(at(0), half);
  shared.put(at(1), half);
  assert.equal(shared.size, 2, 'the same file again takes no more');
  shared.put(at(2), answer(200, 'x'));
  assert.deepEqual(
    [0, 1, 2].map((n) => shared.get(at(n)) !== undefined),
    [false, true, true],
  );
});
