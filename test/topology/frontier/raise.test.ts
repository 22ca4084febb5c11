import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digest } from '../../../topology/frontier/digest.ts';
import { frontierLimits } from '../../../topology/limits.ts';
import { Hand } from './hand.ts';
import { controlOf } from './model-script.ts';

test('a URL of a host that is given up on is not raised: each dead letter is of the URL that is buried', () => {
  const hand = new Hand({ retriesMs: [1_000], urlsPerLeaseMax: 1 });
  const { rig } = hand;
  const hostKey = 'a.test';
  const count = frontierLimits.burialsPerStep + 40;
  hand.links(hostKey, count);
  while (rig.core.state.burying.size === 0) hand.report(hand.lease(3_600_000), { kind: 'robotsUnreachable' });
  rig.send(
    'control',
    controlOf({ kind: 'raise', hostKey, payload: JSON.stringify({ url: `https://${hostKey}/${count - 1}` }) }),
  );
  const letters: string[] = [];
  for (let step = rig.step(hand.nowMs, 0); step !== null; step = rig.step(hand.nowMs, 0)) {
    letters.push(...step.deadLetters.map(({ url }) => url));
  }
  const urls = Array.from({ length: count }, (_, n) => `https://${hostKey}/${n}`);
  assert.deepEqual(letters.sort(), urls.sort());
  assert.equal(hand.counters.dead, count);
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
});
