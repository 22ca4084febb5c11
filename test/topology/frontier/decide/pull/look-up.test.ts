/** What an answer about one URL of a served queue costs, in rows read, whatever the queue. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookUp } from '../../../../../topology/frontier/decide/pull/look-up.ts';
import { key, Served, urlAt } from './served.ts';

describe('a URL of a served queue', () => {
  it('a URL of a served queue is found by at most two rows once the queue is indexed, however many wait in it', () => {
    for (const urls of [1_000, 30_000]) {
      const served = new Served(1);
      for (let n = 0; n < urls; n += 1_000) served.put(Array.from({ length: 1_000 }, (_, i) => n + i));
      served.save();
      served.rig.reopen(served.nowMs, false);
      const first = served.counted(lookUp(served.state, key, urlAt(0)));
      assert.ok(first.reads > urls / 128, `${first.reads} reads of ${urls} URLs`);
      for (let n = 0; n < urls; n += urls / 50) {
        const { result, reads } = served.counted(lookUp(served.state, key, urlAt(n)));
        assert.equal(result?.entry.url, urlAt(n));
        assert.ok(reads <= 2, `${reads} reads`);
      }
      assert.equal(served.counted(lookUp(served.state, key, urlAt(urls + 1))).result, undefined);
    }
  });

  it('a URL that is put again in a purged queue costs one row, and so does a duplicate there', () => {
    const reads: number[] = [];
    for (const urls of [1_000, 20_000]) {
      const served = new Served(1);
      for (let n = 0; n < urls; n += 1_000) served.put(Array.from({ length: 1_000 }, (_, i) => n + i));
      const gone = Array.from({ length: 500 }, (_, n) => urls - 1 - n);
      const places = gone.map((n) => served.counted(lookUp(served.state, key, urlAt(n))).result!);
      assert.equal(served.order({ kind: 'forget', key, urls: places }), 500);
      served.save();
      served.rig.reopen(served.nowMs, false);
      const before = served.rig.rows.readCount;
      assert.deepEqual(new Set(served.put([0, 1, 2, 3])), new Set([1]), 'duplicates');
      assert.deepEqual(new Set(served.put(gone)), new Set([0]), 'put again');
      reads.push(served.rig.rows.readCount - before);
    }
    assert.ok(reads[1]! <= reads[0]! + 2, `${reads} rows were read`);
  });
});
