/** Records whose host and URL disagree, as any program may send them. Tasks: intake.test.ts of the fetcher. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import { blankLinkGroup, blankOutcome } from '../../../../schemas/blank.ts';
import type { Control, Outcome, Result } from '../../../../schemas/types.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';

/** Two hosts with three pages each. */
function filled(): Hand {
  const hand = new Hand();
  for (const host of ['a.test', 'b.test']) hand.links(host, 3);
  return hand;
}

/** All URLs that are leased from here on, in order. */
function drained(hand: Hand): string[] {
  const urls: string[] = [];
  for (let tasks = hand.grant(60_000); tasks.length > 0; tasks = hand.grant(60_000))
    for (const task of tasks) {
      assert.deepEqual(
        task.urls.filter(({ url }) => new URL(url).host !== task.hostKey),
        [],
      );
      urls.push(...task.urls.map(({ url }) => url));
      hand.report(task);
    }
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  return urls;
}

describe('a record with a URL of another host', () => {
  it('a link goes to the host of its URL, whatever host its group names', () => {
    const hand = new Hand();
    const links = [{ url: 'https://a.test/1', lastModifiedMs: 0, priority: -1, spelling: '' }];
    const groups = [{ ...blankLinkGroup, depth: 1, hostKey: 'b.test', sourceUrl: 'https://c.test/', links }];
    hand.rig.send('discovered', { groups });
    hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.rig.core.state.hosts.get('b.test'), undefined);
    assert.deepEqual(drained(hand), ['https://a.test/1']);
  });

  it('an order about a URL changes nothing if it names another host', () => {
    const usual = drained(filled());
    assert.equal(usual.length, 6);
    for (const kind of ['raise', 'lower', 'purge'] as const satisfies Control['kind'][])
      for (const hostKey of ['b.test', 'c.test', '']) {
        const hand = filled();
        const payload = JSON.stringify({ url: 'https://a.test/2', frontQueue: 7 });
        hand.rig.send('control', controlOf({ kind, hostKey, payload }));
        hand.rig.step(hand.nowMs, 0);
        assert.deepEqual(drained(hand), usual, `${kind} of ${hostKey}`);
      }
  });

  it('a result ends no URL of another host than that of its lease', () => {
    const outcomeOf = (url: string): Outcome => ({ ...blankOutcome, index: 0, url, kind: 'gone', status: 404 });
    for (const about of [
      { hostKey: 'b.test', outcomes: [outcomeOf('https://a.test/0')] },
      { hostKey: 'b.test', outcomes: [outcomeOf('https://b.test/0')] },
      { hostKey: 'a.test', outcomes: [outcomeOf('https://b.test/0')] },
    ] satisfies Partial<Result>[]) {
      const hand = new Hand();
      hand.links('b.test', 1);
      const other = hand.lease();
      hand.links('a.test', 1);
      const task = hand.lease();
      assert.equal(task.hostKey, 'a.test');
      hand.rig.send('results', { ...hand.resultOf(task, () => ({})), ...about, last: false });
      hand.rig.step(hand.nowMs, 0);
      const { leases } = hand.rig.core.state;
      for (const { leaseId } of [task, other]) assert.notEqual(leases.get(leaseId)?.entries[0] ?? null, null);
    }
  });
});
