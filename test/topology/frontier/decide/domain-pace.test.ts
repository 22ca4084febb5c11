import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { defaultPolicy } from '../../../../topology/policy/policy.ts';
import { validatePolicy } from '../../../../topology/policy/validate.ts';

const policy = { delayMs: 10_000, politenessKey: 'domain' } as const;

/** Two hosts of one domain, and one of another, with a few URLs each. */
function handOf(more: object = {}): Hand {
  const hand = new Hand({ ...policy, ...more });
  for (const host of ['a.one.test', 'b.one.test', 'c.two.test']) hand.links(host, 3);
  return hand;
}

const domains = (tasks: readonly { readonly hostKey: string }[]) => tasks.map(({ hostKey }) => hostKey.slice(2)).sort();

describe('a delay shared by hosts of a domain', () => {
  it('a delay shared by hosts of a domain allows one lease at a time, and none before it has passed since the last', () => {
    const hand = handOf();
    const first = hand.grant(0, 5);
    assert.deepEqual(domains(first), ['one.test', 'two.test']);
    assert.deepEqual(hand.grant(8_000, 5), [], 'while it is on a lease');
    const one = first.find(({ hostKey }) => hostKey.endsWith('one.test'))!;
    hand.report(one);
    assert.deepEqual(hand.grant(9_999, 5), []);
    const [second] = hand.grant(1, 5);
    assert.ok(second?.hostKey.endsWith('one.test'));
  });

  it('a delay shared by hosts of a domain is off by default', () => {
    assert.deepEqual(domains(handOf({ politenessKey: 'host' }).grant(0, 5)), ['one.test', 'one.test', 'two.test']);
  });

  it('a delay shared by hosts of a domain is known to the next owner, and to a policy that begins to ask for it', () => {
    const hand = handOf();
    const one = hand.grant(0, 5).find(({ hostKey }) => hostKey.endsWith('one.test'))!;
    hand.report(one);
    hand.rig.reopen(hand.nowMs, false);
    assert.deepEqual(hand.grant(9_999, 5), []);
    assert.equal(hand.grant(1, 5).length, 1);

    const later = handOf({ politenessKey: 'host' });
    const [task] = later.grant(0, 1);
    later.report(task!);
    later.policy({ ...policy });
    const soon = later.grant(5_000, 5).map(({ hostKey }) => hostKey.slice(2));
    assert.ok(!soon.includes(task!.hostKey.slice(2)));
  });

  it('a delay shared by hosts of a domain excludes several leases per host, and the error says so', () => {
    const parallel = [{ hosts: ['*'], leases: 2 }];
    assert.throws(
      () => validatePolicy({ ...defaultPolicy(), ...policy, parallel }),
      /policy\.parallel: it cannot be used with politenessKey domain/,
    );
    assert.throws(
      () => validatePolicy({ ...defaultPolicy(), politenessKey: 'address' }),
      /politenessKey: write host or domain/,
    );
  });
});
