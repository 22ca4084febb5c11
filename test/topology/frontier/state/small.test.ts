import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrontierState } from '../../../../topology/frontier/state/state.ts';

test('a partition with one URL takes less than 64 kB outside the heap, since a fleet has hundreds of such crawls', () => {
  const before = process.memoryUsage().arrayBuffers;
  const states = Array.from({ length: 100 }, () => {
    const state = new FrontierState({ hi: 1, lo: 2 });
    const entry = { url: 'http://a.test/', depth: 0, hop: 0, attempts: 0, expiries: 0, frontQueue: 0 };
    state.apply({ kind: 'admit', hostKey: 'a.test', known: false, entries: [entry] });
    return state;
  });
  const bytes = (process.memoryUsage().arrayBuffers - before) / states.length;
  assert.ok(bytes < 65_536, `${bytes} bytes`);
  assert.equal(states.at(-1)!.counters.admitted, 1);
});
