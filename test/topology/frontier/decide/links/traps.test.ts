import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer } from '../../../../../lab/simulation/driver.ts';
import { TopologyDriver } from '../../../../../lab/simulation/driver.ts';
import { digest } from '../../../../../topology/frontier/check/digest.ts';
import { defaultTraps } from '../../../../../topology/policy/traps/trap-config.ts';

const site = 'https://a.test';
const policy = { traps: defaultTraps, delayMs: 0 };

/** Twenty pages, and a calendar of so many months behind the first. */
function calendarSite(months: number): (url: string) => Answer {
  return (url) => {
    const [, year, month] = /\/cal\/(\d+)\/(\d+)$/.exec(url) ?? [];
    if (year === undefined)
      return { kind: 'fetched', links: [...Array.from({ length: 20 }, (_, n) => `${site}/page${n}`), monthUrl(0)] };
    const at = (Number(year) - 2026) * 12 + Number(month) - 1;
    return { kind: 'fetched', links: at + 1 < months ? [monthUrl(at + 1), `${site}/`] : [`${site}/`] };
  };
}

function monthUrl(at: number): string {
  return `${site}/cal/${2026 + Math.floor(at / 12)}/${String((at % 12) + 1).padStart(2, '0')}`;
}

function fetchedMonths({ requests }: TopologyDriver): number {
  return requests.filter(({ url }) => url.includes('/cal/')).length;
}

describe('a trap', () => {
  it('a trap is noticed as it grows: its URLs are deferred with the reason, and the crawl ends without them', () => {
    const driver = new TopologyDriver({ web: calendarSite(Infinity), policy });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.ok(fetchedMonths(driver) < 60, `${fetchedMonths(driver)}`);
    assert.equal(driver.counters.deferred, 1);
    assert.equal(driver.counters.trapped, 1);
    const [trap] = driver.core().state.traps.of('a.test').trapped;
    assert.deepEqual([trap?.pattern, trap?.reason], ['/cal/#/#', 'calendar']);
    assert.match(trap!.detail, /pages in a row/);
  });

  it('a trap that an operator releases returns its URLs and is not noticed again', () => {
    const driver = new TopologyDriver({ web: calendarSite(120), policy });
    driver.inject([`${site}/`]);
    driver.run();
    const before = fetchedMonths(driver);
    assert.ok(before < 60);
    driver.control(0, { kind: 'releaseTrap', hostKey: 'a.test', payload: JSON.stringify({ pattern: '/cal/#/#' }) });
    assert.equal(driver.run(), 'done');
    assert.equal(fetchedMonths(driver), 120);
    assert.equal(driver.counters.deferred, 0);
    assert.equal(driver.counters.page, 141);
  });

  it('a trap survives a crash with its URLs, from the checkpoint or from the changelog alone', () => {
    for (const saves of [true, false]) {
      const driver = new TopologyDriver({ web: calendarSite(120), policy });
      driver.inject([`${site}/`]);
      driver.run();
      if (saves) driver.save();
      const live = digest(driver.core().state);
      assert.equal(digest(driver.rebuilt()), live);
      driver.crash();
      assert.equal(driver.core().state.traps.of('a.test').trapped.length, 1);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
      driver.control(0, { kind: 'releaseTrap', hostKey: 'a.test', payload: JSON.stringify({ pattern: '/cal/#/#' }) });
      driver.run();
      driver.save();
      driver.crash();
      assert.equal(fetchedMonths(driver), 120);
      assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
    }
  });

  it('a trap can be set by hand, and holds later URLs; forced URLs pass', () => {
    const driver = new TopologyDriver({ web: calendarSite(5), policy });
    const payload = JSON.stringify({ pattern: '/cal/', detail: 'seen on the screen' });
    driver.control(0, { kind: 'trap', hostKey: 'a.test', payload });
    driver.inject([`${site}/`]);
    driver.inject([monthUrl(40)], { intent: 'force' });
    assert.equal(driver.run(), 'done');
    assert.equal(fetchedMonths(driver), 1);
    assert.ok(driver.counters.deferred > 0);
  });

  it('a trap of repeating paths is recognised by the URL alone', () => {
    const web = (url: string): Answer => ({ kind: 'fetched', links: [`${url}a/b/`] });
    const driver = new TopologyDriver({ web, policy });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.requests.length, 3);
    assert.equal(driver.counters.deferred, 1);
    assert.deepEqual(
      driver
        .core()
        .state.traps.of('a.test')
        .trapped.map(({ reason }) => reason),
      ['repeatedSegments'],
    );
  });

  it('a trap of one content under many names is recognised by the hashes in results', () => {
    const web = (url: string): Answer => {
      const n = Number(/(\d+)\.html$/.exec(url)?.[1] ?? 0);
      const links = Array.from({ length: 5 }, (_, i) => `${site}/gone/${5 * n + i + 1}.html`);
      return { kind: 'fetched', links, contentHash: 'deadbeef' };
    };
    const driver = new TopologyDriver({ web, policy: { ...policy, traps: { ...defaultTraps, counterSteps: null } } });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.deepEqual(
      driver
        .core()
        .state.traps.of('a.test')
        .trapped.map(({ reason }) => reason),
      ['duplicateContent'],
    );
  });

  it('a trap of noindex views that lead nowhere is recognised by their parameters; the pages beside them are not', () => {
    // A wiki that nobody knows, without robots.txt: each article has an edit form, a history, and its differences.
    const article = (n: number) => `${site}/index.php?title=Article_${n}`;
    const views = ['mode=form', 'mode=past', 'mode=facts', 'was=7', 'beside=8&was=7', 'paper=yes'];
    const web = (url: string): Answer => {
      const at = new URL(url);
      if ([...at.searchParams.keys()].some((name) => name !== 'title'))
        return { kind: 'fetched', links: [], noindex: true };
      const n = Number(/Article_(\d+)/.exec(url)?.[1] ?? 0);
      const next = n < 150 ? [article(n + 1)] : [];
      return { kind: 'fetched', links: [...next, ...views.map((view) => `${article(n)}&${view}`)] };
    };
    const driver = new TopologyDriver({ web, policy });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    const asked = driver.requests.map(({ url }) => url);
    assert.equal(asked.filter((url) => /php\?title=Article_\d+$/.test(url)).length, 150);
    assert.ok(asked.length < 3 * 151, `${asked.length}`);
    const reasons = driver.core().state.traps.of('a.test').trapped;
    assert.deepEqual([...new Set(reasons.map(({ reason }) => reason))], ['duplicateContent']);
    assert.ok(reasons.some(({ pattern }) => pattern === '/index.php?mode=&title={}'));
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
  });

  it('a trap is never noticed by another site’s links, however many there are', () => {
    const stranger = 'https://stranger.example';
    const lures = (n: number) => [
      `${site}/wiki/lure${n}`,
      `${site}/shop?${Array.from({ length: 4 }, (_, i) => `p${n}x${i}=1`).join('&')}`,
    ];
    const web = (url: string): Answer => {
      if (url.startsWith(stranger)) {
        const all = Array.from({ length: 60 }, (_, n) => lures(n)).flat();
        return { kind: 'fetched', links: url === `${stranger}/` ? all : [] };
      }
      if (url.includes('lure') || url.includes('shop?')) return { kind: 'fetched', links: [], contentHash: 'deadbeef' };
      const n = Number(/page(\d+)$/.exec(url)?.[1] ?? 0);
      return { kind: 'fetched', links: n < 40 ? [`${site}/wiki/page${n + 1}`, `${site}/wiki/leaf${n + 1}`] : [] };
    };
    const driver = new TopologyDriver({ web, policy });
    driver.inject([`${stranger}/`]);
    assert.equal(driver.run(), 'done');
    driver.crash();
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.deepEqual(driver.core().state.traps.of('a.test').trapped, []);
    assert.equal(driver.counters.deferred, 0);
    // Both starts, sixty lures of either kind, and all pages of the site's own.
    assert.equal(driver.counters.page, 2 + 120 + 80);
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
  });

  it('a trap is never noticed if the policy does not look for traps', () => {
    const driver = new TopologyDriver({ web: calendarSite(100), policy: { delayMs: 0 } });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.equal(fetchedMonths(driver), 100);
  });
});

describe("an operator's limit on pages", () => {
  const links = Array.from({ length: 30 }, (_, n) => `${site}/${n}`);
  const web = (): Answer => ({ kind: 'fetched', links });

  it("an operator's limit on pages ends a host after exactly so many, defers the rest, and releases it when raised", () => {
    const driver = new TopologyDriver({ web, policy: { delayMs: 0 } });
    driver.control(0, { kind: 'hostLimit', hostKey: 'a.test', amount: 7 });
    driver.inject([`${site}/`]);
    assert.equal(driver.run(), 'done');
    assert.equal(driver.counters.page, 7);
    assert.equal(driver.counters.deferred, 24);
    driver.crash();
    driver.control(0, { kind: 'hostLimit', hostKey: 'a.test', amount: 9 });
    driver.run();
    assert.equal(driver.counters.page, 9);
    driver.control(0, { kind: 'hostLimit', hostKey: 'a.test', amount: -1 });
    driver.run();
    assert.equal(driver.counters.page, 31);
    assert.equal(digest(driver.rebuilt()), digest(driver.core().state));
  });

  it("an operator's limit on pages stands beside a block: a released host is back at its limit", () => {
    const driver = new TopologyDriver({ web, policy: { delayMs: 0 } });
    driver.control(0, { kind: 'hostLimit', hostKey: 'a.test', amount: 3 });
    driver.control(0, { kind: 'blockHost', hostKey: 'a.test' });
    driver.inject([`${site}/`]);
    driver.run();
    assert.equal(driver.counters.page, 0);
    driver.control(0, { kind: 'releaseHost', hostKey: 'a.test' });
    driver.run();
    assert.equal(driver.counters.page, 3);
    driver.control(0, { kind: 'releaseHost', hostKey: 'a.test' });
    driver.run();
    assert.equal(driver.counters.page, 3);
  });
});
