import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ago,
  bytes,
  duration,
  percent,
  ranges,
  roughly,
  short,
  whole,
} from '../../../../../services/extras/dashboard/page/numbers.ts';
import { rateOf, Series } from '../../../../../services/extras/dashboard/page/series.ts';
import { type HistoryStatus, historyColumns } from '../../../../../services/extras/dashboard/status.ts';

function history(atMs: readonly number[], page: readonly number[]): HistoryStatus {
  const columns = Object.fromEntries(historyColumns.map((name) => [name, name === 'page' ? page : page.map(() => 0)]));
  return { atMs, columns: columns as HistoryStatus['columns'] };
}

const counts = (page: number) => Object.fromEntries(historyColumns.map((name) => [name, name === 'page' ? page : 0]));

test('new samples continue the history, and a rate covers the last five seconds', () => {
  const series = new Series();
  series.begin(history([0, 10_000], [0, 1_000]));
  for (let second = 11; second <= 20; second++) series.add(second * 1_000, counts(1_000 + (second - 10) * 50));
  const rates = series.rates('page');
  assert.equal(rates[0], null);
  assert.equal(rates[1], 100, 'of the past, whose points are ten seconds apart');
  assert.equal(rates.at(-1), 50);
  assert.equal(series.from(4_000), series.atMs.indexOf(16_000));
  series.add(20_000, counts(9_999));
  assert.equal(series.atMs.length, 12, 'no moment twice');
});

test('the rate of a new crawl is that since its start, until there are seconds enough for a rate of the last ones', () => {
  const series = new Series();
  const about = { seeds: [], seedCount: 0, scope: '', place: null, startedMs: 1_000_000 };
  const rateAt = (seconds: number, page: number, since: typeof about | null = about) => {
    const status = { atMs: 1_000_000 + 1_000 * seconds, counts: counts(page), about: since };
    series.add(status.atMs, status.counts);
    return rateOf(status, series, 'page');
  };
  assert.equal(rateAt(4, 20, null), null, 'nothing is known yet');
  assert.equal(rateAt(4, 20), 5, 'from one look');
  assert.equal(rateAt(8, 24), 3);
  assert.equal(rateAt(9, 30), 2, '10 pages in the last five seconds');
  const resumed = new Series();
  resumed.add(1_070_000, counts(7));
  const status = { atMs: 1_070_000, counts: counts(7), about };
  assert.equal(rateOf(status, resumed, 'page'), null, 'the average of an old crawl says nothing of now');
});

test('a finished crawl is a flat line for a minute, and then the chart stops', () => {
  const series = new Series();
  series.begin(history([0, 1_000], [0, 7]));
  for (let second = 2; second < 200; second++) series.add(second * 1_000, counts(7));
  assert.equal(series.atMs.at(-1), 61_000);
  assert.equal(series.rates('page').at(-1), 0);
  series.add(300_000, counts(8));
  assert.equal(series.atMs.at(-1), 300_000, 'and goes on when it does');
});

test('an hour is kept, and a restarted counter gives no negative rate', () => {
  const series = new Series();
  for (let second = 1; second <= 4_000; second++) series.add(second * 1_000, counts(second < 3_999 ? second : 0));
  assert.equal(series.atMs[0], 400_000);
  assert.equal(series.column('page').length, series.atMs.length);
  assert.equal(series.rates('page').at(-1), 0);
});

test('the end is estimated from the last minutes: no URL waits, or the quota is spent', () => {
  const after = (seconds: number, counted: (second: number) => Readonly<Record<string, number>>) => {
    const series = new Series();
    for (let second = 0; second <= seconds; second++) series.add(second * 1_000, { ...counts(0), ...counted(second) });
    return series;
  };
  const emptied = after(600, (second) => ({ page: second, queued: 2_000 - 2 * second, leased: 100 }));
  assert.equal(emptied.untilEndMs(null), (1_000 * 900) / 2);
  assert.equal(emptied.untilEndMs(700), 100_000, 'the quota is spent first');
  assert.equal(emptied.untilEndMs(null, 600_000), 600_000, 'a host backs off for longer');
  assert.equal(emptied.untilEndMs(700, 600_000), 100_000, 'the quota does not wait for it');
  const grows = after(600, (second) => ({ page: second, queued: 5 * second }));
  assert.equal(grows.untilEndMs(null), null);
  assert.equal(grows.untilEndMs(1_000), 400_000);
  assert.equal(after(20, (second) => ({ page: second, queued: 100 - second })).untilEndMs(null), null, 'too early');
  const stalled = after(600, () => ({ page: 5, queued: 10 }));
  assert.equal(stalled.untilEndMs(100), null);
  assert.deepEqual([1_000, 89 * 60_000, 5_400_000, 40 * 3_600_000, 5 * 86_400_000].map(roughly), [
    '1 min',
    '89 min',
    '2 h',
    '40 h',
    '5 days',
  ]);
});

test('numbers are short and have units', () => {
  const shorts = [0, 0.42, 7, 999, 999.7, 1_000, 12_345, 999_600, 1_500_000, 2.5e9, 4e13].map(short);
  assert.deepEqual(shorts, ['0', '0.4', '7', '999', '1 k', '1 k', '12.3 k', '1 M', '1.5 M', '2.5 bn', '40 tn']);
  assert.deepEqual([0, 999, 12_611, 5e9].map(bytes), ['0 B', '999 B', '12.6 kB', '5 GB']);
  assert.deepEqual([9_999_999, 10_000_000].map(whole), ['9,999,999', '10 M']);
  assert.deepEqual([0, 0.0001, 0.015, 0.5, 1].map(percent), ['0 %', '< 0.1 %', '1.5 %', '50 %', '100 %']);
  const durations = [300, 2_000, 59_000, 61_000, 7_260_000, 200_000_000].map(duration);
  assert.deepEqual(durations, ['300 ms', '2 s', '59 s', '1 min 1 s', '2 h 1 min', '2.3 days']);
  assert.deepEqual([ago(1_000, 2_500), ago(1_000, 43_400)], ['now', '42 s ago']);
  assert.equal(ranges([7, 0, 1, 2, 3, 9]), '0–3, 7, 9');
});
