import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lastRelease } from '../../../lab/bench/against-release.ts';
import { releaseFigures, releasePlan } from '../../../lab/bench/bench-plan.ts';
import { sinceRelease } from '../../../lab/bench/release-verdict.ts';
import type { Results } from '../../../lab/bench/results-file.ts';

const figures = [{ label: 'fetch', path: 'cpuMillisPerPage' }];

/** Runs of one figure, and of the yardstick in the same minutes. */
function results(millis: readonly number[], yardstick: readonly number[], args: readonly string[] = []): Results {
  const runsOf = (name: string, values: readonly number[]) => values.map((value) => ({ [name]: value }));
  const rest = { bench: '', failures: [] };
  return {
    ...{ format: 1, takenAt: '', commit: '', changed: false, versions: {} },
    machine: { cpu: 'one', cores: 2, memoryBytes: 1, system: '' },
    benches: {
      fetch: { ...rest, args: [...args], runs: runsOf('cpuMillisPerPage', millis) },
      yardstick: { ...rest, args: [], runs: runsOf('cpuMillis', yardstick) },
    },
  };
}
const verdict = (before: Results, after: Results, tolerance?: number) =>
  sinceRelease(before, after, figures, tolerance)[0]!.verdict;

describe('figures against a release', () => {
  it('figures against a release are worse if their best run exceeds the tolerance', () => {
    assert.equal(verdict(results([0.5], [10]), results([0.9, 0.62], [10])), 'same');
    assert.equal(verdict(results([0.5], [10]), results([0.9, 0.63], [10])), 'worse');
    assert.equal(verdict(results([0.5], [10]), results([0.6], [10]), 0.1), 'worse');
    assert.equal(verdict(results([0.5], [10]), results([0.39, 0.9], [10])), 'better');
  });

  it('figures against a release are not worse if the whole machine is slower, and are if nothing else is', () => {
    assert.equal(verdict(results([0.5], [10]), results([1], [20, 30])), 'same');
    assert.equal(verdict(results([0.5], [20]), results([0.5], [10])), 'worse');
  });

  it('figures against a release are missing if they were not measured, or with other options', () => {
    assert.equal(verdict(results([0.5], [10]), results([], [10])), 'missing');
    assert.equal(verdict(results([0.5], [10], ['--pages', '9']), results([0.5], [10])), 'missing');
    assert.equal(verdict(results([], [10]), results([0.5], [10])), 'new');
  });

  it('figures against a release are compared with the newest one, by version number', () => {
    assert.equal(lastRelease(['0.9.0.json', '0.10.0.json', 'README.md', '0.2.11.json']), '0.10.0');
    assert.equal(lastRelease(['x.json']), undefined);
  });

  it('figures against a release come from planned benches, with the yardstick first', () => {
    const labels = releasePlan().map(({ label }) => label);
    assert.equal(labels[0], 'yardstick');
    assert.deepEqual(new Set(labels.slice(1)), new Set(releaseFigures.map(({ label }) => label)));
  });
});
