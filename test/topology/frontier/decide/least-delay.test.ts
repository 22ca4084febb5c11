import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { blankControl } from '../../../../schemas/blank.ts';
import { createOrders } from '../../../../topology/extras/audit/orders.ts';
import { newHostFacts } from '../../../../topology/frontier/changes/changes.ts';
import { readHostFacts, writeHostFacts } from '../../../../topology/frontier/changes/host-facts-bytes.ts';
import { leastDelay } from '../../../../topology/frontier/decide/control-payloads.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

describe('a webmaster’s delay', () => {
  const delayOf = (hand: Hand) => {
    hand.links('a.test', 1, { from: hand.nowMs });
    const task = hand.lease(120_000);
    hand.report(task);
    return task.delayMs;
  };

  it('a webmaster’s delay slows the crawl down, and never makes it faster than any policy', () => {
    const hand = new Hand({ delayMs: 1_000 });
    hand.event('hostDelay', 'a.test', 5_000, leastDelay);
    assert.equal(delayOf(hand), 5_000);
    hand.policy({ delayMs: 9_000 });
    assert.equal(delayOf(hand), 9_000);
    hand.event('hostDelay', 'a.test', 5_000);
    assert.equal(delayOf(hand), 5_000, 'an operator’s own word is taken as it is');
    hand.event('hostDelay', 'a.test', 200, leastDelay);
    assert.equal(delayOf(hand), 5_000, 'a webmaster’s shorter one changes nothing');
    hand.event('hostDelay', 'a.test', -1);
    hand.event('hostDelay', 'a.test', 200, leastDelay);
    assert.equal(delayOf(hand), 9_000);
    hand.event('hostDelay', 'a.test', -1, leastDelay);
    assert.equal(delayOf(hand), 9_000);
  });

  it('a webmaster’s delay is kept with the host, beside its other facts', () => {
    for (const ownDelayIsLeast of [false, true])
      for (const hold of ['', 'crawlDelay', 'blocked', 'limit', 'purged', 'paused'] as const)
        for (const bytes of [0, 7]) {
          const facts = { ...newHostFacts, ownDelayMs: 5_000, ownDelayIsLeast, hold, bytes, deferredOpen: bytes === 0 };
          const writer = new ByteWriter();
          writeHostFacts(writer, facts);
          assert.deepEqual(readHostFacts(new ByteReader(writer.take())), facts);
        }
  });

  it('a webmaster’s delay is checked by the audit, as the policy’s is if that is longer', () => {
    const orders = createOrders(1_000);
    const note = (event: object) => orders.note({ ...blankControl, ...event });
    note({ kind: 'policy', version: 1, payload: JSON.stringify({ delayMs: 1_000 }) });
    note({ kind: 'policy', version: 2, payload: JSON.stringify({ delayMs: 9_000 }) });
    note({ kind: 'hostDelay', hostKey: 'a.test', atMs: 1_000, amount: 5_000, payload: leastDelay });
    assert.equal(orders.paceOf('a.test', 60_000, 1).delayMs, 5_000);
    assert.equal(orders.paceOf('a.test', 60_000, 2).delayMs, 9_000);
    note({ kind: 'hostDelay', hostKey: 'b.test', atMs: 1_000, amount: 5_000, payload: '{' });
    assert.equal(orders.paceOf('b.test', 60_000, 2).delayMs, 5_000);
  });
});
