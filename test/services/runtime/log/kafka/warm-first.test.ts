/** Who owns a partition with state while a newcomer's copy of the state warms up. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { warmFirst } from '../../../../../services/runtime/log/kafka/warm-first.ts';

const target = new Map([
  ['a', [0, 1]],
  ['b', [2, 3]],
]);
const minute = 60_000;

describe('partitions with state', () => {
  it('partitions with state stay with their owner while a newcomer warms copies up, and each moves once its copy has caught up', () => {
    const owners = new Map([0, 1, 2, 3].map((partition) => [partition, 'a']));
    const cold = warmFirst(
      target,
      owners,
      [
        { id: 'a', caughtUp: [] },
        { id: 'b', caughtUp: [] },
      ],
      minute,
    );
    assert.deepEqual(
      [...cold.shares],
      [
        ['a', [0, 1, 2, 3]],
        ['b', []],
      ],
    );
    assert.deepEqual([...cold.warmUps], [['b', [2, 3]]]);
    const half = warmFirst(
      target,
      owners,
      [
        { id: 'a', caughtUp: [] },
        { id: 'b', caughtUp: [3] },
      ],
      minute,
    );
    assert.deepEqual(
      [...half.shares],
      [
        ['a', [0, 1, 2]],
        ['b', [3]],
      ],
    );
    assert.deepEqual([...half.warmUps], [['b', [2]]]);
  });

  it('partitions of a lost member go to members with a copy, whatever their share, before members without', () => {
    const owners = new Map([
      [0, 'a'],
      [1, 'a'],
    ]);
    const members = [
      { id: 'a', caughtUp: [2, 3] },
      { id: 'b', caughtUp: [] },
    ];
    const { shares, warmUps } = warmFirst(target, owners, members, minute);
    assert.deepEqual(
      [...shares],
      [
        ['a', [0, 1, 2, 3]],
        ['b', []],
      ],
    );
    assert.deepEqual([...warmUps], [['b', [2, 3]]]);
  });

  it('partitions without a copy are taken at once, and so are those that warmed up for too long', () => {
    const members = [
      { id: 'a', caughtUp: [] },
      { id: 'b', caughtUp: [], warmingMs: { 2: minute } },
    ];
    assert.deepEqual(warmFirst(target, new Map(), members, minute).shares, target);
    const owners = new Map([
      [0, 'a'],
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
    ]);
    const { shares, warmUps } = warmFirst(target, owners, members, minute);
    assert.deepEqual([shares.get('b'), warmUps.get('b')], [[2], [3]]);
  });

  it('partitions do not wait for a member that keeps no copies, such as one of an earlier release', () => {
    const owners = new Map([0, 1, 2, 3].map((partition) => [partition, 'a']));
    assert.deepEqual(warmFirst(target, owners, [{ id: 'a', caughtUp: [] }, { id: 'b' }], minute).shares, target);
  });

  it('a partition of a lost member goes to the member with a copy that owns least, and partitions are listed in order', () => {
    const three = new Map([
      ['a', [0, 3]],
      ['b', [1]],
      ['c', [2]],
    ]);
    const members = [
      { id: 'a', caughtUp: [1, 2] },
      { id: 'b', caughtUp: [2] },
      { id: 'c', caughtUp: [] },
    ];
    const owners = new Map([
      [0, 'a'],
      [3, 'a'],
      [1, 'b'],
    ]);
    const { shares, warmUps } = warmFirst(three, owners, members, minute);
    assert.deepEqual(
      [...shares],
      [
        ['a', [0, 3]],
        ['b', [1, 2]],
        ['c', []],
      ],
    );
    assert.deepEqual([...warmUps], [['c', [2]]]);
    const late = warmFirst(new Map([['a', [3, 1]]]), new Map(), [{ id: 'a' }], minute);
    assert.deepEqual([...late.shares], [['a', [1, 3]]]);
  });

  it('a copy that lacks a moment of the longest warm-up waits, and none waits longer', () => {
    const owners = new Map([0, 1, 2, 3].map((partition) => [partition, 'a']));
    const members = [
      { id: 'a', caughtUp: [] },
      { id: 'b', caughtUp: [], warmingMs: { 2: minute - 1, 3: minute } },
    ];
    const { shares, warmUps } = warmFirst(target, owners, members, minute);
    assert.deepEqual([shares.get('b'), warmUps.get('b')], [[3], [2]]);
  });
});
