import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../../lab/model/hand.ts';
import { controlOf } from '../../../../../lab/model/model-script.ts';
import { UrlTimeline } from '../../../../../topology/frontier/ask/url-timeline.ts';
import { decodeChangelog } from '../../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { pullLimits } from '../../../../../topology/frontier/pull/pull-limits.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';

const host = 'a.test';
const page = (n: number) => `https://${host}/${n}`;

/** Three hundred URLs of one host, in two front queues. */
function filled(policy: ConstructorParameters<typeof Hand>[0] = {}): Hand {
  const hand = new Hand({ urlsPerLeaseMax: 10, ...policy });
  hand.links(host, 200, { priority: 3 });
  hand.links(host, 100, { priority: 5, from: 200 });
  return hand;
}

/** Writes the checkpoint to its end, and opens it: the queue is on disk then. */
function reopened(hand: Hand): void {
  hand.rig.save();
  for (let i = 0; i < 60; i++) hand.event('hostDelay', 'other.test', i);
  hand.rig.reopen(hand.nowMs, true);
  assert.ok(hand.rig.rows.count('q') > 0);
}

function assertOneState({ rig }: Hand): void {
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
}

function drained(hand: Hand): string[] {
  const order: string[] = [];
  for (let tasks = hand.grant(60_000); tasks.length > 0; tasks = hand.grant(60_000))
    for (const task of tasks) {
      order.push(...task.urls.map(({ url }) => url));
      hand.report(task);
    }
  return order;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => page(from + n));
const order = (hand: Hand, kind: 'raise' | 'lower' | 'purge', url: string) =>
  hand.rig.send('control', controlOf({ kind, hostKey: host, payload: JSON.stringify({ url }) }));

describe('a lowered URL', () => {
  for (const where of ['in memory', 'on disk'] as const) {
    it(`a lowered URL goes to the end of the named front queue, or of the last, from a queue ${where}`, () => {
      const hand = filled();
      if (where === 'on disk') reopened(hand);
      hand.lower(page(0), 5);
      hand.lower(page(1));
      hand.lower(page(250));
      assertOneState(hand);
      assert.equal(hand.counters.queued, 300);
      reopened(hand);
      assertOneState(hand);
      const kept = [...range(2, 250), ...range(251, 300)];
      assert.deepEqual(drained(hand), [...kept, page(0), page(1), page(250)]);
      assertOneState(hand);
      assert.equal(hand.counters.page, 300);
    });
  }

  it('a lowered URL loses the place that a raise gave it', () => {
    const hand = filled();
    hand.raise(page(9));
    hand.lower(page(9), 3);
    assertOneState(hand);
    assert.equal(hand.counters.queued, 300);
    assert.deepEqual(drained(hand).slice(0, 201), [...range(0, 9), ...range(10, 200), page(9), page(200)]);
  });

  it('a lowered URL obeys the last of several orders', () => {
    const hand = filled();
    for (const kind of ['lower', 'raise'] as const) order(hand, kind, page(4));
    for (const kind of ['raise', 'lower'] as const) order(hand, kind, page(5));
    for (const kind of ['lower', 'purge'] as const) order(hand, kind, page(6));
    hand.rig.step(hand.nowMs, 0);
    assertOneState(hand);
    const left = drained(hand);
    assert.deepEqual([left[0], left[1], left.at(-1)], [page(4), page(0), page(5)]);
    assert.ok(!left.includes(page(6)));
    assert.equal(left.length, 299);
  });

  it('a lowered URL stays where it is while it waits for a retry, is leased, fetched or deferred', () => {
    const hand = filled({ retriesMs: [3_600_000], traps: defaultTraps });
    hand.rig.send('control', controlOf({ kind: 'trap', hostKey: host, payload: '{"pattern":"/t/"}' }));
    hand.rig.step(hand.nowMs, 0);
    hand.linksTo([`https://${host}/t/1`], 3);
    const task = hand.lease();
    hand.report(task, { kind: task.urls.map((_, index) => (index === 4 ? 'serverError' : 'fetched')) });
    const out = hand.lease(60_000);
    const changelog = hand.rig.changelog.length;
    const { deferred, retrying } = hand.counters;
    for (const url of [page(4), out.urls[0]!.url, page(0), `https://${host}/t/1`, page(9_999)]) hand.lower(url);
    const moves = hand.rig.changelog.slice(changelog).flatMap((bytes) => {
      const record = decodeChangelog(bytes);
      return record.kind === 'commit' ? [...record.changes].filter(({ kind }) => kind === 'lower') : [];
    });
    assert.deepEqual(moves, []);
    assert.deepEqual([hand.counters.deferred, hand.counters.retrying], [deferred, retrying]);
    assert.deepEqual([deferred, retrying], [1, 1]);
  });

  it('a lowered URL is reported with its front queue', () => {
    const hand = filled();
    hand.lower(page(7), 6);
    const timeline = new UrlTimeline(host, page(7));
    for (const [offset, bytes] of hand.rig.changelog.entries()) timeline.take(offset, decodeChangelog(bytes));
    assert.deepEqual(
      timeline.lowered.map(({ frontQueue }) => frontQueue),
      [6],
    );
    assert.deepEqual(timeline.place, { in: 'frontQueue', frontQueue: 6, ahead: 299 });
  });
});

describe('repeated orders about one queue', () => {
  it('repeated orders about one queue have the same result by index as by reading it, also if a URL waits twice', () => {
    const played = (indexed: boolean) => {
      const hand = filled();
      const { indexes } = hand.rig.core.state.pull;
      if (!indexed) Object.defineProperty(indexes, 'takes', { value: () => false });
      // Forced, it waits in two places.
      hand.links(host, 5, { from: 100, priority: 6, intent: 'force' });
      const { searchesPerIndex } = pullLimits;
      for (let n = 0; n < 3 * searchesPerIndex; n++) hand.raise(page(7 * n));
      for (let n = 0; n < 30; n++) hand.lower(page(98 + 3 * n), n % 8);
      for (let n = 0; n < 30; n++) hand.raise(page(98 + 2 * n));
      hand.rig.save();
      for (let n = 0; n < 30; n++) hand.lower(page(96 + n));
      return { hand, indexes };
    };
    const [by, without] = [played(true), played(false)];
    assert.ok(by.indexes.of(by.hand.rig.core.state.hosts.get(host)!.id) !== undefined);
    assert.ok(without.indexes.isEmpty);
    assert.equal(digest(by.hand.rig.core.state), digest(without.hand.rig.core.state));
    assert.deepEqual(drained(by.hand), drained(without.hand));
    assertOneState(by.hand);
  });
});
