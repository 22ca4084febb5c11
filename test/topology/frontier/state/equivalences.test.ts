import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Equivalences,
  type Evidence,
  evidenceOf,
  isLearnt,
  noEvidence,
  proofsNeeded,
} from '../../../../topology/frontier/state/equivalences.ts';

describe('proved spellings of a host', () => {
  it('proved spellings of a host need the given number of proofs, twice as many after each contradiction, up to 64 times', () => {
    for (let against = 0; against < 10; against++) {
      const needed = 3 * 2 ** Math.min(against, 6);
      assert.equal(proofsNeeded({ ...noEvidence, against }, 3), needed);
      assert.equal(isLearnt({ ...noEvidence, against, proofs: needed - 1 }, 3), false);
      assert.equal(isLearnt({ ...noEvidence, against, proofs: needed }, 3), true);
    }
  });

  it('proved spellings of a host are read back from checkpoint rows, each reported once', () => {
    const [known, back] = [new Equivalences(), new Equivalences()];
    const some: Evidence = { proofs: 2, against: 1, targets: [7, 0xffff_ffff] };
    const learnt: Evidence = { proofs: 300, against: 0, targets: [] };
    known.put('b.test', 'slash', some);
    known.put('a.test', 'www', learnt);
    known.put('a.test', 'https', some);
    known.put('a.test', 'https', { ...some, proofs: 3 });
    const rows = known.takeRows();
    assert.deepEqual(
      rows.map(({ key }) => key.toString()),
      ['ea.test', 'eb.test'],
    );
    assert.deepEqual(known.takeRows(), []);
    for (const { key, value } of rows) back.load(key.toString().slice(1), value!);
    assert.deepEqual(back.hosts, known.hosts);
    assert.deepEqual([...back.of('a.test').keys()], ['www', 'https']);
    assert.equal(back.of('a.test').get('https')!.proofs, 3);
    assert.equal(back.of('c.test').size, 0);
  });

  it('proved spellings of a host go with its purge', () => {
    const known = new Equivalences();
    known.put('a.test', 'www', noEvidence);
    known.takeRows();
    known.forget('c.test');
    assert.deepEqual(known.takeRows(), []);
    known.forget('a.test');
    assert.deepEqual(known.takeRows(), [{ key: Buffer.from('ea.test'), value: null }]);
    assert.equal(known.of('a.test').size, 0);
  });

  it('proved spellings of a host are copied without other parts', () => {
    const more = { proofs: 1, against: 2, targets: [3], host: 'a.test' };
    assert.deepEqual(evidenceOf(more), { proofs: 1, against: 2, targets: [3] });
  });
});
