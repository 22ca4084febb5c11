/** When a host's sitemaps are read: rounds of them, with a lease of URLs or on one of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hand } from '../../../../lab/model/hand.ts';
import type { HostFacts, Result, Task } from '../../../../schemas/types.ts';
import { digest } from '../../../../topology/frontier/check/digest.ts';
import { leaseMs } from '../../../../topology/frontier/decide/politeness.ts';
import { frontierLimits } from '../../../../topology/frontier/frontier-limits.ts';
import { defaultBudget } from '../../../../topology/policy/budget.ts';
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { defaultRecrawl } from '../../../../topology/policy/recrawl/recrawl-config.ts';

const a = 'a.test';
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const own = `https://${a}/own.xml`;
const yearly = { ...defaultRecrawl, schedule: 'fixed' as const, intervalMs: 365 * day };

function reading(policy: Partial<PolicyConfig> = {}, urls: readonly string[] = [own]): Hand {
  return new Hand({ delayMs: 1_000, recrawl: yearly, sitemaps: { everyMs: day, rules: [{ urls }] }, ...policy });
}

/** As the policy's sender says it. */
function named(hand: Hand, amount = 1): void {
  hand.event('readSitemaps', a, amount);
}

/** A lease is over, of which the fetcher says `host`; `read`: sitemaps it asked for. */
function report(hand: Hand, task: Task, host: Partial<HostFacts>, read = 1): void {
  const result = hand.resultOf(task, () => ({}));
  const asked = Array.from({ length: read }, () => ({ ...sitemapRequest, startMs: hand.nowMs, endMs: hand.nowMs }));
  const reported = { ...result, requests: [...result.requests, ...asked], host: { ...result.host, ...host } };
  hand.rig.send('results', reported as Result);
  hand.rig.step(hand.nowMs, 0);
}

const sitemapRequest = {
  ...{ url: own, kind: 'sitemap', outcomeIndex: -1, hop: 0, connectMs: 0, firstByteMs: 0, status: 200 },
  ...{ address: '', bytes: 9, delayMs: 0, robotsHash: '' },
};
const done = ({ sitemaps }: Task) => ({ sitemapsSinceMs: sitemaps.sinceMs, sitemapsLeft: 0 });
const robots = (hand: Hand, sitemaps: readonly string[] = []) =>
  ({ robotsStatus: 'rules', robotsFetchedAtMs: hand.nowMs, sitemaps }) as const;

describe('sitemaps that the policy names by URL', () => {
  it('sitemaps that the policy names by URL are read on their own lease, even if nothing else leads to their host, and again when due', () => {
    const hand = reading();
    named(hand);
    const task = hand.lease();
    assert.deepEqual([task.hostKey, task.urls], [a, []]);
    assert.deepEqual([task.sitemaps.origin, task.sitemaps.urls], [`https://${a}`, [own]]);
    assert.equal(task.sitemaps.sinceMs, hand.nowMs);
    report(hand, task, done(task));
    const again = hand.leaseExactlyAfter(day);
    assert.equal(again.sitemaps.sinceMs, hand.nowMs);
    assert.equal(hand.counters.leased, 0);
    assert.equal(hand.counters.quotaSpent, 0);
  });

  it('sitemaps that the policy names by URL get a lease with time for robots.txt and as many as fetchers read with one', () => {
    const hand = reading();
    named(hand);
    const { deadlineMs } = hand.lease();
    const { facts } = hand.rig.core.state.hosts.get(a)!;
    const requests = 1 + frontierLimits.sitemapsPerLeaseMax;
    assert.equal(deadlineMs - hand.nowMs, leaseMs(hand.rig.core.policy!.config, facts, requests));
  });

  it('sitemaps that the policy names by URL continue at the host’s pace, for the same round, until none is left', () => {
    const hand = reading();
    named(hand);
    const first = hand.lease();
    report(hand, first, { ...done(first), sitemapsLeft: 3 });
    const second = hand.leaseExactlyAfter(1_000);
    assert.equal(second.sitemaps.sinceMs, first.sitemaps.sinceMs);
    report(hand, second, done(second));
    hand.leaseExactlyAfter(day);
  });

  it('sitemaps that the policy names by URL are read once if nothing is refetched, and the crawl waits for that', () => {
    const hand = reading({ recrawl: undefined });
    named(hand);
    assert.equal(hand.counters.scheduled, 1);
    const task = hand.lease();
    report(hand, task, done(task));
    assert.equal(hand.counters.scheduled, 0);
    assert.deepEqual(hand.grant(400 * day), []);
  });

  it('sitemaps that the policy names by URL are retried after the retry delays, and then left for the next round', () => {
    const hand = reading({ retriesMs: [5_000, 2 * hour] });
    named(hand);
    report(hand, hand.lease(), {}, 0);
    report(hand, hand.leaseExactlyAfter(5_000), {}, 0);
    report(hand, hand.leaseExactlyAfter(2 * hour), {}, 0);
    hand.leaseExactlyAfter(day);
  });

  it('sitemaps that the policy names by URL do not kill fetchers endlessly', () => {
    const hand = reading({ retriesMs: [5_000] });
    named(hand);
    let leases = 0;
    for (let waited = 0; waited < 20 * hour; waited += 10 * minute) leases += hand.grant(10 * minute).length;
    assert.equal(leases, 2);
  });

  it('sitemaps that no policy names any more are dropped once their lease has expired', () => {
    const hand = reading({ retriesMs: [] });
    named(hand);
    hand.lease();
    hand.policy({ recrawl: yearly, retriesMs: [] });
    assert.deepEqual(hand.grant(20 * hour), []);
    assert.deepEqual(hand.grant(400 * day), []);
  });

  it('sitemaps named while a lease of the host is out are read with the next lease', () => {
    const hand = reading({ retriesMs: [hour], urlsPerLeaseMax: 1 });
    hand.links(a, 1);
    const task = hand.lease();
    named(hand);
    report(hand, task, {}, 0);
    assert.ok(hand.leaseExactlyAfter(1_000).sitemaps.sinceMs > 0);
  });

  it('sitemaps that the policy names by URL stay due even if a lease of URLs has expired meanwhile', () => {
    const hand = reading();
    named(hand);
    const first = hand.lease();
    report(hand, first, done(first));
    const dueAtMs = hand.nowMs + day;
    hand.links(a, 1);
    const { deadlineMs } = hand.lease(1_000);
    hand.grant(deadlineMs + minute - hand.nowMs, 0);
    assert.equal(hand.counters.leases, 0);
    report(hand, hand.lease(minute), {}, 0);
    hand.leaseExactlyAfter(dueAtMs - hand.nowMs);
  });

  it('sitemaps that the policy names by URL are read again under a policy with revisits after one without', () => {
    const hand = reading({ recrawl: undefined });
    named(hand);
    const task = hand.lease();
    report(hand, task, done(task));
    hand.links(a, 1);
    report(hand, hand.lease(1_000), robots(hand), 0);
    assert.deepEqual(hand.grant(day), []);
    hand.policy({ delayMs: 1_000, recrawl: yearly, sitemaps: { everyMs: day, rules: [{ urls: [own] }] } });
    hand.links(a, 1, { from: 1 });
    report(hand, hand.lease(1_000), robots(hand), 0);
    assert.deepEqual(hand.leaseExactlyAfter(1_000).sitemaps.urls, [own]);
  });

  it('sitemaps that the policy names by URL end with that policy', () => {
    const hand = reading();
    named(hand);
    hand.policy({ delayMs: 1_000, recrawl: yearly });
    assert.deepEqual(hand.grant(day), []);
    assert.equal(hand.counters.scheduled, 0);
    hand.links(a, 1);
    assert.equal(hand.lease().sitemaps.sinceMs, -1);
  });

  it('sitemaps that the policy names by URL belong to no host without such a policy', () => {
    const without = new Hand({ delayMs: 1_000, recrawl: yearly });
    named(without);
    const nobody = reading();
    nobody.event('readSitemaps', '', 1);
    for (const { counters, rig } of [without, nobody]) {
      assert.equal(counters.scheduled, 0);
      assert.equal(rig.core.state.hosts.size, 0);
    }
  });

  for (const rounds of ['no rounds', 'rounds elsewhere', 'rounds later'] as const) {
    it(`sitemaps give a host no lease if another has just spent its budget: ${rounds}`, () => {
      const budget = { ...defaultBudget, base: 2, perSource: 0, refillMs: hour };
      const hand = reading({ budget, sitemaps: { everyMs: 30 * day, rules: [{ urls: [own] }] } });
      const hosts = ['v.d.test', 'w.d.test', 'x.d.test'];
      const first = { 'no rounds': [], 'rounds elsewhere': [a], 'rounds later': hosts }[rounds];
      for (const host of first) {
        hand.event('readSitemaps', host, 1);
        const task = hand.lease(minute);
        report(hand, task, done(task));
      }
      for (const host of hosts) hand.links(host, 3);
      assert.equal(hand.counters.deferred, 7);
      const grants = [[minute, 2], ...[2, 2, 2, 1].map((urls) => [hour, urls] as const)] as const;
      for (const [afterMs, urls] of grants) {
        const tasks = hand.grant(afterMs, 5);
        assert.deepEqual([tasks.length > 0, tasks.every((task) => task.urls.length > 0)], [true, true]);
        assert.equal(
          tasks.reduce((sum, task) => sum + task.urls.length, 0),
          urls,
        );
        for (const task of tasks) report(hand, task, {}, 0);
      }
    });
  }
});

describe('sitemaps that the policy names by path', () => {
  it('sitemaps that the policy names by path are read on each host of their rule once it has answered', () => {
    const sitemaps = { everyMs: day, rules: [{ hosts: [a], urls: ['/sitemap.xml'] }] };
    const hand = reading({ sitemaps });
    hand.links(`www.${a}`, 1);
    const first = hand.lease();
    assert.equal(first.sitemaps.sinceMs, -1, 'as any host');
    report(hand, first, robots(hand), 0);
    const { sitemaps: round } = hand.leaseExactlyAfter(1_000);
    assert.deepEqual(round.urls, [`https://www.${a}/sitemap.xml`]);
    hand.links('b.test', 1);
    const other = hand.lease(1_000);
    report(hand, other, robots(hand), 0);
    assert.deepEqual(hand.grant(5_000), []);
  });

  it('sitemaps that the policy names by path are read with a lease of URLs', () => {
    const hand = reading({ urlsPerLeaseMax: 1 }, ['/s.xml']);
    hand.links(a, 2);
    report(hand, hand.lease(), robots(hand), 0);
    const task = hand.leaseExactlyAfter(1_000);
    assert.deepEqual([task.urls.length, task.sitemaps.urls], [1, [`https://${a}/s.xml`]]);
    report(hand, task, done(task));
    hand.links(a, 1, { from: 2 });
    assert.deepEqual(hand.lease(1_000).sitemaps, { sinceMs: 0, origin: '', urls: [] });
  });
});

describe('sitemaps that robots.txt names', () => {
  it('sitemaps that robots.txt names were read with the lease that read it, and are read again when due', () => {
    const hand = reading({}, ['https://b.test/s.xml']);
    hand.links(a, 1);
    report(hand, hand.lease(), robots(hand, [own]), 0);
    const task = hand.leaseExactlyAfter(day);
    assert.deepEqual([task.urls, task.sitemaps.urls, task.sitemaps.origin], [[], [], `https://${a}`]);
  });

  for (const [revisits, more] of Object.entries({ 'without revisits': {}, 'with revisits': { recrawl: yearly } }))
    it(`sitemaps that robots.txt names, and that a lease left, get leases of their own: ${revisits}`, () => {
      const hand = new Hand({ delayMs: 1_000, ...more });
      const before = hand.counters.scheduled;
      hand.links(a, 1);
      report(hand, hand.lease(), { ...robots(hand, [own]), sitemapsLeft: 2 });
      for (const sitemapsLeft of [1, 0]) {
        assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
        const next = hand.leaseExactlyAfter(1_000);
        assert.deepEqual([next.urls, next.sitemaps], [[], { sinceMs: 1, origin: `https://${a}`, urls: [] }]);
        report(hand, next, { ...done(next), sitemapsLeft });
      }
      assert.deepEqual(hand.grant(29 * day), []);
      if (revisits === 'without revisits') assert.equal(hand.counters.scheduled, before);
      hand.links(a, 1, { from: 1 });
      assert.equal(hand.lease(1_000).sitemaps.sinceMs, -1, 'as any host');
    });

  it('sitemaps that a lease left are given up after the retry delays if no lease can read them', () => {
    const hand = new Hand({ delayMs: 1_000, retriesMs: [5_000] });
    hand.links(a, 1);
    report(hand, hand.lease(), { ...robots(hand, [own]), sitemapsLeft: 1 });
    report(hand, hand.leaseExactlyAfter(1_000), { sitemapsSinceMs: 1, sitemapsLeft: 1 }, 0);
    report(hand, hand.leaseExactlyAfter(5_000), { sitemapsSinceMs: 1, sitemapsLeft: 1 }, 0);
    assert.deepEqual(hand.grant(29 * day), []);
    assert.equal(hand.counters.scheduled, 0);
  });

  it('sitemaps that robots.txt names need no rounds if the policy has none', () => {
    const hand = new Hand({ delayMs: 1_000, recrawl: yearly });
    hand.links(a, 1);
    report(hand, hand.lease(), robots(hand, [own]), 0);
    assert.deepEqual(hand.grant(29 * day), []);
  });
});

it('a restart keeps when sitemaps are due, whatever was under way', () => {
  const hand = reading();
  named(hand, 0);
  hand.links(a, 3);
  const same = () => {
    const before = digest(hand.rig.core.state);
    assert.equal(digest(hand.rig.replayed()), before);
    hand.rig.save();
    hand.rig.reopen(hand.nowMs, false);
    assert.equal(digest(hand.rig.core.state), before);
  };
  same();
  const task = hand.lease();
  assert.ok(task.sitemaps.origin.startsWith('http:'));
  same();
  report(hand, task, { ...done(task), sitemapsLeft: 2 });
  same();
  const next = hand.lease(5_000);
  report(hand, next, done(next));
  same();
  assert.deepEqual(hand.grant(day - minute), []);
  hand.lease(2 * minute);
});

it('sitemaps that the policy names do not keep a crawl from ending whose host is blocked, and are read later', () => {
  const hand = reading({ recrawl: undefined });
  named(hand);
  hand.event('blockHost', a);
  assert.equal(hand.counters.scheduled, 0);
  hand.event('releaseHost', a);
  const task = hand.lease(1_000);
  assert.deepEqual(task.sitemaps.urls, [own]);
  report(hand, task, done(task));
  assert.equal(hand.counters.scheduled, 0);
});

it('sitemaps that the policy names do not keep a crawl from ending whose host has reached its limit', () => {
  const hand = reading({ recrawl: undefined, pagesPerHostMax: 1 });
  hand.links(a, 1);
  const task = hand.lease();
  named(hand);
  report(hand, task, robots(hand), 0);
  assert.deepEqual(hand.grant(hour), []);
  assert.equal(hand.counters.scheduled, 0);
});

it('sitemaps that the policy names do not keep a crawl from ending whose host is dead', () => {
  const hand = reading({ recrawl: undefined, retriesMs: [1_000] });
  hand.links(a, 1);
  const task = hand.lease();
  named(hand);
  for (let next: Task | undefined = task; next !== undefined; next = hand.grant(hour)[0])
    hand.report(next, { kind: 'connectionFailed' });
  assert.ok(hand.rig.core.state.hosts.get(a)!.facts.deadUntilMs > 0);
  assert.equal(hand.counters.scheduled, 0);
});

it('an order about a host does not bring back sitemaps that have been read', () => {
  const hand = reading({ recrawl: undefined });
  named(hand);
  const task = hand.lease();
  report(hand, task, done(task));
  hand.event('hostDelay', a, 500);
  hand.event('blockHost', a);
  hand.event('releaseHost', a);
  assert.deepEqual(hand.grant(hour), []);
});

it('another interval between reads of sitemaps counts from the last read of each host', () => {
  const hand = reading();
  named(hand);
  const task = hand.lease();
  report(hand, task, done(task));
  assert.deepEqual(hand.grant(hour), []);
  hand.policy({
    delayMs: 1_000,
    recrawl: yearly,
    sitemaps: { everyMs: 2 * hour, rules: [{ urls: [own] }] },
  });
  const again = hand.leaseExactlyAfter(hour);
  report(hand, again, done(again));
  hand.leaseExactlyAfter(2 * hour);
  assert.equal(digest(hand.rig.replayed()), digest(hand.rig.core.state));
});

it('reads of sitemaps that are overdue under a shorter interval are spread over one interval from the change on', () => {
  const hand = reading();
  const { state } = hand.rig.core;
  const nowS = Math.floor(hand.nowMs / 1_000);
  const day = 24 * hour;
  const sitemaps = (everyMs: number) => ({
    delayMs: 1_000,
    recrawl: yearly,
    sitemaps: { everyMs, rules: [{ urls: [own] }] },
  });
  hand.policy(sitemaps(7 * day));
  for (let n = 0; n < 64; n++) {
    state.getOrCreate(`h${n}.test`);
    const dueS = nowS + (5 * day) / 1_000;
    state.apply({ kind: 'sitemaps', hostKey: `h${n}.test`, round: { dueS, sinceS: dueS, tries: 0, secure: true } });
  }
  hand.policy(sitemaps(hour));
  const dues = Array.from(
    { length: 64 },
    (_, n) => state.recrawl.sitemaps.of(state.hosts.get(`h${n}.test`)!.id)!.dueS - nowS,
  );
  assert.ok(
    dues.every((dueS) => dueS > 0 && dueS <= hour / 1_000 + 1),
    `${dues}`,
  );
  assert.equal(new Set(dues.map((dueS) => Math.floor((4 * dueS) / (hour / 1_000 + 2)))).size, 4);
});
