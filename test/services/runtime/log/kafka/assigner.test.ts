import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assign, type Claimant } from '../../../../../services/runtime/log/kafka/assigner.ts';

const member = (id: string, owned: readonly number[] = [], generation = 1): Claimant => ({ id, owned, generation });
const kept = (before: Map<string, number[]>, after: Map<string, number[]>) =>
  [...after].flatMap(([id, owned]) => owned.filter((partition) => before.get(id)?.includes(partition))).length;
const asMembers = (of: Map<string, number[]>, generation: number) =>
  [...of].map(([id, owned]) => member(id, owned, generation));

function assertShared(shares: Map<string, number[]>, partitions: number): void {
  const all = [...shares.values()].flat().sort((a, b) => a - b);
  assert.deepEqual(
    all,
    Array.from({ length: partitions }, (_, i) => i),
    'each partition has one owner',
  );
  const counts = [...shares.values()].map((owned) => owned.length);
  assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, `balanced: ${counts}`);
}

describe('sharing out partitions', () => {
  it('gives everything to one member, and evenly to several', () => {
    for (const [members, partitions] of [
      [1, 16],
      [3, 16],
      [5, 16],
      [16, 16],
      [20, 16],
      [3, 1],
      [2, 0],
    ] as const) {
      assertShared(
        assign(
          Array.from({ length: members }, (_, i) => member(`m${i}`)),
          partitions,
        ),
        partitions,
      );
    }
  });

  it('moves no more than a newcomer needs, and nothing else when a member leaves', () => {
    const one = assign([member('a')], 16);
    const two = assign([...asMembers(one, 1), member('b', [], -1)], 16);
    assert.equal(kept(one, two), 8);
    const three = assign([...asMembers(two, 2), member('c', [], -1)], 16);
    assertShared(three, 16);
    assert.equal(kept(two, three), 11);
    three.delete('b');
    const left = assign(asMembers(three, 3), 16);
    assertShared(left, 16);
    assert.equal(kept(three, left), [...three.values()].flat().length);
  });

  it('changes nothing when nothing changed', () => {
    const before = assign([member('a'), member('b'), member('c')], 16);
    assert.deepEqual(assign(asMembers(before, 4), 16), before);
  });

  it('believes the later generation where two claim one partition', () => {
    const shares = assign([member('asleep', [0, 1, 2, 3], 3), member('awake', [0, 1, 2, 3], 5)], 4);
    assertShared(shares, 4);
    assert.deepEqual(shares.get('awake'), [0, 1]);
  });

  it('ignores claims to partitions that do not exist', () => {
    assertShared(assign([member('a', [99, -1, 2]), member('b')], 4), 4);
  });

  it('stays balanced and complete over any sequence of joins and leaves', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    let shares = new Map<string, number[]>();
    for (let generation = 1, next = 0; generation < 500; generation++) {
      if (shares.size === 0 || random(2) === 0) shares.set(`m${next++}`, []);
      else shares.delete([...shares.keys()][random(shares.size)] as string);
      if (shares.size === 0) continue;
      shares = assign(asMembers(shares, generation), 13);
      assertShared(shares, 13);
    }
  });
});
