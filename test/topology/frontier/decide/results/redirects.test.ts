import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { urlLimits } from '../../../../../topology/url/url-limits.ts';

it('a URL that redirects to another spelling of itself is followed up to the limit, and no further', () => {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 1, retriesMs: [] });
  const url = 'https://a.test/page';
  hand.linksTo([url]);
  for (let hop = 1; ; hop++) {
    assert.ok(hop <= urlLimits.redirectHopsMax + 1, 'it ends');
    const task = hand.lease();
    assert.equal(task.urls[0]!.hop, hop - 1);
    const spelt = { redirectUrl: `${url}#${hop}`, status: 301 };
    const result = hand.resultOf(task, () => spelt, { kind: 'redirect' });
    hand.rig.send('results', result);
    const step = hand.rig.step(hand.nowMs, 0)!;
    if (hop <= urlLimits.redirectHopsMax) {
      assert.deepEqual([step.deadLetters.length, hand.counters.dead], [0, 0], `hop ${hop}`);
      continue;
    }
    assert.deepEqual(
      step.deadLetters.map(({ reason, detail }) => [reason, detail]),
      [['tooManyRedirects', `${urlLimits.redirectHopsMax + 1} redirect hops`]],
    );
    assert.deepEqual([hand.counters.dead, hand.counters.queued], [1, 0]);
    return;
  }
});
