import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { rigKey } from '../../../../../lab/model/model-rig.ts';
import { Chance } from '../../../../../lab/model/model-script.ts';
import { firstUnfair } from '../../../../../lab/simulation/fair-order.ts';

/** `npm run verify:full` searches thousands. */
const games = Number(process.env['CRAWLSTREAM_TEST_STARVATION_GAMES'] ?? 60);

/**
 * A crawl of many hosts whose fetchers take one lease at a time, and somebody who does what might keep a host from its turn:
 * finds new hosts, gives old ones more URLs or more leases at once, blocks and releases them, has them ask for pauses or fail,
 * restarts the owner.
 */
function attack(seed: number): Hand {
  const chance = new Chance(seed);
  const hand = new Hand({
    scope: { kind: 'all', names: [] },
    delayMs: chance.of([0, 1_000, 5_000]),
    urlsPerLeaseMax: chance.of([1, 4]),
    retriesMs: [1_000, 5_000],
    parallel: chance.of([[], [{ hosts: ['h0.test', 'h5.test'], leases: chance.of([2, 4]) }]]),
  });
  let hosts = 8;
  const any = () => `h${chance.below(hosts)}.test`;
  for (let n = 0; n < hosts; n++) hand.links(`h${n}.test`, 1 + chance.below(30), { depth: 1 });
  for (let step = 0; step < 150; step++) {
    if (chance.percent(30)) hand.links(`h${hosts++}.test`, 1 + chance.below(3), { depth: 1 });
    if (chance.percent(30)) hand.links(any(), 5, { from: 1_000 * step, depth: 1 });
    if (chance.percent(10)) hand.event(chance.of(['blockHost', 'releaseHost', 'releaseHost']), any());
    if (chance.percent(5)) hand.event('hostLeases', any(), chance.of([-1, 1, 3, 8]));
    if (chance.percent(5)) hand.event('hostDelay', any(), chance.of([-1, 0, 20_000]));
    if (chance.percent(3)) hand.rig.save();
    if (chance.percent(3)) hand.rig.reopen(hand.nowMs, chance.percent(50));
    for (const task of hand.grant(chance.of([0, 100, 1_000, 3_000]), chance.of([1, 1, 2]))) {
      if (chance.percent(10)) continue;
      hand.report(task, {
        kind: chance.percent(85) ? 'fetched' : chance.of(['timeout', 'serverError', 'throttled']),
        retryAfterMs: chance.percent(5) ? 2_000 : 0,
      });
    }
  }
  return hand;
}

test('no host that is ready is passed by one that was found later, or twice by the same, whatever is done to the crawl', () => {
  for (let seed = 0; seed < games; seed++)
    assert.equal(firstUnfair(attack(seed).rig.changelog.entries(), rigKey), null, `seed ${seed}`);
});
