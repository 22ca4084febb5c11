/** Visits to come: due times, the share between refresh and discovery, what a visit found, and what a restart keeps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { OutcomeKind, Task } from '../../../../schemas/types.ts';
import { feedSignature } from '../../../../topology/content/feed-signature.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const hour = 3_600_000;
const day = 24 * hour;
const paths = (task: Task) => task.urls.map(({ url }) => new URL(url).pathname.slice(1));

function recrawling(recrawl: Partial<RecrawlConfig> = {}, policy: Partial<PolicyConfig> = {}): Hand {
  const config = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: hour, ...recrawl };
  return new Hand({ delayMs: 1_000, recrawl: config, ...policy });
}

/** A host's pages are fetched, all at once. */
function fetched(
  hand: Hand,
  count: number,
  more: { readonly contentHash?: string; readonly etag?: string } = {},
): void {
  hand.links(a, count);
  hand.report(hand.lease(), more);
}

describe('a fetched page', () => {
  it('a fetched page is leased again when it is due, and not before, with its validators', () => {
    const hand = recrawling();
    fetched(hand, 1, { etag: '"v1"' });
    assert.equal(hand.counters.scheduled, 1);
    assert.equal(hand.counters.page, 1);
    const task = hand.leaseExactlyAfter(hour);
    assert.deepEqual([task.urls[0]?.url, task.urls[0]?.etag], [`https://${a}/0`, '"v1"']);
    assert.equal(hand.counters.page, 0);
    hand.report(task, { kind: 'notModified' });
    assert.deepEqual([hand.counters.page, hand.counters.notModified, hand.counters.scheduled], [1, 1, 1]);
    // A 304 without a tag leaves the one we have.
    assert.equal(hand.leaseExactlyAfter(hour).urls[0]?.etag, '"v1"');
  });

  it('a fetched page costs a page of the quota at each visit, and nothing if the visit was not made', () => {
    const hand = recrawling();
    fetched(hand, 1);
    assert.equal(hand.counters.quotaSpent, 1);
    hand.report(hand.leaseExactlyAfter(hour));
    assert.equal(hand.counters.quotaSpent, 2);
    const task = hand.leaseExactlyAfter(hour);
    assert.equal(hand.counters.quotaSpent, 3, 'as long as it is out');
    hand.report(task, { kind: 'returned' });
    assert.equal(hand.counters.quotaSpent, 2);
  });

  it('a fetched page is never refetched without a schedule', () => {
    const hand = new Hand({ delayMs: 1_000 });
    fetched(hand, 3);
    assert.deepEqual(hand.grant(400 * day), []);
    assert.equal(hand.counters.scheduled, 0);
  });

  it('a fetched page waits for its host like any other', () => {
    const hand = recrawling({}, { delayMs: 5 * hour, urlsPerLeaseMax: 1 });
    hand.links(a, 2);
    hand.report(hand.lease());
    hand.report(hand.leaseExactlyAfter(5 * hour));
    hand.leaseExactlyAfter(5 * hour);
  });

  it('a fetched page comes before those of its host that are due later', () => {
    const hand = recrawling({}, { urlsPerLeaseMax: 2 });
    hand.links(a, 4);
    hand.report(hand.lease());
    hand.report(hand.leaseExactlyAfter(1_000));
    assert.deepEqual(paths(hand.leaseExactlyAfter(hour - 1_000)).sort(), ['0', '1']);
  });

  it('a fetched page changed if its body and main text did, not if an advertisement rotates', () => {
    const found = (first: object, second: object) => {
      const hand = recrawling();
      hand.links(a, 1);
      hand.report(hand.lease(), first);
      hand.report(hand.leaseExactlyAfter(hour), second);
      assert.equal(hand.counters.revisits, 1);
      return hand.counters.changesFound;
    };
    const text = '0123456789abcdef';
    assert.equal(found({ contentHash: 'x' }, { contentHash: 'x' }), 0);
    assert.equal(found({ contentHash: 'x' }, { contentHash: 'y' }), 1);
    assert.equal(found({ contentHash: 'x', textSignature: text }, { contentHash: 'y', textSignature: text }), 0);
    const near = { contentHash: 'y', textSignature: '0123456789abcdee' };
    assert.equal(found({ contentHash: 'x', textSignature: text }, near), 0);
    const far = { contentHash: 'y', textSignature: 'f123456789abcd00' };
    assert.equal(found({ contentHash: 'x', textSignature: text }, far), 1);
  });

  it('a fetched page is revisited sooner the more often it changes', () => {
    const hand = recrawling({ schedule: 'adaptive' });
    hand.links(a, 2);
    const next = [day, day];
    for (let visit = 0; visit < 12; visit++) {
      const task = hand.grant(visit === 0 ? 0 : 40 * day)[0]!;
      hand.rig.send(
        'results',
        hand.resultOf(task, (index) => ({ contentHash: index === 0 ? `${visit}` : 'same' })),
      );
      hand.rig.step(hand.nowMs, 0);
    }
    for (const [index] of next.entries()) next[index] = dueOf(hand, index) - hand.nowMs;
    assert.ok(next[0]! <= 2 * hour && next[1]! >= 20 * day, `${next}`);
  });
});

describe('a feed', () => {
  const feeds = { minMs: hour / 2, maxMs: day };
  const marks = (...entries: number[]) =>
    feedSignature(
      entries.map((n) => `https://${a}/${n}`),
      0,
    );

  it('a feed is polled sooner the more often a poll brings an entry, and not for dropped or rewritten ones', () => {
    const hand = recrawling({ feeds });
    hand.links(a, 1);
    hand.report(hand.lease(), { contentHash: '1', textSignature: marks(1, 2) });
    hand.report(hand.leaseExactlyAfter(hour), { contentHash: '2', textSignature: marks(2) });
    const laterS = (dueOf(hand, 0) - hand.nowMs) / 1_000;
    assert.ok(laterS > 3_600, `${laterS}`);
    hand.report(hand.lease(1_000 * laterS), { contentHash: '3', textSignature: marks(2, 3) });
    assert.ok(dueOf(hand, 0) - hand.nowMs < 1_000 * laterS);
    assert.deepEqual([hand.counters.revisits, hand.counters.changesFound], [2, 1]);
  });

  it('a feed is still a feed after a 304, and keeps its requested interval', () => {
    const hand = recrawling({ feeds });
    hand.links(a, 1);
    hand.report(hand.lease(), { etag: '"1"', textSignature: feedSignature([], 5 * hour) });
    const task = hand.leaseExactlyAfter(5 * hour);
    assert.equal(task.urls[0]?.etag, '"1"');
    hand.report(task, { kind: 'notModified' });
    hand.leaseExactlyAfter(5 * hour);
  });

  it('a feed takes no part in how pages share the bandwidth', () => {
    const rated = (first: string, second: string) => {
      const hand = recrawling({ schedule: 'optimal', feeds });
      hand.links(a, 1);
      hand.report(hand.lease(), { contentHash: '1', textSignature: first });
      hand.report(hand.leaseExactlyAfter(hour), { contentHash: '2', textSignature: second });
      return hand.rig.core.state.recrawl.table.classes.pages;
    };
    assert.equal(rated('', ''), 1);
    assert.equal(rated(marks(1), marks(2)), 0);
  });
});

const dueOf = (hand: Hand, index: number) => {
  const { state } = hand.rig.core;
  const [hi, lo] = state.fingerprintOf(`https://${a}/${index}`);
  return 1_000 * state.recrawl.table.at(state.recrawl.table.find(hi!, lo!)).dueS;
};

describe('a visit that fails', () => {
  it('a visit that fails is the last if errors are never revisited, and the page stays what it was', () => {
    const hand = recrawling({ errorMs: null }, { retriesMs: [5_000] });
    fetched(hand, 1, { contentHash: 'x' });
    hand.report(hand.leaseExactlyAfter(hour), { kind: 'serverError' });
    hand.report(hand.leaseExactlyAfter(5_000), { kind: 'serverError' });
    assert.deepEqual([hand.counters.page, hand.counters.scheduled, hand.counters.leased], [1, 0, 0]);
    assert.deepEqual(hand.grant(400 * day), []);
    assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
  });

  it('a visit that fails is repeated after the retry delays, then like errors; the page stays known', () => {
    const hand = recrawling({ errorMs: 6 * hour }, { retriesMs: [5_000, 60_000] });
    fetched(hand, 1, { etag: '"v1"', contentHash: 'x' });
    hand.report(hand.leaseExactlyAfter(hour), { kind: 'serverError' });
    hand.report(hand.leaseExactlyAfter(5_000), { kind: 'serverError' });
    hand.report(hand.leaseExactlyAfter(60_000), { kind: 'serverError' });
    assert.deepEqual([hand.counters.page, hand.counters.dead], [1, 0]);
    const task = hand.leaseExactlyAfter(6 * hour);
    assert.equal(task.urls[0]?.etag, '"v1"');
    hand.report(task, { contentHash: 'x' });
    assert.equal(hand.counters.changesFound, 0);
    assert.equal(hand.counters.revisits, 1);
  });

  it('a visit that fails counts by its outcome, with the intervals of errors and of gone pages', () => {
    const visits: readonly (readonly [OutcomeKind, number])[] = [
      ['gone', 3 * day],
      ['clientError', 6 * hour],
      ['robotsDenied', 6 * hour],
    ];
    for (const [kind, afterMs] of visits) {
      const hand = recrawling({ errorMs: 6 * hour, goneMs: 3 * day });
      fetched(hand, 1);
      hand.report(hand.leaseExactlyAfter(hour), { kind });
      assert.equal(hand.counters.page, 0);
      hand.leaseExactlyAfter(afterMs);
    }
  });

  it('a visit that fails is never repeated if the schedule says so', () => {
    const hand = recrawling({ goneMs: null });
    fetched(hand, 1);
    hand.report(hand.leaseExactlyAfter(hour), { kind: 'gone' });
    assert.deepEqual([hand.counters.scheduled, hand.counters.failed], [0, 1]);
    assert.deepEqual(hand.grant(400 * day), []);
  });

  it('a visit is made at once if it was not made at all, or its lease expired', () => {
    const hand = recrawling();
    fetched(hand, 1);
    hand.report(hand.leaseExactlyAfter(hour), { kind: 'returned' });
    const { deadlineMs } = hand.lease(1_000);
    hand.grant(deadlineMs + 60_000 - hand.nowMs, 0);
    assert.deepEqual([hand.counters.leases, hand.counters.scheduled, hand.counters.page], [0, 1, 1]);
    hand.lease(60_000);
  });

  it('a visit to a dead host is made when the verdict has expired', () => {
    const hand = recrawling({}, { retriesMs: [1_000] });
    fetched(hand, 1);
    hand.report(hand.leaseExactlyAfter(hour), { kind: 'connectionFailed' });
    hand.report(hand.lease(2_000), { kind: 'connectionFailed' });
    assert.deepEqual([hand.counters.dead, hand.counters.scheduled], [0, 1]);
    hand.leaseExactlyAfter(24 * hour);
  });
});

describe('revisits and new URLs', () => {
  it('revisits and new URLs share a lease as the policy says, and one takes what the other leaves', () => {
    for (const share of [0, 0.25, 1]) {
      const hand = recrawling({ share }, { urlsPerLeaseMax: 8 });
      fetched(hand, 8);
      hand.nowMs += hour;
      hand.links(a, 100, { from: 100 });
      const old = (task: Task) => paths(task).filter((path) => Number(path) < 100).length;
      assert.equal(old(hand.lease()), 8 * share);
    }
  });

  it('revisits and new URLs share the leases of hosts that only have one of the two', () => {
    const hand = recrawling({ share: 0.25 }, { urlsPerLeaseMax: 1, leadTimeMs: 1 });
    for (let host = 0; host < 40; host++) hand.links(`old${host}.test`, 1);
    for (const task of hand.grant(0, 40)) hand.report(task);
    hand.nowMs += hour;
    for (let host = 0; host < 200; host++) hand.links(`new${host}.test`, 1);
    // What nobody had to refresh for so long is not made up for in one go: credit is capped.
    hand.grant(0, 0);
    hand.rig.core.state.recrawl.credit = 0;
    const tasks = hand.grant(0, 40);
    const refreshed = tasks.filter(({ hostKey }) => hostKey.startsWith('old')).length;
    assert.ok(refreshed >= 9 && refreshed <= 11, `${refreshed}`);
  });

  it('a forced URL is due at once, and exists once', () => {
    const hand = recrawling();
    fetched(hand, 3);
    hand.linksTo([`https://${a}/1`], -1, { intent: 'force' });
    assert.deepEqual(paths(hand.lease(2_000)), ['1']);
    assert.deepEqual([hand.counters.admitted, hand.counters.scheduled], [3, 2]);
  });
});

describe('external news of a page', () => {
  const dated = (hand: Hand, path: number, lastModifiedMs: number, intent: 'refresh' | 'discover' = 'refresh') =>
    hand.linksTo([`https://${a}/${path}`], -1, { intent }, lastModifiedMs);

  it('external news of a page: a date after the last visit makes it due; an earlier or far future one does not', () => {
    const hand = recrawling({ intervalMs: 30 * day });
    fetched(hand, 4);
    hand.nowMs += hour;
    dated(hand, 0, hand.nowMs - 2 * hour);
    dated(hand, 1, hand.nowMs + 3 * day);
    dated(hand, 2, hand.nowMs - 1_000, 'discover');
    dated(hand, 3, hand.nowMs - 1_000);
    assert.deepEqual(paths(hand.lease()), ['3']);
  });

  it('external news of a page: a date may be a day ahead, like that of another time zone, and no millisecond more', () => {
    const hand = recrawling({ intervalMs: 30 * day });
    fetched(hand, 2);
    hand.nowMs += hour;
    dated(hand, 0, hand.nowMs + day);
    dated(hand, 1, hand.nowMs + day + 1);
    assert.deepEqual(paths(hand.lease()), ['0']);
  });

  it('external news of a page: dates that prove wrong are no longer believed, except one in sixteen', () => {
    const hand = recrawling({ intervalMs: 90 * day }, { urlsPerLeaseMax: 64, delayMs: 0 });
    hand.links(a, 400);
    for (let task = hand.grant(1)[0]; task !== undefined; task = hand.grant(1)[0])
      hand.report(task, { contentHash: 'same' });
    let [visits, reported] = [0, 0];
    for (let round = 0; round < 4; round++) {
      for (let path = 0; path < 100; path++, reported++) dated(hand, 100 * round + path, hand.nowMs);
      hand.nowMs += hour;
      for (let task = hand.grant(1)[0]; task !== undefined; task = hand.grant(1)[0]) {
        visits += task.urls.length;
        hand.report(task, { contentHash: 'same' });
      }
    }
    // The first hundred came before anybody could know.
    assert.ok(visits > 100 && visits < 150, `${visits} of ${reported}`);
  });

  it('external news of a page: a sitemap that redates everything is spread at half the host’s pace', () => {
    const hand = recrawling({ intervalMs: 90 * day }, { urlsPerLeaseMax: 64, delayMs: 1_000, leadTimeMs: 1e6 });
    hand.links(a, 30);
    for (let task = hand.grant(1_000)[0]; task !== undefined; task = hand.grant(1_000)[0]) hand.report(task);
    hand.nowMs += hour;
    for (let path = 0; path < 30; path++) dated(hand, path, hand.nowMs);
    assert.ok(hand.lease(10_000).urls.length <= 6);
  });

  it('external news of a page: a push is due at once, whatever the trust in dates', () => {
    const hand = recrawling({ intervalMs: 30 * day });
    fetched(hand, 2);
    hand.linksTo([`https://${a}/1`], 0, { intent: 'refresh' });
    assert.deepEqual(paths(hand.lease(2_000)), ['1']);
  });
});

describe('a push for a page on lease', () => {
  const push = (hand: Hand, path = 0) => hand.linksTo([`https://${a}/${path}`], 0, { intent: 'refresh' });
  /** Its page is on lease for a revisit. */
  const onLease = (recrawl: Partial<RecrawlConfig> = {}, policy: Partial<PolicyConfig> = {}) => {
    const hand = recrawling(recrawl, policy);
    fetched(hand, 1, { contentHash: 'x' });
    return { hand, task: hand.leaseExactlyAfter(hour) };
  };

  it('a push for a page on lease makes it due again once its lease is over, since it may report a later change', () => {
    for (const kind of ['fetched', 'notModified', 'redirect', 'clientError', 'parseFailed'] as const) {
      const { hand, task } = onLease();
      push(hand);
      push(hand);
      assert.deepEqual(hand.grant(1_000), [], 'it is on lease');
      hand.report(task, { kind });
      hand.report(hand.leaseExactlyAfter(1_000), { contentHash: 'y' });
      hand.leaseExactlyAfter(hour);
      assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
    }
  });

  it('a push for a page on lease may be an operator’s force, too', () => {
    const { hand, task } = onLease();
    hand.linksTo([`https://${a}/0`], -1, { intent: 'force' });
    hand.report(task);
    hand.leaseExactlyAfter(1_000);
  });

  it('a push for a page on lease is remembered even if the schedule, or a present policy, says never again', () => {
    for (const kind of ['gone', 'serverError'] as const) {
      const { hand, task } = onLease({ goneMs: null, errorMs: null }, { retriesMs: [] });
      push(hand);
      hand.report(task, { kind });
      hand.report(hand.leaseExactlyAfter(1_000), { kind });
      assert.deepEqual(hand.grant(400 * day), []);
    }
    const { hand, task } = onLease();
    push(hand);
    hand.policy({ delayMs: 1_000 });
    hand.report(task);
    hand.report(hand.leaseExactlyAfter(1_000));
    assert.deepEqual(hand.grant(400 * day), []);
    assert.deepEqual([hand.counters.page, hand.counters.scheduled], [1, 0]);
  });

  it('a push for a page on lease comes no sooner than a server in trouble asks for', () => {
    const { hand, task } = onLease({}, { retriesMs: [30_000] });
    push(hand);
    hand.report(task, { kind: 'serverError' });
    hand.report(hand.leaseExactlyAfter(30_000));
    hand.leaseExactlyAfter(hour);
  });

  it('a push for a page on lease outlives its owner, from a checkpoint or from the changelog alone', () => {
    for (const isSaved of [false, true]) {
      const { hand, task } = onLease();
      push(hand);
      if (isSaved) {
        hand.rig.save();
        for (let step = 0; step < 20; step++) hand.links('b.test', 1, { from: step });
      }
      const before = digest(hand.rig.core.state);
      hand.rig.reopen(hand.nowMs, false);
      assert.equal(digest(hand.rig.core.state), before);
      assert.equal(digest(hand.rig.replayed()), before);
      hand.report(task);
      const [lease] = hand.grant(1_000, 2).filter(({ hostKey }) => hostKey === a);
      assert.deepEqual(lease?.urls.length, 1);
    }
  });

  it('a push for a page on lease is no sitemap date: one read meanwhile is not believed twice', () => {
    const { hand, task } = onLease();
    hand.linksTo([`https://${a}/0`], -1, { intent: 'refresh' }, hand.nowMs);
    hand.report(task);
    hand.leaseExactlyAfter(hour);
  });
});

describe('a restart', () => {
  it('a restart keeps what is due, what is on lease, and what visits showed', () => {
    const hand = recrawling({ schedule: 'optimal', intervalMs: hour }, { urlsPerLeaseMax: 2 });
    hand.links(a, 7);
    for (let visit = 0; visit < 30; visit++) {
      const task = hand.grant(20 * 60_000)[0];
      if (visit % 3 === 0) hand.rig.save();
      if (visit % 4 === 3) {
        const before = digest(hand.rig.core.state);
        hand.rig.reopen(hand.nowMs, false);
        assert.equal(digest(hand.rig.core.state), before);
      }
      assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
      if (visit % 7 === 6) hand.rig.reopen(hand.nowMs, true);
      else if (task !== undefined) hand.report(task, { contentHash: `${visit}` });
      assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
    }
    assert.ok(hand.counters.revisits > 10);
    assert.equal(hand.counters.admitted, 7);
  });

  it('a restart in the middle of a checkpoint, with the host after a visit and the schedule before it, loses no visit', () => {
    const hand = recrawling();
    hand.links(a, 1);
    const task = hand.lease();
    hand.rig.save();
    for (let step = 0; step < 5; step++) hand.links('b.test', 1);
    hand.rig.save();
    hand.report(task);
    hand.rig.reopen(hand.nowMs, false);
    assert.ok(hand.rig.core.state.recrawl.scheduled > 0);
    const [host] = hand.grant(hour, 5).filter(({ hostKey }) => hostKey === a);
    assert.equal(host?.urls.length, 1);
  });
});
