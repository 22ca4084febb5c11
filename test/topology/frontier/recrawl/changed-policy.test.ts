/** A policy with another `recrawl`: pages that wait are due by it (docs/policy.md, "When a change applies"). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { Outcome } from '../../../../schemas/types.ts';
import { feedSignature } from '../../../../topology/content/feed-signature.ts';
import { readChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../../../topology/frontier/changes/changes.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { saveCheckpoint } from '../../../../topology/frontier/checkpoint/save-checkpoint.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const scheduled = (more: Partial<RecrawlConfig>): Partial<PolicyConfig> => ({
  recrawl: { ...defaultRecrawl, ...more },
});
const fixed = (intervalMs: number, more: Partial<RecrawlConfig> = {}) =>
  scheduled({ schedule: 'fixed', intervalMs, ...more });
const never = fixed(hour, { rules: [{ url: '/0$', intervalMs: null }] });

/** A page that was fetched now. */
function fetched(policy: Partial<PolicyConfig>, outcome: Partial<Outcome> = {}): Hand {
  const hand = new Hand(policy);
  hand.links('a.test', 1);
  report(hand, hand.lease(), outcome);
  return hand;
}

function report(hand: Hand, task: ReturnType<Hand['lease']>, outcome: Partial<Outcome> = {}): void {
  hand.rig.send(
    'results',
    hand.resultOf(task, () => outcome),
  );
  hand.rig.step(hand.nowMs, 0);
}

/** A policy, and the step that moves pages. */
function move(hand: Hand, policy: Partial<PolicyConfig>): void {
  hand.policy(policy);
  hand.rig.step(hand.nowMs, 0);
  assert.equal(hand.rig.core.state.recrawl.retiming?.done, true);
}

/** A reader of the changelog has the state of its owner. */
function sameElsewhere({ rig }: Hand): void {
  assert.equal(digest(rig.replayed()), digest(rig.core.state));
}

/** Changes of each commit from number `from` on. */
function commitsOf({ rig }: Hand, from = 0): Change[][] {
  return rig.changelog.slice(from).map((bytes) => {
    const record = readChangelog(bytes);
    return record.kind === 'commit' ? [...record.changes] : [];
  });
}

describe('a policy with another recrawl', () => {
  for (const [words, former, next, sinceMs, afterMs] of [
    ['a shorter interval', fixed(30 * day), fixed(hour), 10 * minute, 50 * minute],
    ['a longer interval', fixed(hour), fixed(9 * day), 10 * minute, 9 * day - 10 * minute],
    [
      'a longer shortest time',
      scheduled({ schedule: 'adaptive' }),
      fixed(hour, { minMs: 3 * day }),
      hour,
      3 * day - hour,
    ],
    ['an adaptive schedule', fixed(30 * day), scheduled({ schedule: 'adaptive', maxMs: 2 * hour }), hour, hour],
    ['a price for visits', fixed(30 * day), scheduled({ schedule: 'optimal', intervalMs: 2 * hour }), hour, hour],
    ['an overlay', fixed(30 * day), { ...fixed(30 * day), ...overlaid({ intervalMs: hour }) }, minute, hour - minute],
  ] as const) {
    it(`a page that waits is due by ${words} from its last visit on`, () => {
      const hand = fetched(former);
      hand.nowMs += sinceMs;
      hand.policy(next);
      hand.grant();
      hand.leaseExactlyAfter(afterMs);
      sameElsewhere(hand);
    });
  }

  it('a page that is overdue by the new interval is due at once, and waits for its host like any other', () => {
    const hand = new Hand({ ...fixed(30 * day), urlsPerLeaseMax: 1, delayMs: minute });
    hand.links('a.test', 2);
    for (const waitMs of [0, minute]) report(hand, hand.lease(waitMs));
    hand.nowMs += 10 * day;
    hand.policy({ ...fixed(hour), urlsPerLeaseMax: 1, delayMs: minute });
    report(hand, hand.lease());
    hand.leaseExactlyAfter(minute);
    sameElsewhere(hand);
  });

  it('a rule that a policy adds moves the pages that it matches, and no other', () => {
    const hand = new Hand(fixed(30 * day));
    hand.links('a.test', 2);
    report(hand, hand.lease());
    hand.policy(fixed(30 * day, { rules: [{ url: '/1$', intervalMs: hour }] }));
    const task = hand.leaseExactlyAfter(hour);
    assert.deepEqual(
      task.urls.map(({ url }) => url),
      ['https://a.test/1'],
    );
    sameElsewhere(hand);
  });

  it('an interval that an adaptive schedule has learnt stays, within the bounds of the new policy', () => {
    const adaptive = (minMs: number, maxMs: number) => scheduled({ schedule: 'adaptive', minMs, maxMs });
    for (const [minMs, maxMs, afterMs] of [
      [hour, 20 * day, 1.5 * day * 2 ** 0.25],
      [hour, 10 * hour, 10 * hour],
      [3 * day, 20 * day, 3 * day],
    ] as const) {
      const hand = fetched(adaptive(hour, 30 * day), { contentHash: 'same' });
      report(hand, hand.leaseExactlyAfter(day), { contentHash: 'same' });
      hand.policy(adaptive(minMs, maxMs));
      hand.grant();
      hand.leaseExactlyAfter(1_000 * Math.floor(afterMs / 1_000));
    }
  });

  it('pages move to days with room for them, if the new policy limits the visits of a day', () => {
    const hand = new Hand(scheduled({ schedule: 'optimal', intervalMs: 30 * day }));
    hand.links('a.test', 4);
    report(hand, hand.lease());
    hand.policy(scheduled({ schedule: 'optimal', intervalMs: 2 * day, fetchesPerDay: 1 }));
    hand.rig.step(hand.nowMs, 0);
    assert.deepEqual(daysOf(hand), [2, 3, 4, 5]);
    sameElsewhere(hand);
  });

  it('pages of one day move to later days, but one, if a policy with the same interval limits the visits of a day', () => {
    const hand = new Hand(scheduled({ schedule: 'optimal', intervalMs: 7 * day }));
    hand.links('a.test', 4);
    report(hand, hand.lease());
    hand.policy(scheduled({ schedule: 'optimal', intervalMs: 7 * day, fetchesPerDay: 1 }));
    hand.rig.step(hand.nowMs, 0);
    assert.deepEqual(daysOf(hand), [7, 8, 9, 10]);
    sameElsewhere(hand);
  });

  it('a policy with another rule moves no other page, although no day has room for one more', () => {
    const limited = (more: Partial<RecrawlConfig>) =>
      scheduled({ schedule: 'optimal', intervalMs: 7 * day, fetchesPerDay: 1, ...more });
    const hand = new Hand(limited({}));
    hand.links('a.test', 6);
    report(hand, hand.lease());
    const commits = hand.rig.changelog.length;
    assert.deepEqual(daysOf(hand), [7, 8, 9, 10, 11, 12]);
    hand.policy(limited({ rules: [{ hosts: ['b.test'], intervalMs: hour }] }));
    hand.grant(minute);
    assert.equal(hand.rig.core.state.recrawl.retiming?.done, true);
    const kinds = commitsOf(hand, commits).flatMap((changes) => changes.map(({ kind }) => kind));
    assert.ok(!kinds.includes('due'), kinds.join(' '));
    sameElsewhere(hand);
  });
});

/** Days from now on which pages are due, in order. */
function daysOf({ rig, nowMs }: Hand): number[] {
  const { table } = rig.core.state.recrawl;
  const days = Array.from({ length: table.size }, (_, row) => Math.floor((table.at(row).dueS * 1_000 - nowMs) / day));
  return days.sort((a, b) => a - b);
}

function overlaid(recrawl: { intervalMs: number }): Partial<PolicyConfig> {
  return { overlays: [{ name: 'quick', match: { hosts: ['a.test'] }, set: { recrawl } }] };
}

describe('a policy that leaves recrawl as it was', () => {
  it('a policy that changes other fields, or the share of refresh, moves no page and reads none', () => {
    const hand = fetched(fixed(30 * day));
    hand.rig.rows.run(saveCheckpoint(hand.rig.core.state));
    const [commits, { readCount }] = [hand.rig.changelog.length, hand.rig.rows];
    hand.policy({ ...fixed(30 * day), delayMs: 9_000, maxDepth: 3 });
    hand.policy({ ...fixed(30 * day, { share: 0.1 }), delayMs: 9_000 });
    hand.grant(minute);
    const kinds = commitsOf(hand, commits).map((changes) => changes.map(({ kind }) => kind).filter(isOfPages));
    assert.deepEqual(kinds, [[], []]);
    assert.equal(hand.rig.rows.readCount, readCount);
    hand.leaseExactlyAfter(30 * day - minute);
  });

  it('a policy that comes before any page was fetched moves none', () => {
    const hand = new Hand(fixed(30 * day));
    hand.policy(fixed(hour));
    assert.deepEqual(
      commitsOf(hand)
        .flat()
        .map(({ kind }) => kind)
        .filter(isOfPages),
      [],
    );
  });
});

const isOfPages = (kind: Change['kind']) => kind === 'retime' || kind === 'due' || kind === 'price';

describe('recrawl that is switched off or on', () => {
  for (const [words, last] of [
    ['recrawl was switched off', {}],
    ['a rule ends its visits', never],
  ] as const) {
    it(`a page that waits is visited once more after ${words}`, () => {
      const hand = fetched(fixed(hour));
      hand.policy(last);
      hand.report(hand.leaseExactlyAfter(hour));
      assert.deepEqual(hand.grant(400 * day), []);
      assert.equal(hand.counters.scheduled, 0);
    });
  }

  it('a page that still waits when recrawl is switched on again is due by it', () => {
    const hand = fetched(fixed(30 * day));
    hand.policy({});
    hand.nowMs += minute;
    hand.policy(fixed(hour));
    hand.leaseExactlyAfter(hour - minute);
    sameElsewhere(hand);
  });

  for (const [words, first] of [
    ['before recrawl was switched on', {}],
    ['under a rule that ended its visits', never],
  ] as const) {
    it(`a page that was fetched ${words} is not visited again`, () => {
      const hand = fetched(first);
      hand.policy(fixed(hour));
      assert.deepEqual(hand.grant(400 * day), []);
    });
  }
});

describe('pages that wait for something else than their interval', () => {
  it('a page on lease counts by the policy in force when its result arrives', () => {
    const hand = fetched(fixed(hour));
    const task = hand.lease(hour);
    move(hand, fixed(2 * day));
    hand.report(task);
    hand.leaseExactlyAfter(2 * day);
    sameElsewhere(hand);
  });

  it('a retry stays when it is, under a shorter and a longer interval', () => {
    for (const next of [minute, 9 * day]) {
      const hand = fetched({ ...fixed(hour), retriesMs: [10 * minute] });
      hand.report(hand.lease(hour), { kind: 'serverError', status: 500 });
      move(hand, { ...fixed(next), retriesMs: [10 * minute] });
      hand.leaseExactlyAfter(10 * minute);
    }
  });

  it('a page that is due already, as after a push, stays due under a longer interval', () => {
    const hand = fetched({ ...fixed(30 * day), delayMs: minute });
    hand.linksTo(['https://a.test/0'], 0, { intent: 'refresh' });
    move(hand, { ...fixed(90 * day), delayMs: minute });
    hand.leaseExactlyAfter(minute);
  });

  for (const next of [minute, 9 * day]) {
    it(`a page with an error after its last retry waits for the interval of errors under an interval of ${next / minute} minutes`, () => {
      const waits = { errorMs: 5 * hour, freshMsMax: 0 };
      const hand = fetched({ ...fixed(hour, waits), retriesMs: [] });
      hand.report(hand.lease(hour), { kind: 'serverError', status: 500 });
      move(hand, { ...fixed(next, waits), retriesMs: [] });
      hand.leaseExactlyAfter(5 * hour);
      sameElsewhere(hand);
    });
  }

  it('a page whose leases expired three times waits for a day under a shorter interval', () => {
    const hand = fetched(fixed(hour));
    hand.nowMs += hour;
    for (let expiries = 0; expiries < frontierLimits.expiriesMax; expiries++) {
      const { deadlineMs } = hand.lease(minute);
      hand.nowMs = 1_000 * Math.ceil(deadlineMs / 1_000) + minute;
      hand.grant(0, 0);
    }
    move(hand, fixed(minute, { freshMsMax: 0 }));
    hand.leaseExactlyAfter(day);
    sameElsewhere(hand);
  });

  it('a pause that a feed asks for ends with the longest interval of the new policy', () => {
    const polls = (maxMs: number) => fixed(9 * day, { feeds: { minMs: minute, maxMs } });
    const textSignature = feedSignature(['https://a.test/new'], 6 * hour);
    for (const [maxMs, afterMs] of [
      [2 * hour, 2 * hour],
      [20 * day, 6 * hour],
    ] as const) {
      const hand = fetched(polls(day), { textSignature });
      move(hand, polls(maxMs));
      hand.leaseExactlyAfter(afterMs);
    }
  });

  for (const ms of [0, 1, 500, 999]) {
    it(`a page whose refetch was requested while it was on lease stays due if its result comes ${ms} ms after a second, in the step that moves pages`, () => {
      const hand = fetched(fixed(30 * day));
      const task = hand.lease(30 * day);
      hand.linksTo(['https://a.test/0'], 0, { intent: 'refresh' });
      hand.policy(fixed(90 * day));
      assert.equal(hand.rig.core.state.recrawl.retiming?.done, false);
      hand.nowMs += 1_000 + ms;
      hand.report(task);
      assert.equal(hand.rig.core.state.recrawl.retiming?.done, true);
      hand.lease(1_000);
      sameElsewhere(hand);
    });
  }

  it('a page whose sitemap dates a change keeps that time under a longer interval', () => {
    const hand = fetched({ ...fixed(30 * day), delayMs: minute });
    const { state } = hand.rig.core;
    const dueS = (hand.nowMs + hour) / 1_000;
    state.apply({ kind: 'due', hostKey: 'a.test', url: 'https://a.test/0', dueS, fromSitemap: true });
    move(hand, { ...fixed(90 * day), delayMs: minute });
    hand.leaseExactlyAfter(hour);
  });

  for (const [freshMsMax, afterMs] of [
    [7 * day, 5 * day],
    [2 * day, 2 * day],
    [0, hour],
  ] as const) {
    it(`a page that is fresh for five days is due after ${afterMs / hour} hours under a policy that allows ${freshMsMax / hour} of them`, () => {
      const hand = fetched(fixed(4 * day), { freshForMs: 5 * day });
      move(hand, fixed(hour, { freshMsMax }));
      hand.leaseExactlyAfter(afterMs);
    });
  }

  it('a page that a longer interval has moved is no longer taken for one that is fresh', () => {
    const hand = fetched(fixed(hour));
    move(hand, fixed(30 * day));
    hand.nowMs += minute;
    move(hand, fixed(hour));
    hand.leaseExactlyAfter(hour - minute);
    sameElsewhere(hand);
  });
});

describe('a policy that moves more pages than one step does', () => {
  const most = frontierLimits.pagesRetimedPerStep;
  const pages = 2 * most + 100;
  const policy = { ...fixed(30 * day), urlsPerLeaseMax: 500, delayMs: 100 };
  const next = (intervalMs: number) => ({ ...policy, ...fixed(intervalMs) });

  /** Pages that were fetched, and are on disk alone. */
  function many(): Hand {
    const hand = new Hand(policy);
    for (let from = 0; from < pages; from += 200) hand.links('a.test', Math.min(200, pages - from), { from });
    while (hand.counters.page < pages) report(hand, hand.lease(1_000));
    hand.rig.rows.run(saveCheckpoint(hand.rig.core.state));
    return hand;
  }

  function dueSOf({ rig }: Hand): Set<number> {
    const { table } = rig.core.state.recrawl;
    return new Set(Array.from({ length: table.end }, (_, row) => table.at(row).dueS - table.at(row).visitedS));
  }

  const isMoving = ({ rig }: Hand) => rig.core.state.recrawl.retiming?.done === false;

  function goOn(hand: Hand): void {
    for (let steps = 0; isMoving(hand); steps++) {
      assert.ok(steps < 9, 'no end');
      hand.rig.step(hand.nowMs, 0);
    }
  }

  it('each step reads and moves a bounded number of pages, each page is moved once, and all are in the end', () => {
    const hand = many();
    const before = hand.rig.changelog.length;
    hand.policy(next(hour));
    assert.equal(hand.rig.core.wakeAtMs(0), hand.nowMs);
    for (let { readCount } = hand.rig.rows; isMoving(hand); { readCount } = hand.rig.rows) {
      hand.rig.step(hand.nowMs, 0);
      assert.ok(hand.rig.rows.readCount - readCount <= most);
    }
    const moved = commitsOf(hand, before).map((changes) => changes.filter(({ kind }) => kind === 'due').length);
    assert.deepEqual(moved, [0, most, most, 100]);
    assert.deepEqual(dueSOf(hand), new Set([hour / 1_000]));
    assert.equal(hand.rig.core.wakeAtMs(0), undefined);
    sameElsewhere(hand);
  });

  it('leases are granted while pages are moved', () => {
    const hand = many();
    hand.nowMs += day;
    hand.policy(next(hour));
    hand.rig.step(hand.nowMs, 0);
    const task = hand.lease();
    assert.ok(isMoving(hand));
    report(hand, task);
    goOn(hand);
    sameElsewhere(hand);
  });

  it('a second policy moves the pages that the first one has moved, and those that it has not', () => {
    const hand = many();
    hand.policy(next(hour));
    hand.rig.step(hand.nowMs, 0);
    hand.policy(next(2 * hour));
    assert.ok(isMoving(hand));
    goOn(hand);
    assert.deepEqual(dueSOf(hand), new Set([(2 * hour) / 1_000]));
    sameElsewhere(hand);
  });

  it('a policy that leaves recrawl as it was does not stop the moves of the one before', () => {
    const hand = many();
    hand.policy(next(hour));
    hand.rig.step(hand.nowMs, 0);
    hand.policy({ ...next(hour), maxDepth: 3 });
    goOn(hand);
    assert.deepEqual(dueSOf(hand), new Set([hour / 1_000]));
    sameElsewhere(hand);
  });

  for (const [words, save] of [
    ['from an older checkpoint', false],
    ['from a checkpoint in the middle', true],
  ] as const) {
    it(`an owner that opens ${words} goes on where the one before was killed`, () => {
      const hand = many();
      hand.policy(next(hour));
      hand.rig.step(hand.nowMs, 0);
      if (save) hand.rig.rows.run(saveCheckpoint(hand.rig.core.state));
      const before = digest(hand.rig.core.state);
      hand.rig.reopen(hand.nowMs, false);
      assert.equal(digest(hand.rig.core.state), before);
      hand.rig.open(hand.nowMs);
      const opened = hand.rig.changelog.length;
      goOn(hand);
      const moved = commitsOf(hand, opened).map((changes) => changes.filter(({ kind }) => kind === 'due').length);
      assert.deepEqual(moved, [most, 100]);
      assert.deepEqual(dueSOf(hand), new Set([hour / 1_000]));
      sameElsewhere(hand);
    });
  }

  it('pages that were visited, purged or leased since they were read are not moved', () => {
    const hand = many();
    const out = hand.lease(30 * day);
    const [first, ...rest] = out.urls;
    hand.policy(next(hour));
    hand.rig.send(
      'control',
      controlOf({ kind: 'purge', hostKey: 'a.test', payload: JSON.stringify({ url: first!.url }) }),
    );
    report(hand, out);
    goOn(hand);
    const { state } = hand.rig.core;
    assert.equal(state.recrawl.isScheduled(state.fingerprintOf(first!.url)), false);
    const { table } = state.recrawl;
    for (const { url } of rest) {
      const [hi, lo] = state.fingerprintOf(url);
      assert.equal(table.at(table.find(hi!, lo!)).dueS, (hand.nowMs + hour) / 1_000);
    }
    sameElsewhere(hand);
  });
});
