import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loopShareLimits } from '../../../../services/fetcher/pace/loop-share-limits.ts';
import { LoopShares } from '../../../../services/fetcher/pace/loop-shares.ts';

const { lookMs, rememberedMs } = loopShareLimits;

function sharesAt(busy: { utilization: number }) {
  const clock = { ms: 0 };
  return {
    clock,
    shares: new LoopShares({ nowMs: () => clock.ms, utilization: () => busy.utilization }),
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
    first.spend(60);
    second.spend(60);
    ann.spend(40);
    pass();
    assert.deepEqual([first.isOver, second.isOver, ann.isOver], [true, true, false]);
  });

  it('an event loop with time to spare is refused to nobody', () => {
    const busy = { utilization: 0.5 };
    const { shares, pass } = sharesAt(busy);
    const [eve, ann] = [shares.join('eve'), shares.join('ann')];
    eve.spend(200);
    ann.spend(10);
    pass();
    assert.equal(eve.isOver, false);
    busy.utilization = 0.99;
    pass();
    assert.equal(eve.isOver, true);
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
    const eve = shares.join('eve');
    const idle = shares.join('idle');
    eve.spend(200);
    pass();
    assert.deepEqual([eve.isOver, idle.isOver], [false, false]);
    idle.spend(180);
    pass();
    assert.deepEqual([eve.isOver, idle.isOver], [false, false]);
  });

  it('an owner that waited gets the event loop again after a while; one that creates new crawls stays the same owner', () => {
    const { shares, pass } = sharesAt({ utilization: 1 });
    const ann = shares.join('ann');
    const first = shares.join('eve');
    first.spend(200);
    ann.spend(40);
    first.leave();
    const next = shares.join('eve');
    pass();
    assert.equal(next.isOver, true);
    pass(10 * rememberedMs);
    ann.spend(40);
    assert.equal(next.isOver, false);
  });
});
