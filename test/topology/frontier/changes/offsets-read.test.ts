import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Commit, InputPosition } from '../../../../topology/frontier/changes/changelog.ts';
import { offsetsRead } from '../../../../topology/frontier/changes/offsets-read.ts';

function commitOf(from: InputPosition, to: InputPosition): Commit {
  const header = { kind: 'commit', epoch: 0, seq: 1, nowMs: 0, demand: 0 } as const;
  return { ...header, inputs: [{ topic: 'results', from, to }], changes: [] } as unknown as Commit;
}

it('the offsets that a commit read end after a record that was read in part', () => {
  const start = { offset: 3, slice: 0 };
  assert.deepEqual(offsetsRead(commitOf(start, { offset: 5, slice: 0 }), 'results'), [3, 5]);
  assert.deepEqual(offsetsRead(commitOf(start, { offset: 5, slice: 2 }), 'results'), [3, 6]);
  assert.deepEqual(offsetsRead(commitOf({ offset: 5, slice: 2 }, { offset: 5, slice: 4 }), 'results'), [5, 6]);
});

it('a commit read no offsets of a topic that it does not name, or that it goes back in', () => {
  const back = commitOf({ offset: 9, slice: 0 }, { offset: 2, slice: 0 });
  assert.deepEqual(offsetsRead(back, 'results'), [0, 0]);
  assert.deepEqual(offsetsRead(back, 'control'), [0, 0]);
});
