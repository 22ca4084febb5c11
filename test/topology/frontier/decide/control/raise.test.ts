import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { UrlTimeline } from '../../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../../../topology/frontier/frontier-limits.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;
const urlsPerLeaseMax = 10;

/** Three hundred URLs of one host, in two front queues. */
function filled(policy: ConstructorParameters<typeof Hand>[0] = {}): Hand {
  const hand = new Hand({ urlsPerLeaseMax, ...policy });
  hand.links(host, 200, { priority: 3 });
  hand.links(host, 100, { priority: 5, from: 200 });
  return hand;
}

/** Writes the checkpoint to its end, and opens it: the queue is on disk then. */
function reopened(hand: Hand): void {
  hand.rig.save();
  // What decides something goes on with the round.
  for (let i = 0; i < 60; i++) hand.event('hostDelay', 'other.test', i);
  hand.rig.reopen(hand.nowMs, true);
  assert.ok(hand.rig.rows.count('q') > 0);
}

function assertOneState({ rig }: Hand): void {
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
}

/** What every lease from here on takes, in order. */
function drained(hand: Hand): string[] {
  const order: string[] = [];
  for (let tasks = hand.grant(60_000); tasks.length > 0; tasks = hand.grant(60_000)) {
    for (const task of tasks) {
      order.push(...task.urls.map(({ url }) => url));
      hand.report(task);
    }
  }
  return order;
}

const others = (...raised: number[]) =>
  Array.from({ length: 300 }, (_, n) => n)
    .filter((n) => !raised.includes(n))
    .map(page);

describe('a raised URL', () => {
  for (const where of ['in memory', 'on disk'] as const) {
    it(`a raised URL goes first and once, from anywhere in a queue ${where}, and the others keep their order`, () => {
      const hand = filled();
      if (where === 'on disk') reopened(hand);
      for (const n of [150, 260, 299, 0, 200]) hand.raise(page(n));
      assertOneState(hand);
      assert.equal(hand.counters.queued, 300);
      reopened(hand);
      assertOneState(hand);
      const raised = [150, 260, 299, 0, 200];
      assert.deepEqual(drained(hand), [...raised.map(page), ...others(...raised)]);
      assertOneState(hand);
      assert.equal(hand.counters.page, 300);
      assert.equal(hand.counters.admitted, 300);
    });
  }

  it('a raised URL leaves a hole that leases and a restart skip, also if all of a front queue has left', () => {
    const hand = new Hand({ urlsPerLeaseMax });
    hand.links(host, 3, { priority: 1 });
    hand.links(host, 4, { priority: 3, from: 3 });
    for (const n of [2, 0, 1]) hand.raise(page(n));
    reopened(hand);
    hand.links(host, 2, { priority: 1, from: 7 });
    reopened(hand);
    assertOneState(hand);
    assert.deepEqual(drained(hand), [2, 0, 1, 7, 8, 3, 4, 5, 6].map(page));
    assertOneState(hand);
  });

  it('a raised URL is found by its key, in any spelling', () => {
    const hand = filled();
    const [queued, meant] = [`https://${host}/search?a=`, `https://${host}/search?a`];
    hand.linksTo([queued], 5);
    hand.raise(meant);
    assert.deepEqual(drained(hand), [queued, ...others()]);
  });

  it('a raised URL does not wait for its retry any more', () => {
    const hand = filled({ retriesMs: [3_600_000] });
    const task = hand.lease();
    hand.report(task, { kind: task.urls.map((_, index) => (index === 4 ? 'serverError' : 'fetched')) });
    assert.equal(hand.counters.retrying, 1);
    hand.raise(page(4));
    assert.equal(hand.counters.retrying, 0);
    assertOneState(hand);
    assert.equal(hand.lease(60_000).urls[0]?.url, page(4));
  });

  it('a raised URL that is leased, fetched or unknown stays unchanged; twice is once', () => {
    const hand = filled();
    hand.raise(page(20));
    const before = hand.rig.changelog.length;
    const state = () => digest(hand.rig.core.state);
    const positions = hand.rig.core.state.positions;
    const after = (url: string) => {
      const { offset } = positions.control;
      hand.raise(url);
      assert.equal(positions.control.offset, offset + 1);
    };
    after(page(20));
    after(page(9_999));
    after('https://unknown.test/');
    const task = hand.lease();
    assert.equal(task.urls[0]?.url, page(20));
    after(page(20));
    hand.report(task);
    after(page(20));
    assert.equal(hand.counters.admitted, 300);
    const kinds = hand.rig.changelog.slice(before).flatMap((bytes) => {
      const record = decodeChangelog(bytes);
      return record.kind === 'commit' ? [...record.changes].map(({ kind }) => kind) : [];
    });
    assert.ok(!kinds.includes('expedite'), kinds.join());
    assert.equal(digest(hand.rig.replayed()), state());
  });

  it('a raised URL leaves the deferred ones, and its history says so', () => {
    const hand = filled();
    hand.event('blockHost', host);
    assert.equal(hand.counters.deferred, 300);
    hand.raise(page(250));
    assert.equal(hand.counters.deferred, 300, 'its host is still blocked');
    hand.event('releaseHost', host);
    const timeline = new UrlTimeline(host, page(250));
    for (const [offset, bytes] of hand.rig.changelog.entries()) timeline.take(offset, decodeChangelog(bytes));
    assert.equal(timeline.raised.length, 1);
    assert.deepEqual(timeline.place, { in: 'again', dueAtMs: 0, ahead: 0 });
    assert.equal(hand.lease().urls[0]?.url, page(250));
  });
});

test('a URL of a host that is given up is not raised: each dead letter belongs to its own URL', () => {
  const hand = new Hand({ retriesMs: [1_000], urlsPerLeaseMax: 1 });
  const { rig } = hand;
  const hostKey = 'a.test';
  const count = frontierLimits.abandonsPerStep + 40;
  hand.links(hostKey, count);
  while (rig.core.state.abandoning.size === 0) hand.report(hand.lease(3_600_000), { kind: 'robotsUnreachable' });
  rig.send(
    'control',
    controlOf({ kind: 'raise', hostKey, payload: JSON.stringify({ url: `https://${hostKey}/${count - 1}` }) }),
  );
  const deadLetters: string[] = [];
  for (let step = rig.step(hand.nowMs, 0); step !== null; step = rig.step(hand.nowMs, 0)) {
    deadLetters.push(...step.deadLetters.map(({ url }) => url));
  }
  const urls = Array.from({ length: count }, (_, n) => `https://${hostKey}/${n}`);
  assert.deepEqual(deadLetters.sort(), urls.sort());
  assert.equal(hand.counters.dead, count);
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
});
