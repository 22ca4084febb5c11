import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintKey } from '../../../../lab/simulation/driver.ts';
import { Decision, type PartitionIdentity } from '../../../../topology/frontier/decide/decision.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

const identity: PartitionIdentity = { crawl: 'test', partition: 0, partitions: 3 };
const step = (of: Partial<PartitionIdentity> = {}) =>
  new Decision({ ...identity, ...of }, new FrontierState(fingerprintKey), 0, () => null);
const draws = ({ random }: Decision, count: number) => Array.from({ length: count }, random);

describe('the random draws of a step', () => {
  it('the random draws of a step are equal for the same crawl, partition and step, and different for another', () => {
    assert.deepEqual(draws(step(), 50), draws(step(), 50));
    assert.notDeepEqual(draws(step({ partition: 1 }), 5), draws(step(), 5));
    assert.notDeepEqual(draws(step({ crawl: 'other' }), 5), draws(step(), 5));
  });

  it('the random draws of a step are spread evenly over [0, 1), and none equals the one before', () => {
    const count = 20_000;
    const all = draws(step(), count);
    assert.equal(new Set(all).size > count - 5, true);
    const tenths = Array.from({ length: 10 }, (_, tenth) => all.filter((one) => Math.floor(one * 10) === tenth).length);
    // Five standard deviations of a tenth of them.
    for (const inTenth of tenths) assert.ok(Math.abs(inTenth - count / 10) < 5 * Math.sqrt(count * 0.09), `${tenths}`);
    const rising = all.slice(1).filter((one, at) => one > all[at]!).length;
    assert.ok(Math.abs(rising - count / 2) < 5 * Math.sqrt(count / 12), `${rising} of ${count}`);
  });
});

it('tallies of a step are counted once, at its end', () => {
  const state = new FrontierState(fingerprintKey);
  const decision = new Decision(identity, state, 0, () => null);
  decision.tally('capped');
  decision.tally('capped', 4);
  decision.tally('hostFull');
  assert.deepEqual([state.counters.capped, state.counters.hostFull], [0, 0]);
  assert.ok(decision.finish().length > 0);
  assert.deepEqual([state.counters.capped, state.counters.hostFull], [5, 1]);
});
