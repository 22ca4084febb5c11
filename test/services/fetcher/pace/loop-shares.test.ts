import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loopShareLimits } from '../../../../services/fetcher/pace/loop-share-limits.ts';
import { LoopShares } from '../../../../services/fetcher/pace/loop-shares.ts';
import { played } from './loop-model.ts';

const { lookMs, debtMsMax } = loopShareLimits;

function sharesAt(busy: { utilization: number }) {
  const clock = { ms: 0 };
  const shares = new LoopShares({ nowMs: () => clock.ms, utilization: () => busy.utilization });
  return {
    clock,
    shares,
    pass: (ms: number = lookMs) => {
      clock.ms += ms;
    },
  };
}

describe('the event loop that owners of a fleet share', () => {
  it('a busy event loop is refused to an owner with more than its share, however many crawls the owner has', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const [first, second] = [shares.join('eve'), shares.join('eve')];
    const ann = shares.join('ann');
    for (let times = 0; times < 8; times++) {
      first.spend(60);
      second.spend(60);
      ann.spend(40);
      pass();
      assert.equal(ann.isOver, false);
    }
    assert.deepEqual([first.isOver, second.isOver, ann.isOver], [true, true, false]);
  });

  it('an event loop with time to spare is refused to nobody, soon after it was busy', () => {
    const busy = { utilization: 0.5 };
    const { shares, pass } = sharesAt(busy);
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    const rounds = (count: number) => {
      for (let times = 0; times < count; times++) {
        eve.spend(200);
        ann.spend(10);
        pass();
        // Each look sets the level.
        assert.equal(ann.isOver, false);
      }
    };
    rounds(40);
    assert.equal(eve.isOver, false);
    busy.utilization = 0.99;
    rounds(16);
    assert.equal(eve.isOver, true);
    rounds(40);
    busy.utilization = 0.1;
    for (let ms = 0; eve.isOver; ms += lookMs) {
      assert.ok(ms < 10_000);
      ann.spend(1);
      pass();
    }
  });

  it('an owner that uses little of its share waits for nobody, whatever else keeps the event loop busy', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    for (let times = 0; times < 40; times++) {
      eve.spend(20);
      ann.spend(1);
      pass();
      assert.deepEqual([eve.isOver, ann.isOver], [false, false]);
    }
  });

  it('an event loop that one owner uses alone, or all use alike, is refused to nobody', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    for (let times = 0; times < 20; times++) {
      eve.spend(200);
      pass();
      assert.deepEqual([eve.isOver, ann.isOver], [false, false]);
    }
    for (let times = 0; times < 160; times++) {
      eve.spend(110);
      ann.spend(120);
      pass();
    }
    for (let times = 0; times < 20; times++) {
      eve.spend(110);
      ann.spend(120);
      pass();
      assert.deepEqual([eve.isOver, ann.isOver], [false, false]);
    }
  });

  it('an owner that waited gets the event loop again after a while; one that creates new crawls stays the same owner', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const ann = shares.join('ann');
    const first = shares.join('eve');
    for (let times = 0; times < 20; times++) {
      first.spend(200);
      ann.spend(40);
      pass();
      assert.equal(ann.isOver, false);
    }
    first.leave();
    const next = shares.join('eve');
    assert.equal(next.isOver, true);
    let waitedMs = 0;
    for (; next.isOver; waitedMs += lookMs) {
      ann.spend(40);
      pass();
    }
    assert.ok(waitedMs <= debtMsMax + lookMs, `${waitedMs} ms`);
    const uses = Object.fromEntries(shares.byOwner().map(({ owner, ...use }) => [owner, use]));
    assert.equal(uses['eve']!.usedMs, 4_000);
    assert.equal(uses['ann']!.heldMs, 0);
    assert.ok(uses['eve']!.heldMs >= waitedMs - lookMs, `${uses['eve']!.heldMs} of ${waitedMs} ms`);
  });

  it('requests under way count, so that an owner which waited does not start all of its requests at once', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    let most = 0;
    const under: (() => void)[] = [];
    for (let times = 0; times < 400; times++) {
      if (times > 100) most = Math.max(most, under.length);
      for (const ended of under.splice(0)) {
        eve.spend(5);
        ended();
      }
      ann.spend(1);
      while (!eve.isOver && under.length < 100) under.push(eve.begin());
      pass(50);
    }
    assert.ok(most > 0 && most < 10, `${most} requests at once`);
  });
});

describe('owners of slow hosts', () => {
  for (const latencyMs of [5_000, 30_000])
    it(`an owner whose hosts take ${latencyMs / 1_000} s keeps nine tenths of its rate beside thirty that want all`, () => {
      const slow = { name: 'slow', slots: 10, delayMs: 1_000, countedMs: 2.5, latencyMs };
      const hostile = Array.from({ length: 30 }, (_, n) => ({
        ...{ name: `hostile-${n}`, slots: 100, delayMs: 1_000, countedMs: 3 },
      }));
      const ratesOf = (owners: typeof hostile) => played({ owners, real: 2.5, forMs: 180_000, fromMs: 60_000 }).rates;
      const [wanted] = ratesOf([slow]);
      const [rate] = ratesOf([slow, ...hostile]);
      assert.ok(rate! >= 0.9 * wanted!, `${rate!.toFixed(2)} of ${wanted!.toFixed(2)} a second`);
    });

  it('an event loop with time to spare is refused to nobody, however many requests are under way', () => {
    const { shares, pass } = sharesAt({ utilization: 0.3 });
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    for (let times = 0; times < 40; times++) {
      for (let n = 0; n < 256; n++) eve.begin();
      eve.spend(100);
      ann.spend(10);
      pass();
      assert.equal(eve.isOver, false);
    }
  });

  it('a dear call of an owner does not make its requests dear', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    const round = () => {
      ann.spend(2);
      pass();
    };
    for (let times = 0; times < 80; times++) {
      eve.spend(2);
      eve.begin()();
      round();
    }
    shares.spend('eve', 400);
    round();
    for (let left = 200; eve.isOver && left > 0; left--) round();
    for (let times = 0; times < 4; times++) round();
    for (let n = 0; n < 16; n++) eve.begin();
    assert.equal(eve.isOver, false);
  });
});

describe('ten owners with a small part of the event loop beside thirty that want all of it', () => {
  const honest = { slots: 3, delayMs: 1_000, countedMs: 2.7 };
  for (const [what, hostile] of [
    ['many small requests', { slots: 100, delayMs: 1_000, countedMs: 1 }],
    ['many requests', { slots: 100, delayMs: 1_000, countedMs: 3 }],
    ['few dear requests', { slots: 10, delayMs: 1_000, countedMs: 20 }],
  ] as const)
    it(`they keep nine tenths of what they want beside ${what}`, () => {
      const owners = (name: string, count: number, one: typeof honest) =>
        Array.from({ length: count }, (_, n) => ({ name: `${name}-${n}`, ...one }));
      const wanted = played({ owners: owners('honest', 10, honest), real: 2.5, forMs: 40_000, fromMs: 20_000 });
      const all = [...owners('honest', 10, honest), ...owners('hostile', 30, hostile)];
      const { rates, worked } = played({ owners: all, real: 2.5, forMs: 60_000, fromMs: 20_000 });
      for (const [n, rate] of rates.slice(0, 10).entries())
        assert.ok(rate >= 0.9 * wanted.rates[n]!, `${rate.toFixed(2)} of ${wanted.rates[n]!.toFixed(2)} a second`);
      assert.ok(worked < 0.95, `the loop works ${worked.toFixed(2)} of the time`);
      assert.ok(worked > 0.7, `the loop works only ${worked.toFixed(2)} of the time`);
    });
});
