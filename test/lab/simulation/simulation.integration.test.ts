import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Fault } from '../../../lab/simulation/faults.ts';
import { run } from '../../../lab/simulation/run.ts';
import { shrink } from '../../../lab/simulation/shrink.ts';

test('a seed repeats the same run, to the byte', async () => {
  for (const seed of [3, 9, 36]) {
    const first = await run(seed);
    assert.deepEqual(await run(seed), first);
    assert.notEqual((await run(seed + 1)).trace, first.trace);
  }
});

test('a failing run is reduced to the faults that cause it', async () => {
  const kill = (at: number): Fault => ({ kind: 'stop', at, process: 'frontier-0', downMs: 1 });
  const noise = (at: number): Fault => ({ kind: 'brokerAway', at, forMs: 1 });
  const faults = [noise(1), kill(2), noise(3), noise(4), kill(5)];
  const fails = async (seed: number, given: { readonly faults?: readonly Fault[] }) => {
    const left = given.faults ?? [];
    const violations = left.filter(({ kind }) => kind === 'stop').length === 2 ? ['two stops'] : [];
    return { seed, faults: left, violations, virtualMs: 0, pages: 0, trace: '' };
  };
  const shrunk = await shrink(await fails(1, { faults }), fails);
  assert.deepEqual(shrunk.faults, [kill(2), kill(5)]);
});

test('the command runs the requested seeds, and ends with one line of JSON', async () => {
  const main = fileURLToPath(new URL('../../../lab/simulation/main.ts', import.meta.url));
  const args = ['--import', 'tsx', main, '--seeds', '2', '--seed', '5', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly seed?: number });
  assert.deepEqual(lines.map(({ seed }) => seed).slice(0, -1), [5, 6]);
  assert.deepEqual(lines.at(-1), { seeds: 2, passed: 2, failed: [] });
});
