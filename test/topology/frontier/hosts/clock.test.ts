import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HostClock } from '../../../../topology/frontier/hosts/clock.ts';

/** A seeded generator of whole numbers below `n`. */
function numbers(seed: number) {
  let state = seed;
  return (n: number) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
}

it('the host clock agrees with a naive clock over random operations', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const below = numbers(seed);
    const clock = new HostClock();
    const naive = new Map<number, { at: number; frontQueue: number }>();
    let now = 0;
    for (let step = 0; step < 200; step++) {
      const host = below(30);
      switch (below(4)) {
        case 0: {
          const at = now + below(100);
          const frontQueue = below(8);
          clock.schedule(host, at, frontQueue);
          naive.set(host, { at, frontQueue });
          break;
        }
        case 1:
          clock.remove(host);
          naive.delete(host);
          break;
        case 2:
          now += below(40);
          break;
        default: {
          const due = clock.due(now) + clock.ready;
          clock.advance(now);
          assert.equal(clock.ready, due);
          const ready = [...naive].filter(([, { at }]) => at <= now);
          assert.equal(clock.ready, ready.length);
          assert.equal(clock.waiting, naive.size - ready.length);
          const later = [...naive.values()].map(({ at }) => at).filter((at) => at > now);
          assert.equal(clock.nextReadyAtMs, later.length === 0 ? undefined : Math.min(...later));
          const taken = clock.take(() => below(1000) / 1000);
          if (taken === undefined) {
            assert.equal(ready.length, 0);
            break;
          }
          const { at, frontQueue } = naive.get(taken)!;
          const rivals = ready.filter(([, other]) => other.frontQueue === frontQueue);
          const first = rivals.sort(([a, x], [b, y]) => x.at - y.at || a - b)[0]![0];
          assert.equal(taken, first, `the host that is ready longest goes first (${at})`);
          naive.delete(taken);
        }
      }
    }
  }
});

it('the host clock lets urgent front queues go more often, and starves none', () => {
  const below = numbers(7);
  const taken = new Array<number>(8).fill(0);
  for (let round = 0; round < 20_000; round++) {
    const clock = new HostClock();
    for (let frontQueue = 0; frontQueue < 8; frontQueue++) clock.schedule(frontQueue, 0, frontQueue);
    clock.advance(1);
    taken[clock.take(() => below(1 << 20) / (1 << 20))!]! += 1;
  }
  assert.ok(
    taken.every((count, frontQueue) => count > 0 && (frontQueue === 0 || count < taken[frontQueue - 1]!)),
    `${taken}`,
  );
});

it('the host clock gives the same answers however its state was reached', () => {
  const draw = () => 0.99;
  const one = new HostClock();
  const other = new HostClock();
  for (let host = 0; host < 50; host++) one.schedule(host, 100 - host, host % 3);
  for (let host = 49; host >= 0; host--) {
    other.schedule(host, 5, 7);
    other.advance(5);
    other.schedule(host, 100 - host, host % 3);
  }
  one.advance(100);
  other.advance(100);
  for (let i = 0; i < 50; i++) assert.equal(one.take(draw), other.take(draw));
});
