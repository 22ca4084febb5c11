/** A policy that schedules visits in another way does so for all URLs that were fetched before. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const [hour, day] = [3_600_000, 86_400_000];
const settings = { delayMs: 1_000 };
const fixed = (intervalMs: number, more: Partial<RecrawlConfig> = {}) => ({
  ...settings,
  recrawl: { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs, ...more },
});

/** Pages of a host that were fetched now. */
function fetched(policy: ReturnType<typeof fixed> | typeof settings, count = 1): Hand {
  const hand = new Hand(policy);
  hand.links(a, count);
  for (let task = hand.grant(0); task.length > 0; task = hand.grant(1_000)) hand.report(task[0]!, { contentHash: 'x' });
  return hand;
}

/** The policy comes into force, and steps schedule all URLs by it. */
function switchTo(hand: Hand, policy: ReturnType<typeof fixed> | typeof settings): void {
  hand.policy(policy);
  for (let steps = 0; hand.rig.core.state.recrawl.recheckFrom !== null; steps++) {
    assert.ok(steps < 1_000);
    hand.rig.step(hand.nowMs, 0);
  }
}

function dueInMs(hand: Hand, path = '0'): number | null {
  const { state } = hand.rig.core;
  const [hi, lo] = state.fingerprintOf(`https://${a}/${path}`);
  const row = state.recrawl.table.find(hi!, lo!);
  return row < 0 ? null : 1_000 * state.recrawl.table.at(row).dueS - hand.nowMs;
}

function sameAfterReplay(hand: Hand): void {
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
}

describe('an interval that a policy changes', () => {
  it('a shorter interval of a policy counts from the last visit of each page', () => {
    const hand = fetched(fixed(30 * day));
    hand.nowMs += hour;
    switchTo(hand, fixed(3 * hour));
    assert.equal(Math.round(dueInMs(hand)! / 1_000), Math.round((2 * hour - 1_000) / 1_000));
    assert.equal(hand.lease(2 * hour).urls[0]?.url, `https://${a}/0`);
    sameAfterReplay(hand);
  });

  it('a longer interval of a policy counts from the last visit of each page', () => {
    const hand = fetched(fixed(2 * hour));
    hand.nowMs += hour;
    switchTo(hand, fixed(30 * day));
    assert.deepEqual(hand.grant(20 * day), []);
    assert.equal(hand.lease(10 * day).urls.length, 1);
    sameAfterReplay(hand);
  });

  it('a page that is due already stays due', () => {
    const hand = fetched(fixed(hour));
    hand.nowMs += 2 * hour;
    switchTo(hand, fixed(30 * day));
    hand.lease();
  });

  it('a rule of a policy moves only the visits of URLs that it matches', () => {
    const hand = fetched(fixed(day), 3);
    const rules = [{ url: '/1$', intervalMs: hour }];
    switchTo(hand, fixed(day, { rules }));
    assert.ok(dueInMs(hand, '1')! < hour);
    assert.ok(dueInMs(hand, '0')! > 23 * hour);
    sameAfterReplay(hand);
  });

  it('an adaptive schedule keeps the interval that the visits of a page have led to, within new bounds', () => {
    const adaptive = (maxMs: number) => ({
      ...settings,
      recrawl: { ...defaultRecrawl, schedule: 'adaptive' as const, maxMs },
    });
    const hand = fetched(adaptive(30 * day));
    for (let visit = 0; visit < 4; visit++) hand.report(hand.grant(20 * day)[0]!, { contentHash: 'x' });
    const longMs = dueInMs(hand)!;
    assert.ok(longMs > 3 * day, `${longMs}`);
    switchTo(hand, adaptive(2 * day));
    assert.ok(Math.abs(dueInMs(hand)! - 2 * day) < 2_000);
    switchTo(hand, adaptive(30 * day));
    assert.ok(Math.abs(dueInMs(hand)! - longMs) < 2_000);
    sameAfterReplay(hand);
  });
});

describe('a page that says how long it is fresh', () => {
  /** A page that was fetched now, and is fresh for as long. */
  function fresh(policy: ReturnType<typeof fixed> | typeof settings, freshForMs: number): Hand {
    const hand = new Hand(policy);
    hand.links(a, 1);
    const task = hand.lease();
    hand.rig.send(
      'results',
      hand.resultOf(task, () => ({ freshForMs })),
    );
    hand.rig.step(hand.nowMs, 0);
    return hand;
  }

  it('a shorter interval of a policy brings no visit before a page says that it may be fetched again', () => {
    for (const freshForMs of [20 * 60_000, 20 * hour, 2 * day]) {
      const hand = fresh(fixed(30 * day), freshForMs);
      switchTo(hand, fixed(600_000));
      assert.ok(dueInMs(hand)! >= freshForMs, `${dueInMs(hand)} < ${freshForMs}`);
      assert.ok(dueInMs(hand)! <= 6 * freshForMs);
      sameAfterReplay(hand);
    }
  });

  it('a visit that waits for the end of max-age keeps its time through changes of the interval', () => {
    const hand = fresh(fixed(hour), 2 * hour + 500);
    const dueMs = dueInMs(hand);
    assert.ok(dueMs! < 2 * hour + 2_000);
    switchTo(hand, fixed(600_000));
    assert.equal(dueInMs(hand), dueMs);
    hand.rig.save();
    hand.links('b.test', 40);
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    switchTo(hand, fixed(hour));
    assert.equal(dueInMs(hand), dueMs);
  });

  it('a policy that does not respect max-age schedules without it', () => {
    const hand = fresh(fixed(30 * day), 2 * day);
    switchTo(hand, fixed(hour, { freshMsMax: 0 }));
    assert.ok(dueInMs(hand)! <= hour);
  });

  it('revisits that are switched on later wait for the end of max-age of pages that were fetched before', () => {
    const hand = fresh(settings, 20 * hour);
    switchTo(hand, fixed(hour));
    assert.ok(dueInMs(hand)! >= 20 * hour);
    sameAfterReplay(hand);
  });
});

describe('visits of a day that a policy limits', () => {
  const optimal = (intervalMs: number, fetchesPerDay: number) =>
    fixed(intervalMs, { schedule: 'optimal', fetchesPerDay });
  const daysOf = (hand: Hand, count: number) => {
    const days = new Map<number, number>();
    for (let n = 0; n < count; n++) {
      const on = Math.floor((hand.nowMs + dueInMs(hand, `${n}`)!) / day);
      days.set(on, (days.get(on) ?? 0) + 1);
    }
    return [...days].sort(([a], [b]) => a - b);
  };

  it('visits of pages that were fetched long before are spread over days from now on', () => {
    const hand = fetched(settings, 6);
    hand.nowMs += 100 * day;
    switchTo(hand, optimal(2 * day, 2));
    const today = Math.floor(hand.nowMs / day);
    assert.deepEqual(daysOf(hand, 6), [
      [today, 2],
      [today + 1, 2],
      [today + 2, 2],
    ]);
    sameAfterReplay(hand);
  });

  it('a page keeps its day, if the policy changes something else, however full the day is', () => {
    const hand = fetched(optimal(2 * day, 2), 6);
    const before = daysOf(hand, 6);
    assert.deepEqual(
      before.map(([, urls]) => urls),
      [2, 2, 2],
    );
    const dueMs = Array.from({ length: 6 }, (_, n) => dueInMs(hand, `${n}`));
    switchTo(hand, fixed(2 * day, { schedule: 'optimal', fetchesPerDay: 2, freshMsMax: day }));
    assert.deepEqual(
      Array.from({ length: 6 }, (_, n) => dueInMs(hand, `${n}`)),
      dueMs,
    );
    switchTo(hand, optimal(2 * day, 1));
    assert.deepEqual(
      daysOf(hand, 6).map(([, urls]) => urls),
      [1, 1, 1, 1, 1, 1],
    );
    sameAfterReplay(hand);
  });
});

describe('revisits that a policy switches', () => {
  it('revisits that are switched on later include pages that were fetched before, by the time of that fetch', () => {
    const hand = fetched(settings, 3);
    assert.equal(hand.counters.scheduled, 0);
    hand.nowMs += hour;
    switchTo(hand, fixed(3 * hour));
    assert.equal(hand.counters.scheduled, 3);
    assert.equal(hand.counters.page, 3);
    const task = hand.lease(2 * hour);
    assert.equal(task.urls.length, 3);
    hand.report(task, { contentHash: 'y' });
    assert.deepEqual([hand.counters.page, hand.counters.revisits, hand.counters.changesFound], [3, 3, 3]);
    sameAfterReplay(hand);
  });

  it('revisits that are switched off leave no page in the schedule, and on again all of them', () => {
    const hand = fetched(fixed(hour), 3);
    switchTo(hand, settings);
    assert.equal(hand.counters.scheduled, 0);
    assert.deepEqual(hand.grant(400 * day), []);
    sameAfterReplay(hand);
    switchTo(hand, fixed(hour));
    assert.equal(hand.counters.scheduled, 3);
    hand.lease();
    sameAfterReplay(hand);
  });

  it('revisits that are switched on later skip URLs that were given up or purged', () => {
    const hand = fetched(settings, 2);
    hand.rig.send('control', purgeOf(`https://${a}/1`));
    hand.rig.step(hand.nowMs, 0);
    switchTo(hand, fixed(hour));
    assert.deepEqual([dueInMs(hand, '0') !== null, dueInMs(hand, '1')], [true, null]);
    sameAfterReplay(hand);
  });

  it('revisits of many pages are scheduled in several steps, from the checkpoint and from memory, and over a restart', () => {
    const count = 3 * frontierLimits.rechecksPerStep;
    const hand = fetched(settings, count / 2);
    hand.rig.save();
    for (let n = 0; n < 200 && hand.rig.isSaving; n++) {
      hand.links('other.test', 1, { from: n });
      hand.rig.step(hand.nowMs, 0);
    }
    assert.ok(!hand.rig.isSaving);
    hand.links(a, count / 2, { from: count / 2 });
    for (let task = hand.grant(1_000, 9); task.length > 0; task = hand.grant(1_000, 9))
      for (const one of task) hand.report(one, { contentHash: 'x' });
    hand.policy(fixed(30 * day));
    hand.rig.step(hand.nowMs, 0);
    assert.ok(hand.rig.core.state.recrawl.recheckFrom! > 0);
    assert.ok(hand.counters.scheduled > 0, 'a crawl that is not all scheduled does not end');
    hand.rig.reopen(hand.nowMs, true);
    hand.rig.open(hand.nowMs);
    while (hand.rig.core.state.recrawl.recheckFrom !== null) hand.rig.step(hand.nowMs, 0);
    assert.equal(hand.counters.scheduled, hand.counters.page);
    assert.ok(hand.counters.page >= count);
    sameAfterReplay(hand);
  });
});

describe('a policy for more pages than one step schedules', () => {
  it('leases are granted and results taken while pages are scheduled', () => {
    const count = 4 * frontierLimits.rechecksPerStep;
    const hand = fetched(settings, count);
    hand.links('b.test', 3);
    hand.policy(fixed(30 * day));
    hand.report(hand.lease());
    assert.notEqual(hand.rig.core.state.recrawl.recheckFrom, null);
    assert.equal(hand.counters.page, count + 3);
  });

  it('a step schedules fewer pages if their URLs are long, so that its commit stays small', () => {
    const hand = new Hand(settings);
    const urls = Array.from({ length: 500 }, (_, n) => `https://${a}/${'x'.repeat(1_900)}${n}`);
    for (let n = 0; n < urls.length; n += 50) hand.linksTo(urls.slice(n, n + 50));
    for (let task = hand.grant(0); task.length > 0; task = hand.grant(1_000)) hand.report(task[0]!);
    const before = hand.rig.changelog.length;
    switchTo(hand, fixed(30 * day));
    assert.equal(hand.counters.scheduled, urls.length);
    const longest = Math.max(...hand.rig.changelog.slice(before).map(({ length }) => length));
    assert.ok(longest < frontierLimits.commitBytesSoft, `${longest} bytes`);
    sameAfterReplay(hand);
  });
});

const purgeOf = (url: string) => controlOf({ kind: 'purge', hostKey: a, payload: JSON.stringify({ url }) });
