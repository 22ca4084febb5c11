import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadDueRow, takeDueRows } from '../../../../topology/frontier/recrawl/due-rows.ts';
import { blockRows, type Due, noRate } from '../../../../topology/frontier/recrawl/due-table.ts';
import { RecrawlState } from '../../../../topology/frontier/recrawl/recrawl-state.ts';

const plain: Due = {
  ...{ hi: 7, lo: 1, host: 0, dueS: 1e9, visitedS: 9e8, rateClass: noRate, status: 0, frontQueue: 0, gained: 0 },
  ...{ fromSitemap: false, out: false, pushed: false, duplicate: false },
};
/** Every field has a value of its own, the numbers the largest that they may have. */
const full: Due = {
  ...{ hi: 0xffff_fff1, lo: 0xffff_fff2, host: 0xffff_fff3, dueS: 0xffff_fff4, visitedS: 0xffff_fff5 },
  ...{
    rateClass: 0xfff6,
    status: 4,
    frontQueue: 6,
    gained: 31,
    fromSitemap: true,
    out: false,
    pushed: true,
    duplicate: true,
  },
};

function rowsOf(...dues: readonly Due[]): RecrawlState {
  const recrawl = new RecrawlState();
  for (const due of dues) recrawl.table.put(due);
  return recrawl;
}

function loaded(rows: ReturnType<typeof takeDueRows>): RecrawlState {
  const recrawl = new RecrawlState();
  for (const { key, value } of rows) loadDueRow(recrawl, key, value!);
  recrawl.table.loaded();
  return recrawl;
}

const keysOf = (rows: ReturnType<typeof takeDueRows>) => rows.map(({ key }) => key.toString('hex'));
const duesOf = ({ table }: RecrawlState) =>
  Array.from({ length: table.end }, (_, row) => (table.inUse(row) ? table.at(row) : null));

test('an empty schedule has no rows', () => {
  assert.deepEqual(takeDueRows(new RecrawlState()), []);
});

test('each field of a row of the schedule is read back', () => {
  const dues = [plain, full, { ...plain, lo: 2, out: true }];
  assert.deepEqual(duesOf(loaded(takeDueRows(rowsOf(...dues)))), dues);
});

test('a block has 24 bytes a row, laid out as documented', () => {
  const [, { key, value } = { key: null, value: null }] = takeDueRows(rowsOf(plain, full));
  assert.equal(key!.toString('hex'), '6400000000');
  assert.equal(value!.length, 24 * blockRows);
  assert.equal(
    value!.subarray(24, 48).toString('hex'),
    // Gained 31, duplicate, pushed, not out, told, in use, front queue 6, status 4.
    'fffffff1fffffff2fffffff3fffffff4fffffff5' +
      ((31 << 11) | 0x400 | 0x200 | 0x80 | 0x40 | (6 << 3) | 4).toString(16) +
      'fff6',
  );
  assert.ok(value!.subarray(48).every((byte) => byte === 0));
});

test('how far a policy has moved pages is read back, and leaves no bytes before a policy has', () => {
  const retiming = { atMs: 1e12, freshFromMs: 2e12, reversed: 0xffff_fff7, hi: 0xffff_fff8, done: false };
  const recrawl = rowsOf(plain);
  const [rest] = takeDueRows(recrawl);
  for (const done of [false, true]) {
    recrawl.setRetiming({ ...retiming, done });
    const rows = takeDueRows(recrawl);
    assert.ok(rows[0]!.value!.subarray(0, rest!.value!.length).equals(rest!.value!));
    assert.deepEqual(loaded(rows).retiming, { ...retiming, done });
  }
  assert.equal(loaded([rest!]).retiming, null);
});

test('only changed blocks are written, in order, each once, and gaps stay gaps', () => {
  const recrawl = rowsOf(...Array.from({ length: 2 * blockRows + 1 }, (_, lo) => ({ ...plain, lo })));
  const all = takeDueRows(recrawl);
  assert.deepEqual(keysOf(all), ['64', '6400000000', '6400000001', '6400000002']);
  assert.deepEqual(takeDueRows(recrawl), []);
  recrawl.table.remove(recrawl.table.find(7, 2 * blockRows));
  recrawl.table.remove(recrawl.table.find(7, 3));
  const some = takeDueRows(recrawl);
  assert.deepEqual(keysOf(some), ['64', '6400000000', '6400000002']);
  const merged = new Map([...all, ...some].map((row) => [row.key.toString('hex'), row]));
  const again = loaded([...merged.values()]);
  assert.equal(again.table.size, 2 * blockRows - 1);
  assert.deepEqual(duesOf(again).slice(0, 2 * blockRows), duesOf(recrawl).slice(0, 2 * blockRows));
  // Free rows are used again.
  again.table.put({ ...plain, lo: 900 });
  assert.equal(again.table.find(7, 900), 3);
});

test('price, credit, trust and sitemap rounds are read back; from before rounds were kept, the rest', () => {
  const recrawl = new RecrawlState();
  recrawl.setPrice(-55, 1_234);
  recrawl.credit = -700;
  recrawl.trust.set(3, { fromSitemap: 4, proved: 5, lastDueS: 6 });
  recrawl.trust.set(9, { fromSitemap: 1, proved: 0, lastDueS: 2 });
  const round = { dueS: 70, sinceS: 60, tries: 2, secure: true };
  recrawl.sitemaps.put(3, round);
  const rows = takeDueRows(recrawl);
  assert.deepEqual(keysOf(rows), ['64']);
  const restOf = ({ price, pricedAtMs, credit, trust, sitemaps }: RecrawlState) => ({
    ...{ price, pricedAtMs, credit, trust: [...trust], rounds: [...sitemaps.entries()] },
  });
  const expected = {
    ...{ price: -55, pricedAtMs: 1_234, credit: -700, rounds: [[3, round]] },
    trust: [
      [3, { fromSitemap: 4, proved: 5, lastDueS: 6 }],
      [9, { fromSitemap: 1, proved: 0, lastDueS: 2 }],
    ],
  };
  assert.deepEqual(restOf(loaded(rows)), expected);
  const withoutRounds = new RecrawlState();
  withoutRounds.setPrice(-55, 1_234);
  const [old] = takeDueRows(withoutRounds);
  // The last byte says: no rounds.
  const before = loaded([{ key: old!.key, value: old!.value!.subarray(0, -1) }]);
  assert.deepEqual(restOf(before), { ...expected, credit: 0, trust: [], rounds: [] });
});
