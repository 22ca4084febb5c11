import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { benchNames } from '../../../lab/bench/bench-names.ts';
import { benchPlan } from '../../../lab/bench/bench-plan.ts';
import { compareRuns, figuresOf } from '../../../lab/bench/compare-runs.ts';

const runsOf = (path: string, ...values: readonly number[]) => values.map((value) => new Map([[path, value]]));
const verdict = (path: string, before: readonly number[], after: readonly number[]) =>
  compareRuns(runsOf(path, ...before), runsOf(path, ...after))[0]!.verdict;

describe('compared runs', () => {
  it('compared runs give a ratio with its spread over all pairs', () => {
    const [ratio] = compareRuns(runsOf('cpuMicrosPerUrl', 2, 4, 3), runsOf('cpuMicrosPerUrl', 6, 3));
    assert.deepEqual(ratio, {
      ...{ path: 'cpuMicrosPerUrl', before: 3, after: 4.5 },
      ...{ min: 0.75, median: 1.5, max: 3, verdict: 'same' },
    });
  });

  it('compared runs differ only if every run of one side is beyond every run of the other', () => {
    assert.equal(verdict('cpuMicrosPerUrl', [2, 2.1], [2.5, 2.6]), 'worse');
    assert.equal(verdict('cpuMicrosPerUrl', [2, 2.55], [2.5, 2.6]), 'same');
    assert.equal(verdict('cpuMicrosPerUrl', [2.5, 2.6], [2, 2.1]), 'better');
    assert.equal(verdict('urlsPerSecond', [2.5, 2.6], [2, 2.1]), 'worse');
    assert.equal(verdict('hosts', [2, 2], [3, 3]), 'changed');
  });

  it('compared runs are equal below the threshold, and with a single run', () => {
    assert.equal(verdict('cpuMicrosPerUrl', [2, 2.01], [2.05, 2.06]), 'same');
    assert.equal(verdict('cpuMicrosPerUrl', [2], [9]), 'same');
  });

  it('compared runs are compared by common figures, and a figure that is 0 in both is equal', () => {
    const before = [
      new Map([
        ['violations', 0],
        ['gone', 1],
      ]),
    ];
    const after = [
      new Map([
        ['violations', 0],
        ['new', 1],
      ]),
    ];
    assert.deepEqual(
      compareRuns(before, after).map(({ path, median, verdict }) => [path, median, verdict]),
      [['violations', 1, 'same']],
    );
  });
});

describe('the figures of a bench', () => {
  it('the figures of a bench are its numbers by path, without its options and environment', () => {
    const line = {
      name: 'x',
      runs: 3,
      urlsPerSecond: 5,
      stages: { decide: 1 },
      all: [{ ms: 2 }],
      millions: [{ ms: 9 }],
    };
    assert.deepEqual(Object.fromEntries(figuresOf(line)), { urlsPerSecond: 5, 'stages.decide': 1, 'all[0].ms': 2 });
  });
});

describe('the plan of all benches', () => {
  it('the plan of all benches has every bench, under distinct labels, and no other', () => {
    const plan = benchPlan();
    const names = new Set(plan.map(({ bench }) => bench));
    assert.deepEqual([...names, 'all', 'compare', 'against-release', 'beside-urlfrontier'].sort(), benchNames());
    assert.equal(new Set(plan.map(({ label }) => label)).size, plan.length);
  });
});
