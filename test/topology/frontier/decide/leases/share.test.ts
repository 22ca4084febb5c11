/** How much of a lease refreshes, and what caps leave of it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HostFacts } from '../../../../../topology/frontier/changes/changes.ts';
import type { Entry } from '../../../../../topology/frontier/changes/entry.ts';
import { roomByCaps } from '../../../../../topology/frontier/decide/leases/caps.ts';
import { refreshCount } from '../../../../../topology/frontier/decide/leases/share.ts';
import type { PolicyConfig } from '../../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../../topology/policy/recrawl/recrawl-config.ts';
import { Deciding, entryAt, ofKind, urlAt, visitedPage } from '../deciding.ts';

const many = (count: number, frontQueue = 3) =>
  Array.from({ length: count }, (_, n) => entryAt(100 + n, { frontQueue }));

/** Of a lease of `most`: so many pages are due, so many URLs wait for their first fetch. */
function share(due: number, open: Entry[], most: number, credit = 0, part = 0.5): number {
  const deciding = new Deciding({ recrawl: { ...defaultRecrawl, share: part } });
  deciding.facts({});
  if (open.length > 0) deciding.admit(...open);
  for (let n = 0; n < due; n++) deciding.schedule({ ...visitedPage, record: { ...visitedPage.record, url: urlAt(n) } });
  deciding.state.recrawl.credit = credit;
  let count = -1;
  deciding.decide(
    (decision) => refreshCount(decision, deciding.host(), most),
    (returned) => {
      count = returned;
    },
  );
  return count;
}

describe('due pages in a lease', () => {
  it('due pages in a lease have the policy’s share, whole URLs, rounded by the backlog of revisits', () => {
    assert.equal(share(9, many(9), 8), 4);
    assert.equal(share(9, many(9), 7), 3);
    assert.equal(share(9, many(9), 7, 1), 4);
    assert.equal(share(9, many(9), 7, -1), 3);
    assert.equal(share(9, many(9), 8, 0, 0.25), 2);
    assert.equal(share(9, many(9), 1), 0);
    assert.equal(share(9, many(9), 1, 1), 1);
  });

  it('due pages in a lease are no more than exist, and fill what others leave', () => {
    assert.equal(share(2, many(9), 8), 2);
    assert.equal(share(9, many(2), 8), 6);
    assert.equal(share(9, [], 8), 8);
    assert.equal(share(3, [], 8), 3);
    assert.equal(share(0, many(9), 8), 0);
    assert.equal(share(9, [...many(2), ...many(9, 16)], 8), 6, 'those in a trap wait for an operator');
  });

  it('due pages in a lease are none before they are due', () => {
    const deciding = new Deciding({ recrawl: defaultRecrawl });
    deciding.facts({});
    deciding.schedule(visitedPage);
    for (const [nowMs, due] of [
      [deciding.nowMs - 1, 0],
      [deciding.nowMs, 1],
    ] as const) {
      deciding.nowMs = nowMs;
      deciding.decide(
        (decision) => refreshCount(decision, deciding.host(), 8),
        (count) => assert.equal(count, due),
      );
    }
  });
});

describe('caps on a lease', () => {
  function room(policy: Partial<PolicyConfig>, before: Partial<HostFacts>, out = 0) {
    const deciding = new Deciding(policy);
    if (out > 0) deciding.lease(...many(out));
    deciding.admit(entryAt(1));
    deciding.facts(before);
    deciding.state.clock.remove(deciding.host().id);
    let left = -1;
    const said = deciding.decide(
      (decision) => roomByCaps(decision, deciding.policy!, deciding.host()),
      (returned) => {
        left = returned;
      },
    );
    const held = ofKind(said, 'host').map(({ facts }) => facts.hold);
    return { left, held, tallies: said.tallies, atMs: deciding.state.clock.readyAtMs(deciding.host().id) };
  }

  it('caps on a lease leave what the domain may still give, less what is out', () => {
    const most = { pagesPerDomainMax: 5 };
    assert.equal(room(most, { pages: 1 }).left, 4);
    const one = room(most, { pages: 1 }, 3);
    assert.deepEqual([one.left, one.atMs], [1, undefined]);
    assert.equal(room({ pagesPerHostMax: 5 }, { pages: 1 }).left, Number.POSITIVE_INFINITY);
    const later = room(most, { pages: 1 }, 4);
    assert.deepEqual(
      [later.left, later.held, later.tallies, later.atMs],
      [0, [], {}, 1_001_000],
      'it is looked at again',
    );
    assert.equal(room(most, { pages: 2 }, 4).left, 0);
  });

  it('caps on a lease leave nothing to a host, or domain, that has reached them: it is held', () => {
    for (const [policy, before] of [
      [{ pagesPerDomainMax: 5 }, { pages: 5 }],
      [{ pagesPerHostMax: 5 }, { pages: 6 }],
      [{ bytesPerHostMax: 5 }, { bytes: 5 }],
    ] as const) {
      const { left, held, tallies } = room(policy, before);
      assert.deepEqual([left, held, tallies], [0, ['limit'], { capped: 1 }]);
    }
  });
});
