import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adaptivePresets } from '../../../../topology/policy/recrawl/adaptive.ts';
import { noHistory, visited } from '../../../../topology/policy/recrawl/history.ts';
import {
  defaultRecrawl,
  type RecrawlConfig,
  recrawlSchema,
} from '../../../../topology/policy/recrawl/recrawl-config.ts';
import { compileRecrawl, type Visited } from '../../../../topology/policy/recrawl/schedule.ts';

const hour = 3_600;
const day = 24 * hour;
const page: Visited = {
  url: 'https://news.a.test/x',
  kind: 'page',
  history: noHistory,
  changed: null,
  sinceChangeS: 0,
  frontQueue: 0,
};

/** Delays of a schedule over visits that each come when it says, in seconds. */
function delays(config: Partial<RecrawlConfig>, found: readonly boolean[]): number[] {
  const recrawl = compileRecrawl({ ...defaultRecrawl, ...config });
  let history = noHistory;
  let next = recrawl.next(page, 0)!;
  return found.map((changed) => {
    history = visited({ ...history, intervalS: next.intervalS }, next.delayS, changed);
    next = recrawl.next({ ...page, history, changed }, 0)!;
    return next.delayS;
  });
}

test('a page that never changes is visited ever more rarely, but at least every 30 days', () => {
  const all = delays({ schedule: 'adaptive' }, new Array(30).fill(false));
  for (const [n, delay] of all.entries()) assert.ok(n === 0 || delay >= all[n - 1]!);
  assert.equal(all.at(-1), 30 * day);
});

test('a page that always changes is visited ever sooner, but at most every hour', () => {
  const all = delays({ schedule: 'adaptive' }, new Array(30).fill(true));
  assert.ok(all[0]! < day / 2);
  assert.equal(all.at(-1), hour);
});

test('of two pages with the same last visit, the one with more changes in its last ten is visited sooner', () => {
  const recrawl = compileRecrawl({ ...defaultRecrawl, schedule: 'adaptive' });
  const next = (recent: number) =>
    recrawl.next({ ...page, changed: true, history: { ...noHistory, intervalS: day, recent } }, 0)!.delayS;
  assert.ok(next(0b1_1111111111) < next(0b1_0000000001));
});

test('bounds of the policy apply to every schedule', () => {
  for (const schedule of ['adaptive', 'nutch', 'stormcrawler', 'optimal'] as const) {
    const bounds = { minMs: 2 * hour * 1_000, maxMs: 3 * hour * 1_000 };
    for (const changed of [true, false]) {
      const all = delays({ schedule, ...bounds }, new Array(20).fill(changed));
      assert.ok(
        all.every((delay) => delay >= 2 * hour && delay <= 3 * hour),
        `${schedule}: ${all}`,
      );
    }
  }
});

test('errors and gone pages have their own intervals, and may never be revisited', () => {
  const recrawl = compileRecrawl({ ...defaultRecrawl, errorMs: 3 * hour * 1_000, goneMs: null });
  assert.equal(recrawl.next({ ...page, kind: 'error' }, 0)?.delayS, 3 * hour);
  assert.equal(recrawl.next({ ...page, kind: 'gone' }, 0), null);
});

test('the first matching rule by host, pattern and kind decides', () => {
  const recrawl = compileRecrawl({
    ...defaultRecrawl,
    schedule: 'fixed',
    rules: [
      { hosts: ['a.test'], url: '/archive/', intervalMs: null },
      { hosts: ['a.test'], intervalMs: 10 * hour * 1_000 },
      { url: '\\.xml$', kinds: ['error'], intervalMs: hour * 1_000 },
    ],
  });
  const next = (url: string, kind: Visited['kind'] = 'page') => recrawl.next({ ...page, url, kind }, 0)?.delayS;
  assert.equal(next('https://news.a.test/archive/1'), undefined);
  assert.equal(next('https://news.a.test/'), 10 * hour);
  assert.equal(next('https://b.test/f.xml'), 7 * day);
  assert.equal(next('https://b.test/f.xml', 'error'), hour);
});

test('a rule that names a schedule leaves errors to their own intervals', () => {
  const rules = [{ url: '/news/', schedule: 'fixed' as const }];
  const recrawl = compileRecrawl({ ...defaultRecrawl, rules });
  const url = 'https://a.test/news/';
  assert.equal(recrawl.next({ ...page, url }, 0)?.delayS, 7 * day);
  assert.equal(recrawl.next({ ...page, url, kind: 'gone' }, 0)?.delayS, 30 * day);
});

test('an impossible schedule is refused', () => {
  const refused = [
    { ...defaultRecrawl, share: 2 },
    { ...defaultRecrawl, schedule: 'sometimes' },
    { ...defaultRecrawl, minMs: 5_000, maxMs: 2_000 },
  ];
  for (const config of refused) assert.equal(recrawlSchema.safeParse(config).success, false);
  assert.equal(recrawlSchema.safeParse(defaultRecrawl).success, true);
});

test('a feed is polled by whether it brings entries, within its bounds, and no sooner than it asks for', () => {
  const feeds = { minMs: 1_800_000, maxMs: 12 * 3_600_000 };
  const { next } = compileRecrawl({ ...defaultRecrawl, feeds });
  const poll = (changed: boolean | null, intervalS: number, pollS = 0) =>
    next({ ...page, kind: 'feed', history: { ...noHistory, intervalS }, changed, pollS }, null)!.delayS;
  assert.equal(poll(null, 0), hour);
  assert.equal(poll(true, 2 * hour), hour);
  assert.equal(poll(true, hour / 2), hour / 2);
  assert.equal(poll(false, 2 * hour), 3 * hour);
  assert.equal(poll(false, 12 * hour), 12 * hour);
  assert.equal(poll(true, hour, 6 * hour), 6 * hour);
  assert.equal(poll(true, hour, 99 * day), 12 * hour, 'a feed does not ask for ever');
});

test('a rule applies to feeds if it names them, or gives an interval', () => {
  const feed: Visited = { ...page, kind: 'feed' };
  const delayS = (rule: RecrawlConfig['rules'][number]) =>
    compileRecrawl({ ...defaultRecrawl, rules: [rule] }).next(feed, null)!.delayS;
  assert.equal(delayS({ schedule: 'fixed' }), hour);
  assert.equal(delayS({ schedule: 'fixed', kinds: ['feed'] }), 7 * day);
  assert.equal(delayS({ hosts: ['a.test'], intervalMs: 60_000 }), 60);
  const { feeds: _, ...before } = defaultRecrawl;
  assert.equal(compileRecrawl(before).next(feed, null)!.delayS, 7 * day, 'a policy of before feeds had a say');
});

test('the presets named after other crawlers have their defaults, in seconds', () => {
  const [hour, day] = [3_600, 86_400];
  const { adaptive, nutch, stormcrawler } = adaptivePresets;
  const none = { byShare: 0 };
  const doubled = { unchanged: 1.5, changed: 0.5, syncShare: null };
  assert.deepEqual(adaptive, { firstS: day, minS: hour, maxS: 30 * day, ...doubled, byShare: 0.5 });
  assert.deepEqual(stormcrawler, { firstS: day, minS: hour, maxS: 31 * day, ...doubled, ...none });
  const ofNutch = { firstS: 30 * day, minS: 60, maxS: 365 * day, unchanged: 1.4, changed: 0.8, syncShare: 0.3 };
  assert.deepEqual(nutch, { ...ofNutch, ...none });
});
