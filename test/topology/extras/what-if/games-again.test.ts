/** Commits of partitions in memory, decided again from their inputs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { type ModelRig, rigKey } from '../../../../lab/model/model-rig.ts';
import { ReDecider } from '../../../../topology/extras/what-if/re-decider.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';
import { noLists } from '../../../../topology/url/url-lists.ts';
import { RichGame } from '../../frontier/journal/rich-game.ts';

/** The first commit that differs when it is decided again from what was sent. */
function decidedOtherwise(rig: ModelRig): number[] {
  const again = new ReDecider(rig.core.identity, new FrontierState(rigKey), noLists);
  for (const [offset, value] of rig.changelog.entries())
    if (again.take(offset, value, rig.inputsOf(value)) !== null) return [offset];
  return [];
}

it('a partition repeats each decision, whatever its owners met', () => {
  for (let seed = 100; seed < 108; seed++) {
    const game = new RichGame(seed);
    for (let turn = 0; turn < 50; turn++) game.turn();
    assert.deepEqual(decidedOtherwise(game.rig), [], `seed ${seed}`);
  }
});

it('the observation of taken leases is repeated when the commits are decided again', () => {
  const hosts = ['a.test', 'b.test', 'c.test'];
  const hand = new Hand({ urlsPerLeaseMax: 1 });
  for (const host of hosts) hand.links(host, 5);
  const { rig } = hand;
  const state = rig.replayed();
  const from = rig.changelog.length;
  rig.reopen(hand.nowMs, false);
  rig.changelog.push(rig.core.open(hand.nowMs).commit);
  rig.core.offerTaken({ position: 0, leases: [] });
  for (let round = 0; round < 5; round++) {
    const [first] = hand.grant(0, hosts.length);
    rig.core.offerTaken({ position: round + 1, leases: [first!.leaseId] });
    hand.grant(30 * 60_000, 0);
  }
  const again = new ReDecider({ crawl: 'model', partition: 0, partitions: 1 }, state, noLists);
  rig.changelog.slice(from).forEach((value, index) => {
    assert.equal(again.take(from + index, value, rig.inputsOf(value)), null, `commit ${from + index}`);
  });
  assert.equal(digest(again.partition.state), digest(rig.core.state));
});
