import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Hand } from '../../../lab/model/hand.ts';
import { digest } from '../../../topology/frontier/check/digest.ts';

test('a link to a host name that is longer than names can be is counted as too long, and the other links of its page are admitted', () => {
  const hand = new Hand({ scope: { kind: 'all', names: [] } });
  const names = ['a'.repeat(254), 'a'.repeat(1_025), 'b.'.repeat(600), 'c'.repeat(2_000)];
  const groups = [...names, 'good.test'].map((name) => hand.linksRecord([`https://${name}/`]).groups[0]!);
  hand.rig.send('discovered', { groups });
  hand.rig.step(hand.nowMs, 0);
  const { admitted, tooLong } = hand.counters;
  assert.deepEqual([admitted, tooLong], [2, 3], 'a name of 254 characters with its port may be one of 259');
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
});
