import assert from 'node:assert/strict';
import { test } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { changesPerDay, daySeconds } from '../../../../topology/policy/recrawl/change-rate.ts';
import { noHistory, type PageHistory, recentShare, visited } from '../../../../topology/policy/recrawl/history.ts';

function history(visits: readonly (readonly [days: number, changed: boolean])[]): PageHistory {
  let all = noHistory;
  for (const [days, changed] of visits) all = visited(all, days * daySeconds, changed);
  return all;
}

/** −log((unchanged + ½)/(visits + ½)) per visit: Cho & Garcia-Molina's estimator for regular visits. */
const regular = (changes: number, visits: number) => -Math.log((visits - changes + 0.5) / (visits + 0.5));

test('for regular visits the rate is the bias-corrected one of Cho & Garcia-Molina', () => {
  for (const visits of [1, 3, 10, 30]) {
    for (let changes = 1; changes <= visits; changes++) {
      const all = history(Array.from({ length: visits }, (_, n) => [2, n < changes]));
      const rate = changesPerDay(all)!;
      assert.ok(Math.abs(rate - regular(changes, visits) / 2) < 1e-4 * rate, `${changes} of ${visits}: ${rate}`);
    }
  }
});

test('irregular visits to a page of a known rate find that rate on average, where a count of changes would not', () => {
  const next = numbers(7);
  const uniform = () => (next() + 0.5) / 0x1_0000_0000;
  for (const rate of [0.05, 0.3, 1]) {
    let [estimated, counted] = [0, 0];
    const pages = 2_000;
    for (let page = 0; page < pages; page++) {
      let [days, changes] = [0, 0];
      const visits = Array.from({ length: 40 }, (): readonly [number, boolean] => {
        const since = 0.2 + 4 * uniform();
        const changed = uniform() < -Math.expm1(-rate * since);
        days += since;
        if (changed) changes += 1;
        return [since, changed];
      });
      estimated += changesPerDay(history(visits))! / pages;
      counted += changes / days / pages;
    }
    assert.ok(Math.abs(estimated / rate - 1) < 0.08, `${rate}: ${estimated}`);
    if (rate === 1) assert.ok(counted < 0.5, `${counted}`);
  }
});

test('a page that never changed has a small rate that falls with each visit, and is never zero', () => {
  let before = Number.POSITIVE_INFINITY;
  for (let visits = 1; visits < 40; visits++) {
    const rate = changesPerDay(history(Array.from({ length: visits }, () => [1, false])))!;
    assert.ok(rate > 0 && rate < before);
    before = rate;
  }
});

test('a page without two visits has no rate', () => assert.equal(changesPerDay(noHistory), null));

test('extreme histories give a finite rate', () => {
  for (const days of [1e-5, 1e-3, 1, 1e4]) {
    for (const other of [1e-5, 1, 1e4]) {
      const rate = changesPerDay(history([[days, true], [other, true], [days, false], [other, true]]))!; // biome-ignore format: a row each
      assert.ok(Number.isFinite(rate) && rate > 0, `${days}, ${other}: ${rate}`);
    }
  }
});

test('a page that changes its habits is believed after as many visits again', () => {
  let all = history(Array.from({ length: 200 }, () => [1, false]));
  for (let visit = 0; visit < 100; visit++) all = visited(all, daySeconds, true);
  assert.ok(changesPerDay(all)! > 1, `${changesPerDay(all)}`);
});

test('the recent share covers the last ten visits', () => {
  assert.equal(recentShare(noHistory), null);
  const all = history(Array.from({ length: 30 }, (_, n) => [1, n < 23]));
  assert.equal(recentShare(all), 0.3);
});
