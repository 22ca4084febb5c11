import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binned, type ResultSample } from '../../../../services/extras/dashboard/errors-of.ts';

const result = (atMs: number, weight: number, ...kinds: string[]): ResultSample => ({
  ...{ atMs, weight },
  outcomes: kinds.map((kind, at) => ({ kind, status: 0, url: `http://${kind.toLowerCase()}.test/${at}` })),
});

test('errors are counted by kind and span of time, each sample for the results that it stands for', () => {
  const samples = [
    result(0, 4, 'fetched', 'timeout', 'timeout'),
    result(500, 4, 'gone', 'serverError'),
    result(1_000, 1, 'timeout'),
  ];
  const { atMs, kinds, hosts, isEstimate } = binned(samples, 4);
  assert.deepEqual(atMs, [0, 250, 500, 750]);
  assert.deepEqual(kinds, [
    { kind: 'timeout', counts: [8, 0, 0, 1] },
    { kind: 'serverError', counts: [0, 0, 4, 0] },
  ]);
  assert.deepEqual(
    hosts.map(({ host, kind, count }) => [host, kind, count]),
    [
      ['timeout.test', 'timeout', 9],
      ['servererror.test', 'serverError', 4],
    ],
  );
  assert.equal(isEstimate, true);
});

test('a host is listed with its newest URL that was not fetched since, and left out once all were', () => {
  const of = (url: string, kind: string) => ({ atMs: 0, weight: 1, outcomes: [{ kind, status: 0, url }] });
  const [first, second] = ['http://a.test/1', 'http://a.test/2'] as const;
  const samples = [of(first, 'timeout'), of(second, 'timeout'), of(second, 'fetched')];
  const listed = (more: readonly ResultSample[]) =>
    binned([...samples, ...more], 4).hosts.map(({ url, count }) => [url, count]);
  assert.deepEqual(listed([]), [[first, 1]]);
  assert.deepEqual(listed([of(first, 'fetched')]), []);
  // No request was made: the error is still the newest news.
  for (const kind of ['returned', 'robotsDenied', 'refused', 'crawlDelayTooLong'])
    assert.deepEqual(listed([of(first, kind)]), [[first, 1]], kind);
  assert.deepEqual(listed([of(first, 'fetched'), of(second, 'timeout')]), [[second, 2]]);
});

test('a crawl without results has no errors, and one that read all of them estimates nothing', () => {
  assert.deepEqual(binned([], 4), { atMs: [], kinds: [], hosts: [], isEstimate: false });
  assert.equal(binned([result(7, 1, 'timeout')], 4).isEstimate, false);
});
