import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';

/** Writes the checkpoint to its end, whatever else is decided meanwhile. */
function saveWhole(hand: Hand): void {
  hand.rig.save();
  for (let step = 0; step < 200; step++) hand.links('elsewhere.test', 1, { from: 1_000 + step });
}

/** The next owner has what a replay of everything gives, from a checkpoint that was written just now. */
function holdsAfterSave(hand: Hand, what: string): void {
  saveWhole(hand);
  hand.rig.reopen(hand.nowMs, false);
  assert.equal(digest(hand.rig.core.state), digest(hand.rig.replayed()), what);
}

it('a checkpoint written in the middle of a lease holds what the lease has brought so far', () => {
  for (const kind of ['timeout', 'fetched', 'redirect', 'serverError', 'robotsDenied'] as const) {
    const hand = new Hand({ delayMs: 0 });
    hand.links('a.test', 3);
    const task = hand.lease();
    saveWhole(hand);
    const whole = hand.resultOf(task, () => ({}), { kind });
    const part = { ...whole, last: false, outcomes: whole.outcomes.slice(0, 1), requests: whole.requests.slice(0, 1) };
    hand.rig.send('results', part);
    hand.rig.step(hand.nowMs, 0);
    holdsAfterSave(hand, kind);
  }
});

it('a checkpoint written after each change of a host holds that host', () => {
  const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 2 });
  hand.links('a.test', 5);
  holdsAfterSave(hand, 'links');
  hand.report(hand.lease(), { kind: 'timeout' });
  holdsAfterSave(hand, 'an outcome that is tried again');
  hand.event('hostDelay', 'a.test', 500);
  holdsAfterSave(hand, 'an operator’s delay');
  hand.raise('https://a.test/4');
  holdsAfterSave(hand, 'a URL that was raised');
  const task = hand.lease(600_000);
  holdsAfterSave(hand, 'a lease');
  hand.report(task, { kind: 'fetched' });
  holdsAfterSave(hand, 'a page');
  hand.event('blockHost', 'a.test');
  holdsAfterSave(hand, 'a block');
  hand.event('releaseHost', 'a.test');
  holdsAfterSave(hand, 'its end');
});
