import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRate } from '../../../../topology/frontier/recrawl/due-table.ts';
import { freshnessNow } from '../../../../topology/frontier/recrawl/freshness-now.ts';
import { RecrawlState } from '../../../../topology/frontier/recrawl/recrawl-state.ts';
import { classOf } from '../../../../topology/policy/recrawl/rate-classes.ts';

const day = 86_400;
const plain = {
  hi: 7,
  host: 0,
  dueS: 1e9,
  status: 0,
  frontQueue: 0,
  fromSitemap: false,
  out: false,
  pushed: false,
  duplicate: false,
  gained: 0,
};

test('freshness, age and trust cover the observed pages, by front queue and by host', () => {
  const state = new RecrawlState();
  const nowS = 1_000 * day;
  for (let page = 1; page <= 100; page++)
    state.table.put({ ...plain, lo: page, visitedS: nowS - page * (day / 10), rateClass: noRate });
  state.table.put({ ...plain, lo: 200, host: 1, frontQueue: 2, visitedS: nowS - day, rateClass: classOf(1, 2) });
  state.table.put({ ...plain, lo: 201, visitedS: 0, rateClass: noRate });
  state.learn(0, true);
  state.learn(0, false);
  const all = freshnessNow([state], 1_000 * nowS);
  assert.deepEqual([all.pages, all.sitemapTrust, all.freshByFrontQueue[0]], [101, 0.5, null]);
  assert.ok(Math.abs(all.fresh! - Math.exp(-1)) < 0.05 && all.freshByFrontQueue[2] === all.fresh);
  assert.ok(Math.abs(all.ageP50S! / (5 * day) - 1) < 0.12 && Math.abs(all.ageP95S! / (9.5 * day) - 1) < 0.12);
  assert.ok(Math.abs(all.withinGoal! - 71 / 101) < 0.001);
  const { pages, sitemapTrust } = freshnessNow([state], 1_000 * nowS, 1);
  assert.deepEqual([pages, sitemapTrust], [1, null]);
  const both = freshnessNow([state, state], 1_000 * nowS);
  assert.deepEqual({ ...both, pages: both.pages / 2 }, all);
});

test('a page seen seven days ago is within the goal, a second more and it is not', () => {
  const state = new RecrawlState();
  const nowS = 1_000 * day;
  for (const [lo, ago] of [7 * day - 1, 7 * day, 7 * day + 1].entries())
    state.table.put({ ...plain, lo, visitedS: nowS - ago, rateClass: noRate });
  assert.equal(freshnessNow([state], 1_000 * nowS).withinGoal, 2 / 3);
});
