/** What a client gave along with a link comes back with the task, however often the URL is leased. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { defaultPolicy } from '../../../../../topology/policy/policy.ts';
import { validatePolicy } from '../../../../../topology/policy/validate.ts';

const url = 'https://a.test/1';
const payload = '{"callback":"parse_item","meta":{"ü":1}}';

describe('a client’s payload', () => {
  it('a client’s payload is in the task, and again after a retry and an expiry; others have none', () => {
    const hand = new Hand({ retriesMs: [1_000], urlsPerLeaseMax: 1 });
    hand.linksTo([url], -1, { payload });
    hand.linksTo(['https://b.test/1']);
    const first = hand.grant(0, 2);
    assert.deepEqual(first.map((task) => [task.hostKey, task.urls[0]!.payload]).sort(), [
      ['a.test', payload],
      ['b.test', ''],
    ]);
    hand.report(first.find(({ hostKey }) => hostKey === 'a.test')!, { kind: 'serverError' });
    const second = hand.lease(2_000);
    assert.equal(second.urls[0]!.payload, payload);
    hand.grant(120_000, 0);
    const later = hand.grant(120_000, 2).find(({ hostKey }) => hostKey === 'a.test')!;
    assert.equal(later.urls[0]!.payload, payload);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });

  it('a client’s payload is the first one’s if a URL is known, unless it is forced', () => {
    const hand = new Hand();
    hand.linksTo([url], -1, { payload: 'first' });
    hand.linksTo([url], -1, { payload: 'second' });
    const task = hand.lease();
    assert.deepEqual(
      task.urls.map((one) => one.payload),
      ['first'],
    );
    hand.report(task);
    hand.linksTo([url], -1, { payload: 'third', intent: 'force' });
    assert.equal(hand.lease(60_000).urls[0]!.payload, 'third');
  });

  it('a client’s payload splits commits like any other bytes: a message of large ones is processed in slices', () => {
    const hand = new Hand();
    const groups = Array.from({ length: 40 }, (_, n) => ({
      ...hand.linksRecord([`https://a.test/${n}`]).groups[0]!,
      payload: `${n}`.padEnd(30_000, 'x'),
    }));
    hand.rig.send('discovered', { groups });
    hand.rig.step(hand.nowMs, 0);
    const once = hand.counters.admitted;
    assert.ok(once > 0 && once < 40, `${once} in the first commit`);
    for (let n = 0; n < 10; n++) hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.counters.admitted, 40);
  });
});

it('a lease lasts longer by the policy’s client time', () => {
  const deadlineWith = (leaseMarginMs: number | undefined) => {
    const hand = new Hand(leaseMarginMs === undefined ? {} : { leaseMarginMs });
    hand.linksTo([url]);
    return hand.lease().deadlineMs - hand.nowMs;
  };
  assert.equal(deadlineWith(600_000) - deadlineWith(undefined), 600_000 - 45_000);
  assert.throws(() => validatePolicy({ ...defaultPolicy(), leaseMarginMs: 44_999 }), /policy\.leaseMarginMs/);
});
