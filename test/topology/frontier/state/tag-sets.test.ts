import assert from 'node:assert/strict';
import { it } from 'node:test';
import { TagSets } from '../../../../topology/frontier/state/tag-sets.ts';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';
import { tagLimits } from '../../../../topology/url/tag-limits.ts';

it('lists of tags are known by their numbers, also after a checkpoint', () => {
  const sets = new TagSets();
  const given = [['news'], ['legal', 'news'], ['customer=acme']];
  for (const tags of given) sets.add(sets.nextNumber, tags);
  const writer = new ByteWriter(64);
  sets.save(writer);
  const back = new TagSets();
  back.load(new ByteReader(writer.take()));
  for (const one of [sets, back]) {
    assert.deepEqual(one.all, given);
    assert.equal(one.size, 3);
    assert.equal(one.nextNumber, 4);
    for (const [at, tags] of given.entries()) {
      assert.equal(one.numberOf(tags), at + 1);
      assert.deepEqual(one.tagsOf(at + 1), tags);
    }
    assert.equal(one.numberOf([]), 0);
    assert.equal(one.numberOf(['other']), 0);
    for (const number of [undefined, 0, 4]) assert.deepEqual(one.tagsOf(number), []);
  }
});

it('a list of tags may come without earlier ones, as from a trimmed changelog', () => {
  const sets = new TagSets();
  sets.add(3, ['late']);
  assert.deepEqual(sets.tagsOf(1), []);
  assert.deepEqual(sets.tagsOf(3), ['late']);
  assert.equal(sets.nextNumber, 4);
});

it('the number of lists is bounded', () => {
  const sets = new TagSets();
  for (let n = 1; n < tagLimits.setsMax; n++) sets.add(sets.nextNumber, [`t${n}`]);
  assert.equal(sets.isFull, false);
  sets.add(sets.nextNumber, ['last']);
  assert.equal(sets.isFull, true);
});
