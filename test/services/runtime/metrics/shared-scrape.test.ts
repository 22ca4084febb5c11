import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SharedScrape } from '../../../../services/runtime/metrics/exposition.ts';

function scrapes(costMs: number) {
  const state = { nowMs: 0, made: 0, failing: false };
  const shared = new SharedScrape(
    async () => {
      state.made++;
      state.nowMs += costMs;
      if (state.failing) throw new Error('no metrics');
      return { type: 'text/plain', text: `${state.made}` };
    },
    () => state.nowMs,
  );
  return { state, get: async () => (await shared.get()).text };
}

test('scrapes at the same time share one answer', async () => {
  const { state, get } = scrapes(5);
  assert.deepEqual(await Promise.all([get(), get(), get()]), ['1', '1', '1']);
  assert.equal(state.made, 1);
});

test('scrapes without a pause take a tenth of the time after the first half second', async () => {
  const { state, get } = scrapes(20);
  while (state.nowMs < 20_000) {
    await get();
    state.nowMs += 1;
  }
  assert.ok(state.made >= 90 && state.made <= 130, `${state.made} scrapes of 20 ms in 20 s`);
});

test('scrapes now and then are always new', async () => {
  const { state, get } = scrapes(20);
  for (let n = 1; n <= 50; n++) {
    assert.equal(await get(), `${n}`);
    state.nowMs += 500;
  }
});

test('a failed scrape is repeated by the next one', async () => {
  const { state, get } = scrapes(50);
  state.failing = true;
  await assert.rejects(get(), /no metrics/);
  state.failing = false;
  assert.equal(await get(), '2');
});

test('a scrape that never ends does not stop later ones', async () => {
  let nowMs = 0;
  let made = 0;
  const shared = new SharedScrape(
    () => (made++ === 0 ? new Promise(() => {}) : Promise.resolve({ type: 'text/plain', text: 'new' })),
    () => nowMs,
  );
  void shared.get();
  nowMs = 10_000;
  assert.equal((await shared.get()).text, 'new');
});

test('an answer is shared for some seconds at most', async () => {
  const { state, get } = scrapes(60_000);
  await get();
  assert.equal(await get(), '2');
  assert.equal(state.made, 2);
});
