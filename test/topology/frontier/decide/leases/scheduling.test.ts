/** Who may be contacted when: the rules of docs/design.md §4.15 that partition.test.ts and protocol.test.ts leave, one by one. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';
import { policyLimits } from '../../../../../topology/policy/policy-limits.ts';

const a = 'a.test';
const paths = (task: { readonly urls: readonly { readonly url: string }[] }) =>
  task.urls.map(({ url }) => Number(new URL(url).pathname.slice(1)));

describe('a host outside its crawl window', () => {
  it('a host outside its crawl window takes nobody’s turn: the demand goes to open hosts', () => {
    const windows = [{ hosts: ['shut.test'], fromHour: 5, toHour: 6, utcOffsetMinutes: 0 }];
    const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 1, windows });
    for (let n = 0; n < 5; n++) hand.links(`${n}.shut.test`, 1);
    for (const host of ['x.test', 'y.test']) hand.links(host, 1);
    const tasks = hand.grant(1, 2);
    assert.deepEqual(tasks.map(({ hostKey }) => hostKey).sort(), ['x.test', 'y.test']);
    for (const task of tasks) hand.report(task);
    const untilFiveMs = 5 * 3_600_000 - (hand.nowMs % 86_400_000);
    assert.deepEqual(hand.grant(untilFiveMs - 1, 9), []);
    assert.equal(hand.grant(1, 9).length, 5);
  });
});

describe('the next contact of a host', () => {
  it('the next contact of a host counts from the completion of a request, however long it took', () => {
    const hand = new Hand({ delayMs: 2_000, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    const task = hand.lease();
    hand.nowMs += 25_000;
    hand.report(task, { tookMs: 25_000 });
    hand.leaseExactlyAfter(2_000);
  });

  it('the next contact of a host waits for the longest of the minimum delay and the Crawl-delay', () => {
    for (const [delayMs, crawlDelayMs] of [
      [2_000, 7_000],
      [7_000, 2_000],
    ] as const) {
      const hand = new Hand({ delayMs, urlsPerLeaseMax: 1 });
      hand.links(a, 5);
      hand.report(hand.lease(), { crawlDelayMs });
      hand.leaseExactlyAfter(7_000);
    }
  });

  it('the next contact of a host waits a multiple of the fetch time, up to a cap', () => {
    const hand = new Hand({ delayMs: 100, delayFactor: 10, delayFactorCapMs: 12_000, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    hand.report(hand.lease(), { tookMs: 800 });
    hand.report(hand.leaseExactlyAfter(8_000), { tookMs: 9_000 });
    hand.leaseExactlyAfter(12_000);
  });

  it('the next contact of a host waits for Retry-After, also with other URLs', () => {
    const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1, retriesMs: [5_000] });
    hand.links(a, 5);
    hand.report(hand.lease(), { kind: 'throttled', retryAfterMs: 90_000 });
    assert.deepEqual(paths(hand.leaseExactlyAfter(90_000)), [0]);
  });

  it('the next contact of a host waits for a Retry-After of robots.txt or a sitemap as well, from that request’s end', () => {
    const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    const task = hand.lease();
    const result = hand.resultOf(task, () => ({}));
    const sitemap = { ...result.requests[0]!, kind: 'sitemap', outcomeIndex: -1, status: 503 } as const;
    const asked = { ...sitemap, endMs: hand.nowMs - 2_000, retryAfterMs: 60_000 };
    hand.rig.send('results', { ...result, requests: [asked, ...result.requests] });
    hand.rig.step(hand.nowMs, 0);
    hand.leaseExactlyAfter(58_000);
  });

  it('the next contact of a host never moves nearer: a shorter delay does not cut a longer one', () => {
    const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    const task = hand.lease();
    hand.report(task, { kind: 'throttled', retryAfterMs: 60_000 });
    hand.nowMs += 100;
    hand.report(task); // a late result of the same lease
    hand.leaseExactlyAfter(59_900);
  });

  it('the next contact of a host survives a restart', () => {
    const hand = new Hand({ delayMs: 30_000, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    hand.report(hand.lease());
    hand.rig.save();
    hand.rig.reopen(hand.nowMs, true);
    hand.leaseExactlyAfter(30_000);
  });
});

describe('a lease without its fetcher', () => {
  it('a lease without its fetcher expires at its deadline plus the clock margin, and counts as a contact at its deadline', () => {
    const delayMs = 20_000;
    const hand = new Hand({ delayMs, urlsPerLeaseMax: 1 });
    hand.links(a, 5);
    const { deadlineMs } = hand.lease();
    hand.grant(deadlineMs + frontierLimits.clockSkewMs - 1 - hand.nowMs);
    assert.equal(hand.counters.leases, 1);
    hand.grant(1);
    assert.equal(hand.counters.leases, 0);
    hand.leaseExactlyAfter(delayMs - frontierLimits.clockSkewMs);
  });

  it('a lease without its fetcher ends without costing an attempt under a new owner that knows its fetchers dead, with its host as contacted then', () => {
    const hand = new Hand({ delayMs: 5_000 });
    hand.links(a, 3);
    hand.lease();
    hand.nowMs += 1_000;
    hand.rig.reopen(hand.nowMs, true);
    const again = hand.leaseExactlyAfter(5_000);
    assert.deepEqual(paths(again), [0, 1, 2]);
    assert.ok(again.urls.every(({ attempt }) => attempt === 0));
  });

  it('a lease without its fetcher continues under a new owner that does not know its fetchers', () => {
    const hand = new Hand();
    hand.links(a, 3);
    const task = hand.lease();
    hand.rig.reopen(hand.nowMs, false);
    assert.deepEqual(hand.grant(10_000), []);
    hand.report(task);
    assert.equal(hand.counters.page, 3);
  });
});

describe('back-off', () => {
  const policy = { delayMs: 0, retriesMs: [1_000, 64_000] };

  it('back-off doubles with each throttled response, within a fifth of jitter, up to the schedule’s last step', () => {
    const hand = new Hand(policy);
    hand.links(a, 30);
    hand.report(hand.lease(), { kind: 'throttled' });
    for (let expectedMs = 1_000, i = 0; i < 9; i++, expectedMs = Math.min(2 * expectedMs, 64_000)) {
      assert.deepEqual(hand.grant(0.8 * expectedMs - 1), [], `not yet after 0.8 × ${expectedMs}`);
      const probe = hand.lease(0.4 * expectedMs + 1);
      assert.equal(probe.urls.length, 1, 'one probe');
      hand.report(probe, { kind: 'throttled' });
    }
  });

  it('back-off treats a timeout as throttling', () => {
    const hand = new Hand(policy);
    hand.links(a, 30);
    hand.report(hand.lease(), { kind: 'timeout' });
    assert.deepEqual(hand.grant(799), []);
    assert.equal(hand.lease(402).urls.length, 1);
  });

  it('back-off ends with the first good response to a probe', () => {
    const hand = new Hand(policy);
    hand.links(a, 30);
    hand.report(hand.lease(), { kind: 'throttled' });
    hand.report(hand.lease(1_300));
    assert.ok(hand.lease().urls.length > 1, 'whole leases again, at once');
  });

  it('back-off of an unreachable host covers all its URLs, step by step of the schedule', () => {
    const hand = new Hand({ delayMs: 0, retriesMs: [5_000, 30_000] });
    hand.links(a, 30);
    hand.report(hand.lease(), { kind: 'robotsUnreachable' });
    hand.report(hand.leaseExactlyAfter(5_000), { kind: 'connectionFailed' });
    const probe = hand.leaseExactlyAfter(30_000);
    assert.equal(probe.urls.length, 1);
    assert.equal(probe.urls[0]!.attempt, 0, 'the host failed, not the URL');
  });

  it('back-off of a host that was given up ends after a day: one more probe, then its URLs are dead letters again', () => {
    const hand = new Hand({ delayMs: 0, retriesMs: [5_000] });
    hand.links(a, 3);
    hand.report(hand.lease(), { kind: 'dnsFailed' });
    hand.report(hand.lease(5_000), { kind: 'dnsFailed' });
    hand.grant();
    assert.equal(hand.counters.dead, 3);
    hand.nowMs += frontierLimits.deadHostMs;
    hand.links(a, 2, { from: 10 });
    assert.equal(hand.counters.queued, 2, 'the verdict has run out');
    hand.report(hand.lease(), { kind: 'dnsFailed' });
    hand.grant();
    assert.equal(hand.counters.dead, 5);
  });
});

describe('the URLs of a lease', () => {
  it('the URLs of a lease are the most urgent first, and of one front queue the oldest first', () => {
    const hand = new Hand();
    hand.links(a, 2, { priority: 5 });
    hand.links(a, 2, { priority: 1, from: 10 });
    hand.links(a, 1, { priority: 5, from: 20 });
    hand.links(a, 1, { front: true, from: 30 });
    assert.deepEqual(paths(hand.lease()), [30, 10, 11, 0, 1, 20]);
  });

  it('the URLs of a lease are returned ones before new ones, and of them the first that is due', () => {
    const hand = new Hand({ delayMs: 0, retriesMs: [2_000, 60_000], urlsPerLeaseMax: 3 });
    hand.links(a, 6);
    hand.report(hand.lease(), { kind: ['serverError', 'returned', 'serverError'] });
    assert.deepEqual(
      paths(hand.lease(1_999)),
      [1],
      'half as many after one that was not begun, and no retry before its time',
    );
    assert.deepEqual(hand.counters.retrying, 2);
  });

  it('the URLs of a lease are as many as fit the lead time, and few on a new host', () => {
    const hand = new Hand({ delayMs: 1_000, leadTimeMs: 30_000, urlsPerLeaseMax: 64 });
    hand.links(a, 200);
    const first = hand.lease();
    assert.equal(first.urls.length, frontierLimits.firstLeaseUrls);
    hand.report(first, { tookMs: 500 });
    assert.equal(hand.lease(1_000).urls.length, 30_000 / 1_500);
  });

  it('the URLs of a lease are one if a single delay exceeds the lead time', () => {
    const hand = new Hand({ delayMs: 45_000, leadTimeMs: 30_000 });
    hand.links(a, 20);
    assert.equal(hand.lease().urls.length, 1);
  });

  it('the URLs of a lease are never more than the policy allows', () => {
    const hand = new Hand({ delayMs: 0, urlsPerLeaseMax: 5 });
    hand.links(a, 20);
    assert.equal(hand.lease().urls.length, 5);
  });
});

describe('priority', () => {
  it('priority never bypasses politeness: an urgent URL waits for its host', () => {
    const hand = new Hand({ delayMs: 10_000 });
    hand.links(a, 1);
    hand.report(hand.lease());
    hand.links(a, 1, { priority: 0, front: true, from: 10 });
    hand.links('b.test', 1, { priority: 7 });
    assert.equal(hand.lease(5_000).hostKey, 'b.test');
    assert.deepEqual(hand.grant(), []);
    assert.deepEqual(paths(hand.lease(5_000)), [10]);
  });

  it('priority usually decides among ready hosts, and starves none', () => {
    const firsts = Array.from({ length: 60 }, (_, i) => {
      const hand = new Hand();
      hand.nowMs += i;
      for (let filler = 0; filler < i; filler++) hand.event('hostDelay', 'filler.test', filler);
      hand.links('slow.test', 1, { priority: 3 });
      hand.links('fast.test', 1, { priority: 1 });
      return hand.lease().hostKey;
    });
    const fast = firsts.filter((hostKey) => hostKey === 'fast.test').length;
    assert.ok(fast > 40 && fast < 60, `${fast} of 60: about four fifths`);
  });
});

describe('retries', () => {
  it('retries come after 5, 30 and 300 s by default, then the URL is dead', () => {
    assert.deepEqual(policyLimits.retriesMs, [5_000, 30_000, 300_000]);
    const hand = new Hand({ delayMs: 0 });
    hand.links(a, 1);
    let task = hand.lease();
    for (const [attempts, waitMs] of [5_000, 30_000, 300_000].entries()) {
      assert.equal(task.urls[0]!.attempt, attempts);
      hand.report(task, { kind: 'serverError' });
      task = hand.leaseExactlyAfter(waitMs);
    }
    hand.report(task, { kind: 'serverError' });
    assert.deepEqual([hand.counters.dead, hand.counters.retrying], [1, 0]);
  });
});

describe('an operator', () => {
  it('an operator holds a host and releases it; its URLs are deferred meanwhile, not lost', () => {
    const hand = new Hand();
    hand.links(a, 3);
    hand.event('blockHost', a);
    assert.deepEqual(hand.grant(60_000), []);
    assert.deepEqual([hand.counters.deferred, hand.counters.queued], [3, 0]);
    hand.event('releaseHost', a);
    assert.deepEqual(paths(hand.lease()), [0, 1, 2]);
  });

  it('an operator sets the delay of one host, which applies at once and over restarts', () => {
    const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1 });
    hand.links(a, 3);
    hand.event('hostDelay', a, 15_000);
    hand.rig.reopen(hand.nowMs, false);
    // A contact that left no trace is possible.
    const task = hand.leaseExactlyAfter(15_000);
    assert.equal(task.delayMs, 15_000);
    hand.report(task);
    hand.leaseExactlyAfter(15_000);
  });

  it('an operator never makes a host wait less than its Crawl-delay', () => {
    const hand = new Hand({ delayMs: 1_000, urlsPerLeaseMax: 1 });
    hand.links(a, 3);
    hand.event('hostDelay', a, 0);
    hand.report(hand.lease(), { crawlDelayMs: 8_000 });
    hand.leaseExactlyAfter(8_000);
  });

  it('an operator changes the policy of a running crawl: a host that waits uses it at once', () => {
    const hand = new Hand({ delayMs: 60_000, urlsPerLeaseMax: 1 });
    hand.links(a, 3);
    hand.report(hand.lease());
    hand.policy({ delayMs: 1_000, urlsPerLeaseMax: 1 });
    hand.report(hand.leaseExactlyAfter(1_000));
    hand.leaseExactlyAfter(1_000);
  });
});
