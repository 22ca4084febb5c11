import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assign, type Claimant, warmthOf } from '../../../../../services/runtime/log/kafka/assigner.ts';
import { placeStandbys } from '../../../../../services/runtime/log/kafka/place-standbys.ts';

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

describe('the partition assigner', () => {
  it('the partition assigner gives everything to one member, and divides evenly among several', () => {
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

  it('the partition assigner moves no more than a newcomer needs, and nothing else when a member leaves', () => {
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

  it('the partition assigner changes nothing without a change', () => {
    const before = assign([member('a'), member('b'), member('c')], 16);
    assert.deepEqual(assign(asMembers(before, 4), 16), before);
  });

  it('the partition assigner believes the later generation if two members claim one partition', () => {
    const shares = assign([member('asleep', [0, 1, 2, 3], 3), member('awake', [0, 1, 2, 3], 5)], 4);
    assertShared(shares, 4);
    assert.deepEqual(shares.get('awake'), [0, 1]);
  });

  it('the partition assigner ignores claims to partitions that do not exist', () => {
    assertShared(assign([member('a', [99, -1, 2]), member('b')], 4), 4);
  });

  it('the partition assigner stays balanced and complete over any sequence of joins and leaves', () => {
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

describe('partitions that have to move', () => {
  it('a moving partition goes to its standby, or else to a member with its folder', () => {
    const owners = [member('a', [0, 1]), { ...member('b', [2, 3]), standbys: [4] }, { ...member('c', []), holds: [5] }];
    const shares = assign(owners, 6);
    assertShared(shares, 6);
    assert.deepEqual(
      [...shares],
      [
        ['a', [0, 1]],
        ['b', [2, 3]],
        ['c', [4, 5]],
      ],
    );
    const roomy = assign(
      [member('a', [0, 1]), { ...member('b', [2]), standbys: [4] }, { ...member('c', [3]), holds: [5] }],
      6,
    );
    assert.deepEqual(roomy.get('b'), [2, 4]);
    assert.deepEqual(roomy.get('c'), [3, 5]);
  });

  it('moving partitions find standbys that keep the balance, whichever member dies', () => {
    for (const [count, partitions] of [
      [2, 8],
      [3, 12],
      [4, 12],
      [5, 20],
      [3, 16],
    ] as const) {
      const ids = Array.from({ length: count }, (_, i) => `m${i}`);
      const shares = assign(
        ids.map((id) => member(id)),
        partitions,
      );
      const places = placeStandbys({ shares, able: ids, count: 1, warmth: () => 0 });
      for (const dead of ids) {
        const left = ids
          .filter((id) => id !== dead)
          .map((id) => ({
            ...member(id, shares.get(id)),
            standbys: places.get(id)!.map(({ partition }) => partition),
          }));
        const after = assign(left, partitions);
        assertShared(after, partitions);
        const cold = left.flatMap(({ id, owned, standbys }) =>
          after.get(id)!.filter((partition) => !owned.includes(partition) && !standbys.includes(partition)),
        );
        // Where the counts don't divide evenly, one may have to go to a member that keeps no copy of it.
        const evenly = partitions % count === 0 && (partitions / count) % (count - 1) === 0;
        assert.ok(cold.length <= (evenly ? 0 : 1), `${dead} of ${count}: ${cold} are cold`);
      }
    }
  });

  it('moving partitions return to the member that had them before it was away', () => {
    const before = assign([member('a'), member('b'), member('c')], 12);
    const without = assign(asMembers(new Map([...before].filter(([id]) => id !== 'b')), 2), 12);
    const back = { ...member('b2', [], -1), holds: before.get('b')! };
    assert.deepEqual(assign([...asMembers(without, 3), back], 12).get('b2'), before.get('b'));
  });
});

describe('standbys', () => {
  const idsOf = (count: number) => Array.from({ length: count }, (_, i) => `m${i}`);
  const place = (members: readonly Claimant[], partitions: number, count: number) => {
    const shares = assign(members, partitions);
    const able = members.map(({ id }) => id);
    return { shares, places: placeStandbys({ shares, able, count, warmth: warmthOf(members) }) };
  };

  it('standbys are never on the owner, never twice on one member, and as many as there are members', () => {
    for (const [members, partitions, count] of [
      [1, 4, 1],
      [2, 7, 1],
      [2, 7, 3],
      [3, 8, 2],
      [5, 16, 1],
      [6, 4, 2],
    ] as const) {
      const { shares, places } = place(
        idsOf(members).map((id) => member(id)),
        partitions,
        count,
      );
      for (let partition = 0; partition < partitions; partition++) {
        const keepers = [...places].flatMap(([id, all]) =>
          all.filter((one) => one.partition === partition).map(() => id),
        );
        assert.equal(keepers.length, Math.min(count, members - 1));
        assert.equal(new Set(keepers).size, keepers.length);
        for (const id of keepers) assert.ok(!shares.get(id)!.includes(partition));
      }
      const counts = [...places.values()].map((all) => all.length);
      const even = (partitions * Math.min(count, members - 1)) / members;
      assert.ok(Math.max(...counts) <= Math.ceil(even), `balanced: ${counts}`);
    }
  });

  it('standbys are not placed on members that keep none', () => {
    const shares = assign([member('a'), member('b'), member('old')], 6);
    const places = placeStandbys({ shares, able: ['a', 'b'], count: 1, warmth: () => 0 });
    assert.equal(places.get('old'), undefined);
    assert.equal(places.get('a')!.length + places.get('b')!.length, 6);
  });

  it('standbys stay without a change, and move little when members come and go', () => {
    let seed = 11;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    let members: Claimant[] = [member('m0'), member('m1'), member('m2')];
    for (let generation = 1, next = 3; generation < 200; generation++) {
      const first = place(members, 13, 1);
      const settled = members.map(({ id }) => ({
        ...member(id, first.shares.get(id), generation),
        standbys: first.places.get(id)!.map(({ partition }) => partition),
      }));
      const again = place(settled, 13, 1);
      assert.deepEqual([...again.places], [...first.places]);
      for (const [id, all] of again.places)
        for (const { partition } of all) assert.ok(!again.shares.get(id)!.includes(partition));
      members = settled;
      if (members.length > 2 && random(2) === 0) members.splice(random(members.length), 1);
      else members.push(member(`m${next++}`, [], -1));
    }
  });
});
