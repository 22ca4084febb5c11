import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';

it('responses of unsupported types are counted separately, and refusals without a response are not', () => {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 3, retriesMs: [] });
  hand.linksTo(['https://a.test/a', 'https://a.test/b', 'https://a.test/c']);
  const task = hand.lease();
  const statusOf = (index: number) => ({ status: index === 2 ? 0 : 200 });
  hand.rig.send('results', hand.resultOf(task, statusOf, { kind: 'refused' }));
  hand.rig.step(hand.nowMs, 0);
  assert.deepEqual([hand.counters.failed, hand.counters.notRead], [3, 2]);
});
