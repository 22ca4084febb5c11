/** A policy with other intervals moves the visits that wait, without reading a page. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import { controlOf } from '../../../../lab/model/model-script.ts';
import type { UrlEvent } from '../../../../topology/frontier/ask/url-events.ts';
import { UrlTimeline } from '../../../../topology/frontier/ask/url-timeline.ts';
import { type Claim, type Commit, readChangelog } from '../../../../topology/frontier/changes/changelog.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { defaultRecrawl, type RecrawlConfig } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const [hour, day] = [3_600_000, 86_400_000];
const withRecrawl = (more: Partial<RecrawlConfig>) => ({ delayMs: 1_000, recrawl: { ...defaultRecrawl, ...more } });
const fixed = (intervalMs: number, more: Partial<RecrawlConfig> = {}) =>
  withRecrawl({ schedule: 'fixed', intervalMs, ...more });

/** Pages of a host that were fetched now. */
function fetched(policy: ReturnType<typeof fixed>, count = 1): Hand {
  const hand = new Hand(policy);
  hand.links(a, count);
  for (let task = hand.grant(0); task.length > 0; task = hand.grant(1_000)) hand.report(task[0]!, { contentHash: 'x' });
  return hand;
}

function dueInS(hand: Hand, path = '0'): number {
  const { state } = hand.rig.core;
  const [hi, lo] = state.fingerprintOf(`https://${a}/${path}`);
  return state.recrawl.table.at(state.recrawl.table.find(hi!, lo!)).dueS - Math.ceil(hand.nowMs / 1_000);
}

const isNear = (actualS: number, ms: number, offS = 3) =>
  assert.ok(Math.abs(actualS - ms / 1_000) <= offS, `${actualS} s`);

function sameAfterReplay(hand: Hand): void {
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
}

describe('an interval that a policy changes', () => {
  it('a shorter and a longer interval count from the last visit of each page', () => {
    const hand = fetched(fixed(30 * day));
    hand.nowMs += hour;
    hand.policy(fixed(3 * hour));
    isNear(dueInS(hand), 2 * hour);
    hand.policy(fixed(10 * day));
    isNear(dueInS(hand), 10 * day - hour);
    hand.rig.save();
    hand.rig.reopen(hand.nowMs, false);
    hand.rig.open(hand.nowMs);
    hand.policy(fixed(3 * hour));
    assert.deepEqual(hand.grant(2 * hour - 4_000), []);
    hand.lease(4_000);
    sameAfterReplay(hand);
  });

  it('a page that is due stays due, and one on lease counts from its visit', () => {
    const hand = fetched(fixed(hour));
    hand.nowMs += 2 * hour;
    hand.policy(fixed(30 * day));
    const task = hand.lease();
    hand.policy(fixed(2 * hour));
    hand.report(task);
    isNear(dueInS(hand), 2 * hour);
    sameAfterReplay(hand);
  });

  it('pages that are overdue under a shorter interval are spread over one interval from now on', () => {
    const hand = fetched(fixed(30 * day), 64);
    hand.nowMs += 10 * day;
    hand.policy(fixed(hour));
    const dues = Array.from({ length: 64 }, (_, n) => dueInS(hand, `${n}`));
    assert.ok(
      dues.every((dueS) => dueS > 0 && dueS <= 3_601),
      `${dues}`,
    );
    const quarters = new Set(dues.map((dueS) => Math.floor(dueS / 901)));
    assert.ok(quarters.size >= 3, `${[...quarters]}`);
    sameAfterReplay(hand);
  });

  it('a rule moves only pages with waits of its own interval', () => {
    const rules = (often: number, seldom: number) => [
      { url: '/1$', intervalMs: often },
      { url: '/2$', intervalMs: seldom },
    ];
    const hand = fetched(fixed(7 * day, { rules: rules(day, 100 * day) }), 3);
    hand.policy(fixed(7 * day, { rules: rules(hour, 100 * day) }));
    isNear(dueInS(hand, '1'), hour);
    isNear(dueInS(hand, '0'), 7 * day);
    isNear(dueInS(hand, '2'), 100 * day);
    hand.policy(fixed(2 * day, { rules: rules(hour, 100 * day) }));
    isNear(dueInS(hand, '1'), hour);
    isNear(dueInS(hand, '0'), 2 * day);
    isNear(dueInS(hand, '2'), 100 * day);
    sameAfterReplay(hand);
  });

  it('a wait within new bounds of an adaptive schedule stays, and a longer one ends with them', () => {
    const adaptive = (maxMs: number) => withRecrawl({ schedule: 'adaptive', maxMs });
    const hand = fetched(adaptive(30 * day));
    for (let visit = 0; visit < 4; visit++) hand.report(hand.grant(20 * day)[0]!, { contentHash: 'x' });
    const longS = dueInS(hand);
    assert.ok(longS > (3 * day) / 1_000, `${longS}`);
    hand.policy(adaptive(20 * day));
    assert.equal(dueInS(hand), longS);
    hand.policy(adaptive(2 * day));
    isNear(dueInS(hand), 2 * day);
    sameAfterReplay(hand);
  });

  it('waits of a schedule with a price follow the visits a day', () => {
    const optimal = (intervalMs: number) => withRecrawl({ schedule: 'optimal', intervalMs });
    const hand = fetched(optimal(8 * day));
    isNear(dueInS(hand), 8 * day);
    hand.policy(optimal(2 * day));
    isNear(dueInS(hand), 2 * day);
    hand.policy(optimal(4 * day));
    isNear(dueInS(hand), 4 * day);
    sameAfterReplay(hand);
  });

  it('a change of anything else in `recrawl` moves no visit', () => {
    const hand = fetched(withRecrawl({ schedule: 'optimal' }), 4);
    const before = hand.rig.changelog.length;
    const dues = () => Array.from({ length: 4 }, (_, n) => dueInS(hand, `${n}`));
    const were = dues();
    hand.policy(withRecrawl({ schedule: 'optimal', errorMs: hour, share: 0.7, freshMsMax: 0, goneMs: null }));
    assert.deepEqual(dues(), were);
    assert.ok(hand.rig.changelog.slice(before).join('').length < 8_000);
  });
});

it('the history of a URL has the time to which a policy moved its visit', () => {
  const hand = fetched(fixed(30 * day), 3);
  hand.nowMs += hour;
  hand.policy(fixed(3 * hour));
  const events: UrlEvent[] = [];
  const timeline = new UrlTimeline(a, `https://${a}/1`, (event) => events.push(event));
  for (const [offset, bytes] of hand.rig.changelog.entries())
    timeline.take(offset, readChangelog(bytes) as Claim | Commit);
  const dueAtMs = hand.nowMs + 1_000 * dueInS(hand, '1');
  assert.deepEqual(timeline.place, { in: 'schedule', status: 'page', dueAtMs });
  const last = events.at(-1)!;
  assert.deepEqual([last.kind, 'dueAtMs' in last && last.dueAtMs], ['due', dueAtMs]);
});

describe('visits that an interval has not set', () => {
  it('a page that failed until its retries were used up is not due at once with all such pages', () => {
    const retriesMs = [1_000];
    const policy = (intervalMs: number) => ({ ...fixed(intervalMs), retriesMs });
    const hand = new Hand(policy(day));
    hand.links(a, 1);
    hand.report(hand.lease(), { contentHash: 'x' });
    for (const waitMs of [day + 2_000, 5_000]) hand.report(hand.grant(waitMs)[0]!, { kind: 'timeout', status: 0 });
    const dueS = dueInS(hand);
    assert.ok(dueS > (23 * hour) / 1_000, `${dueS}`);
    hand.nowMs += 4 * hour;
    hand.policy(policy(20 * hour));
    isNear(dueInS(hand), 1_000 * dueS - 4 * hour);
    sameAfterReplay(hand);
  });

  it('a visit that waits for the end of max-age, later than its interval, keeps its time', () => {
    const hand = new Hand(fixed(hour));
    hand.links(a, 1);
    hand.rig.send(
      'results',
      hand.resultOf(hand.lease(), () => ({ freshForMs: 2 * day })),
    );
    hand.rig.step(hand.nowMs, 0);
    const dueS = dueInS(hand);
    hand.policy(fixed(600_000));
    assert.equal(dueInS(hand), dueS);
  });

  it('a page that a sitemap reports keeps its time, and so does a host after a purge', () => {
    const hand = fetched(fixed(10 * day), 2);
    hand.rig.send('control', controlOf({ kind: 'purge', hostKey: a }));
    hand.rig.step(hand.nowMs, 0);
    hand.policy(fixed(hour));
    assert.equal(hand.counters.scheduled, 0);
    sameAfterReplay(hand);
  });
});

describe('visits of a day that a policy limits', () => {
  const limited = (fetchesPerDay: number) =>
    withRecrawl({ schedule: 'optimal', intervalMs: day, minMs: hour, fetchesPerDay });
  const perDay = (hand: Hand) => {
    const days = new Map<number, number>();
    for (let n = 0; n < 40; n++) {
      const on = Math.floor((hand.nowMs / 1_000 + dueInS(hand, `${n}`)) / 86_400);
      days.set(on, (days.get(on) ?? 0) + 1);
    }
    return days;
  };

  it('more visits a day bring the pages forward that had to wait for a day with room', () => {
    const hand = fetched(limited(2), 40);
    const before = perDay(hand);
    assert.equal(Math.max(...before.values()), 2);
    hand.policy(limited(8));
    const days = perDay(hand);
    assert.ok(days.size <= before.size / 3, `${days.size} of ${before.size} days`);
    assert.ok(Math.max(...days.values()) <= 9, `${[...days.values()]}`);
    sameAfterReplay(hand);
  });

  it('fewer visits a day count from the next visit of each page', () => {
    const hand = fetched(limited(8), 40);
    const before = [...perDay(hand)];
    hand.policy(limited(2));
    assert.deepEqual([...perDay(hand)], before);
  });
});

it('visits of more pages than one step moves take several commits, over a restart, and a change names no page', () => {
  const hosts = 5;
  const hand = new Hand(fixed(30 * day));
  for (let n = 0; n < hosts; n++) hand.links(`h${n}.test`, 1);
  for (const task of hand.grant(0, hosts)) hand.report(task);
  const { state } = hand.rig.core;
  const [first] = [...state.recrawl.pages.values()];
  const loOf = (n: number, page: number) => Math.imul(hosts * page + n, 2_654_435_761) >>> 0;
  for (let n = 0; n < hosts; n++)
    for (let page = 0; page < frontierLimits.visitsMovedPerStep / 2; page++)
      state.recrawl.put(n, loOf(n, page), state.hosts.get(`h${n}.test`)!.id, first!, hand.nowMs + 30 * day);
  const before = hand.rig.changelog.length;
  hand.policy(fixed(10 * day));
  const { table } = state.recrawl;
  const movedOf = (n: number) => table.at(table.find(n, loOf(n, 1))).dueS < (hand.nowMs + 11 * day) / 1_000;
  assert.deepEqual([movedOf(0), movedOf(1), movedOf(2)], [true, true, false]);
  for (let steps = 0; steps < 3; steps++) hand.rig.step(hand.nowMs, 0);
  assert.ok(movedOf(hosts - 1));
  assert.ok(hand.rig.changelog.slice(before).every(({ length }) => length < 4_000));
});
