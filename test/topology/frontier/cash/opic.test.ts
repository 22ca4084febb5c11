import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { type Answer, TopologyDriver } from '../../../../lab/simulation/driver.ts';
import { decodeChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { defaultOpic } from '../../../../topology/policy/score/opic.ts';
import { defaultScore } from '../../../../topology/policy/score/score-config.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;

function heldBy({ rig }: Hand, url: string): number {
  const { state } = rig.core;
  const [hi, lo] = state.fingerprintOf(url);
  return state.cash.heldBy(hi!, lo!);
}

describe('a crawl by cash', () => {
  it('a crawl by cash gives a page’s cash to its task, less the tax, and takes it when the page has ended', () => {
    const hand = new Hand({ score: defaultOpic });
    hand.linksTo([page(0)], -1, { depth: 0 });
    const task = hand.lease();
    assert.equal(task.urls[0]?.cash, 0.85);
    assert.equal(heldBy(hand, page(0)), 1);
    hand.report(task);
    assert.equal(heldBy(hand, page(0)), 0);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });

  it('a crawl by cash fetches the richest URL first, even if it was queued long before', () => {
    const hand = new Hand({ score: defaultOpic, urlsPerLeaseMax: 3 });
    const from = { sourceUrl: 'https://b.test/' };
    const others = Array.from({ length: 200 }, (_, n) => `https://other.test/${n}`);
    const ours = Array.from({ length: 60 }, (_, n) => page(n));
    hand.linksTo(others, -1, { ...from, share: 0.001 });
    hand.event('blockHost', 'other.test');
    hand.linksTo(ours, -1, { ...from, share: 0.001 });
    hand.linksTo([page(50)], -1, { ...from, share: 0.5 });
    hand.linksTo([page(55)], -1, { ...from, share: 0.2 });
    hand.event('hostDelay', 'third.test', 1);
    const first = hand.lease();
    assert.deepEqual(
      first.urls.map(({ url }) => url),
      [50, 55, 0].map(page),
    );
    hand.linksTo([page(40)], -1, { ...from, share: 0.01 });
    hand.report(first);
    hand.rig.save();
    for (let i = 0; i < 60; i++) hand.event('hostDelay', 'third.test', i);
    hand.rig.reopen(hand.nowMs, true);
    assert.ok(Math.abs(heldBy(hand, page(40)) - 0.011) < 1e-6, 'it survives a restart');
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });

  it('a crawl by cash accepts no unmeasurable cash', () => {
    const hand = new Hand({ score: defaultOpic });
    const shares = [Number.NaN, Number.POSITIVE_INFINITY, -1, 0];
    for (const [n, share] of shares.entries()) {
      hand.linksTo([page(n)], -1, { sourceUrl: 'https://b.test/', share });
      assert.equal(heldBy(hand, page(n)), 0);
    }
  });

  it('cash is one factor of the weighted score', () => {
    // The hosts' other facts weigh nothing, so that cash alone tells them apart.
    const hand = new Hand({ score: { ...defaultScore, domain: 0 } });
    hand.linksTo([page(0)], -1, { depth: 0 });
    assert.equal(hand.lease().urls[0]?.cash, 0.85);
    const frontQueueOf = (hostKey: string) => hand.rig.core.state.hosts.get(hostKey)!.queue.bestFrontQueue;
    const from = { sourceUrl: 'https://b.test/', depth: 3 };
    const others = Array.from({ length: 200 }, (_, n) => `https://other.test/${n}`);
    hand.linksTo(others, -1, { ...from, share: 0.001 });
    hand.linksTo(['https://poor.test/a'], -1, { ...from, share: 0.0001 });
    hand.linksTo(['https://rich.test/a'], -1, { ...from, share: 0.1 });
    assert.ok(frontQueueOf('rich.test') < frontQueueOf('poor.test') - 2);
  });

  const web = (url: string): Answer => {
    const n = Number(url.slice(url.lastIndexOf('/') + 1));
    const links = Array.from({ length: 5 }, (_, i) => `https://h${(7 * n + i) % 9}.test/${(3 * n + i * i) % 120}`);
    return { kind: 'fetched', links };
  };

  it('a crawl by cash ends with every page fetched once, over crashes, and a replay has the same cash', () => {
    for (const score of [defaultOpic, defaultScore]) {
      const driver = new TopologyDriver({ web, policy: { delayMs: 0, score }, partitions: 2 });
      driver.inject(['https://h0.test/1']);
      for (let times = 0; times < 5; times++) {
        driver.run(driver.nowMs + 300);
        driver.save();
        driver.crash();
      }
      assert.equal(driver.run(), 'done');
      const urls = driver.requests.map(({ url }) => url);
      assert.ok(urls.length > 100);
      for (const partition of [0, 1]) {
        assert.equal(digest(driver.rebuilt(partition)), digest(driver.core(partition).state));
      }
    }
  });

  it('no cash moves if the policy does not use it', () => {
    const score = { ...defaultScore, factors: { ...defaultScore.factors, cash: 0 } };
    const hand = new Hand({ score });
    hand.linksTo([page(0)], -1, { sourceUrl: 'https://b.test/', share: 1 });
    assert.equal(hand.lease().urls[0]?.cash, 0);
    const kinds = hand.rig.changelog.flatMap((bytes) => {
      const record = decodeChangelog(bytes);
      return record.kind === 'commit' ? [...record.changes].map(({ kind }) => kind) : [];
    });
    assert.ok(!kinds.includes('cash'), kinds.join());
    assert.deepEqual(hand.rig.core.state.cash.rows, [0]);
  });
});
