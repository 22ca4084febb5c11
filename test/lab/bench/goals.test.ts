import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchNames } from '../../../lab/bench/bench-names.ts';
import { goals } from '../../../lab/bench/goals.ts';

test('each goal belongs to an existing bench', () => {
  const names = benchNames();
  assert.ok(goals.size > 5);
  assert.deepEqual(
    [...goals.keys()].filter((name) => !names.includes(name)),
    [],
  );
});
