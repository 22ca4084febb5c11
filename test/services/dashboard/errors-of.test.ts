import assert from 'node:assert/strict';
import { test } from 'node:test';
import { binned, type ResultSample } from '../../../services/dashboard/errors-of.ts';

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

test('a crawl without results has no errors, and one that read all of them estimates nothing', () => {
  assert.deepEqual(binned([], 4), { atMs: [], kinds: [], hosts: [], isEstimate: false });
  assert.equal(binned([result(7, 1, 'timeout')], 4).isEstimate, false);
});
