import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareLimits } from '../../../../../services/extras/fleet/shares/share-limits.ts';
import { StartTurns } from '../../../../../services/extras/fleet/shares/start-turns.ts';

const { startMs, startWaitMsMax } = shareLimits;

/** Time passes only by `pass`. An owner is over while it has used more than it was given. */
function shared() {
  let nowMs = 0;
  const sleeping: { readonly untilMs: number; wake(): void }[] = [];
  const turns = new StartTurns({
    nowMs: () => nowMs,
    sleepUntil: (untilMs) => new Promise((resolve) => void sleeping.push({ untilMs, wake: resolve })),
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    async pass(ms: number) {
      for (const endMs = nowMs + ms; nowMs < endMs; ) {
        nowMs += 50;
        for (const one of sleeping.splice(0)) {
          if (one.untilMs <= nowMs) one.wake();
          else sleeping.push(one);
        }
        await settled();
      }
    },
    /** An owner with `roomMs` of its share left. */
    owner(name: string, roomMs: number) {
      const one = { roomMs, usedMs: 0, started: 0, waited: 0 };
      const share = {
        get isOver() {
          return one.usedMs > one.roomMs;
        },
        spend: (ms: number) => {
          one.usedMs += ms;
        },
      };
      const start = async (signal = new AbortController().signal) => {
        await turns.take(name, share, signal, () => (one.waited += 1));
        if (!signal.aborted) one.started += 1;
      };
      return Object.assign(one, { start });
    },
    settled,
  };
}

test('starts of an owner within its share do not wait, and count', async () => {
  const { owner } = shared();
  const ann = owner('ann', 1_000);
  await Promise.all([ann.start(), ann.start(), ann.start()]);
  assert.deepEqual([ann.started, ann.waited, ann.usedMs], [3, 0, 3 * startMs]);
});

test('starts of an owner above its share go one at a time, as the share allows; another owner does not wait', async () => {
  const { owner, pass, settled } = shared();
  const [eve, ann] = [owner('eve', 0), owner('ann', 1_000)];
  for (let n = 0; n < 4; n++) void eve.start();
  void ann.start();
  await settled();
  assert.deepEqual([eve.started, eve.waited, ann.started], [1, 3, 1]);
  for (let more = 1; more <= 3; more++) {
    await pass(1_000);
    assert.equal(eve.started, more, 'nothing starts while the owner is above its share');
    eve.roomMs = eve.usedMs;
    await pass(1_000);
    assert.equal(eve.started, more + 1, 'one starts, and its cost keeps the next');
  }
});

test('a start waits for a bounded time, and the next one for as long again', async () => {
  const { owner, pass } = shared();
  const eve = owner('eve', -1);
  for (let n = 0; n < 3; n++) void eve.start();
  await pass(startWaitMsMax - 500);
  assert.equal(eve.started, 0);
  await pass(1_000);
  assert.equal(eve.started, 1);
  await pass(startWaitMsMax);
  assert.equal(eve.started, 2);
});

test('a crawl that is stopped while its start waits stops at once, and counts nothing', async () => {
  const { owner, settled, pass } = shared();
  const eve = owner('eve', -1);
  const stop = new AbortController();
  let isOver = false;
  void eve.start();
  void eve.start(stop.signal).then(() => (isOver = true));
  void eve.start();
  await settled();
  stop.abort();
  await settled();
  assert.equal(isOver, true);
  await pass(2 * startWaitMsMax + 1_000);
  assert.deepEqual([eve.started, eve.usedMs], [2, 2 * startMs]);
});
