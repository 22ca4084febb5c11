import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSharedPace, paceOverChannel } from '../../../../services/application/workers/shared-pace.ts';
import { createChannel } from '../../../../services/runtime/log/channel/message-channel.ts';
import { createFakeClock } from '../../fetcher/fake-clock.ts';
import { streamPair } from '../../runtime/log/channel/stream-pair.ts';

const fail = (error: unknown) => {
  throw error;
};
const later = Number.MAX_SAFE_INTEGER;

function open(delayMs: number) {
  const clock = createFakeClock();
  const shared = createSharedPace(clock, delayMs);
  const worker = () => {
    const [ours, theirs] = streamPair();
    const share = shared.serve();
    const there = createChannel(theirs, share.served, fail);
    void there.closed.then(share.close);
    const channel = createChannel(ours, {}, fail);
    return { ...paceOverChannel(channel, delayMs), die: () => channel.close() };
  };
  return { clock, worker };
}

/** Until what is on its way has come. */
async function settled(): Promise<void> {
  for (let n = 0; n < 20; n++) await new Promise(setImmediate);
}

test('starts on one address keep the interval, whichever workers make them', async () => {
  const { clock, worker } = open(100);
  const [one, other] = [worker(), worker()];
  const { signal } = new AbortController();
  const starts: number[] = [];
  const start = async ({ addressPacer }: ReturnType<typeof worker>) => {
    const permit = await addressPacer.acquire('192.0.2.1', later, signal);
    assert.equal(permit?.apartMs, 100);
    starts.push(clock.nowMs());
    permit?.start();
  };
  const all = [start(one), start(other), start(one), start(other)];
  for (let n = 0; n < 50; n++) {
    await settled();
    clock.advance(10);
  }
  await Promise.all(all);
  for (const [n, at] of starts.slice(1).entries()) assert.ok(at - starts[n]! >= 100, starts.join(' '));
  // Another address does not wait.
  assert.notEqual(await one.addressPacer.acquire('192.0.2.2', clock.nowMs(), signal), null);
});

test('a permit of a dead worker counts as a start at its death, and blocks nobody longer', async () => {
  const { clock, worker } = open(100);
  const [one, other] = [worker(), worker()];
  const { signal } = new AbortController();
  assert.notEqual(await one.addressPacer.acquire('192.0.2.1', later, signal), null);
  let isFree = false;
  void other.addressPacer.acquire('192.0.2.1', later, signal).then(() => (isFree = true));
  clock.advance(1_000);
  await settled();
  assert.equal(isFree, false, 'the first has its permit still, and may start any time');
  one.die();
  await settled();
  clock.advance(99);
  await settled();
  assert.equal(isFree, false);
  clock.advance(1);
  await settled();
  assert.equal(isFree, true);
});

test('a stopping worker, or one with a near deadline, does not wait', async () => {
  const { worker } = open(100);
  const one = worker();
  const stopping = new AbortController();
  const first = await one.addressPacer.acquire('192.0.2.1', later, stopping.signal);
  first?.start();
  assert.equal(await one.addressPacer.acquire('192.0.2.1', 1, stopping.signal), null);
  const waiting = one.addressPacer.acquire('192.0.2.1', later, stopping.signal);
  stopping.abort();
  assert.equal(await waiting, null);
});

test('the bandwidth limit covers all workers together, and a single one gets all of it', async () => {
  const { clock, worker } = open(0);
  const [one, other] = [worker(), worker()];
  const { signal } = new AbortController();
  for (const { bandwidth } of [one, other]) bandwidth.setRate(10_000);
  // The burst of a second, and more: the line is taken for 3 s from now on.
  const passage = await one.bandwidth.take(later, signal);
  passage?.received(40_000);
  await settled();
  assert.equal(await other.bandwidth.take(clock.nowMs() + 2_900, signal), null);
  let isFree = false;
  void Promise.resolve(other.bandwidth.take(later, signal)).then(() => (isFree = true));
  await settled();
  clock.advance(2_900);
  await settled();
  assert.equal(isFree, false);
  clock.advance(100);
  await settled();
  assert.equal(isFree, true);
});
