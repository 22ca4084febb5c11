import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
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
});
