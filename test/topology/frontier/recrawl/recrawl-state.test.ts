import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noRate } from '../../../../topology/frontier/recrawl/due-table.ts';
import { RecrawlState } from '../../../../topology/frontier/recrawl/recrawl-state.ts';

test('a page is on the schedule from the first row of its table on, and until it leaves', () => {
  const state = new RecrawlState();
  const fingerprint = (lo: number) => Uint32Array.of(7, lo);
  assert.ok(!state.isScheduled(fingerprint(1)));
  for (const lo of [1, 2])
    state.table.put({
      ...{ hi: 7, lo, host: 0, dueS: 1e9, visitedS: 9e8, rateClass: noRate, status: 0, frontQueue: 0, gained: 0 },
      ...{ told: false, out: false, pushed: false, duplicate: false },
    });
  assert.deepEqual(
    [1, 2, 3].map((lo) => state.isScheduled(fingerprint(lo))),
    [true, true, false],
  );
  state.table.remove(state.table.find(7, 1));
  assert.ok(!state.isScheduled(fingerprint(1)));
});
