import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { numbers } from '../../../../lab/web/random.ts';
import { gainedMax, packFlags, unpackFlags } from '../../../../topology/frontier/recrawl/due-flags.ts';
import { firstPlace, placeOfRow } from '../../../../topology/frontier/recrawl/due-order.ts';
import { type Due, DueTable, noRate } from '../../../../topology/frontier/recrawl/due-table.ts';

const due = (lo: number, more: Partial<Due> = {}): Due => ({
  hi: 1,
  lo,
  host: 0,
  dueS: 100,
  visitedS: 50,
  status: 1,
  frontQueue: 2,
  rateClass: noRate,
  fromSitemap: false,
  out: false,
  pushed: false,
  duplicate: false,
  gained: 0,
  ...more,
});

describe('a walk over the schedule', () => {
  /** Rows of some pages in the order of a walk with parts of seven, as their words. `meanwhile`: between two parts. */
  function walked(table: DueTable, meanwhile: (passed: number) => void = () => {}): string[] {
    const passed: string[] = [];
    for (let from = firstPlace; ; ) {
      const rows = table.rowsFrom(from, 8).map((row) => table.at(row));
      passed.push(...rows.slice(0, 7).map(({ hi, lo }) => `${hi} ${lo}`));
      if (rows[7] === undefined) return passed;
      from = placeOfRow(rows[7].hi, rows[7].lo);
      meanwhile(passed.length);
    }
  }

  function tableOf(words: readonly (readonly [hi: number, lo: number])[]): DueTable {
    const table = new DueTable();
    for (const [hi, lo] of words) table.put(due(lo, { hi }));
    return table;
  }

  const next = numbers(12);
  const words = Array.from({ length: 500 }, (_, n) => [next(), n % 9 === 0 ? 77 : next()] as const);

  it('a walk over the schedule passes each URL once, in an order that the table and its size have no part in', () => {
    const order = walked(tableOf(words));
    assert.deepEqual([...order].sort(), words.map(([hi, lo]) => `${hi} ${lo}`).sort());
    const larger = tableOf([...words].reverse());
    for (let n = 0; n < 3_000; n++) larger.put(due(next(), { hi: 5 }));
    for (let row = 0; row < larger.end; row++) if (larger.at(row).hi === 5) larger.remove(row);
    assert.deepEqual(walked(larger), order);
  });

  it('a walk over the schedule passes each URL that was there at its beginning, although the table grows meanwhile', () => {
    const table = tableOf(words);
    const order = walked(table, (passed) => {
      for (let n = 0; n < 40 && passed < 300; n++) table.put(due(next(), { hi: 5 }));
    });
    const old = order.filter((one) => !one.startsWith('5 '));
    assert.deepEqual(old, walked(tableOf(words)));
  });

  it('a walk over a schedule that has lost nearly all of its URLs looks at few places without one', () => {
    const table = tableOf(words);
    const order = walked(tableOf(words.slice(0, 20)));
    for (let lo = 0; lo < 100_000; lo++) table.put(due(lo, { hi: 5 }));
    for (let row = 0; row < table.end; row++) if (table.at(row).hi === 5) table.remove(row);
    for (const [hi, lo] of words.slice(20)) table.remove(table.find(hi, lo));
    assert.ok(table.places > 100_000);
    assert.deepEqual(walked(table), order);
    assert.ok(table.places <= 64 * table.size, `${table.places} places`);
    for (let lo = 0; lo < 1_000; lo++) table.put(due(lo, { hi: 6 }));
    assert.equal(walked(table).length, 1_020);
    for (const [hi, lo] of words.slice(0, 20)) assert.ok(table.find(hi, lo) >= 0);
  });

  it('a walk over an empty schedule passes nothing', () => {
    assert.deepEqual(walked(new DueTable()), []);
  });
});

describe('the schedule of visits', () => {
  it('the schedule of visits agrees with a plain list, whatever comes and goes', () => {
    const next = numbers(11);
    const table = new DueTable();
    const list = new Map<number, Due>();
    const waiting = (host: number) =>
      [...list.values()]
        .filter((one) => one.host === host && !one.out)
        .sort((a, b) => a.dueS - b.dueS || a.hi - b.hi || a.lo - b.lo);
    for (let turn = 0; turn < 4_000; turn++) {
      const [lo, host] = [next() % 300, next() % 4];
      const act = next() % 10;
      if (act < 6) {
        const one = due(lo, {
          ...{ host, dueS: next() % 50, frontQueue: next() % 8, status: next() % 8, visitedS: turn },
          ...{
            fromSitemap: next() % 2 === 0,
            pushed: next() % 2 === 0,
            gained: next() % 32,
            duplicate: next() % 2 === 0,
            rateClass: next() % 3 === 0 ? noRate : next() % 20,
            hi: lo % 3,
          },
        });
        table.put(one);
        list.set(lo, one);
      } else if (act < 8) {
        const row = table.find(lo % 3, lo);
        assert.equal(row >= 0, list.has(lo));
        if (row >= 0) assert.deepEqual(table.remove(row), list.get(lo));
        list.delete(lo);
      } else if (act === 8) {
        const count = Math.min(waiting(host).length, 3);
        const wanted = waiting(host).slice(0, count);
        assert.deepEqual(table.take(host, count), wanted);
        for (const one of wanted) list.set(one.lo, { ...one, out: true });
      } else if (next() % 20 === 0) {
        table.endLeases(turn);
        for (const [key, one] of list)
          if (one.out) list.set(key, { ...one, dueS: turn, fromSitemap: false, out: false, pushed: false });
      }
      assert.equal(table.size, list.size);
      assert.equal(table.out, [...list.values()].filter(({ out }) => out).length);
      assert.equal(table.firstDueS(host), waiting(host)[0]?.dueS);
      const nowS = next() % 50;
      const count = waiting(host).filter(({ dueS }) => dueS <= nowS).length;
      for (const most of [1, 3, 1_000]) assert.equal(table.dueCount(host, nowS, most), Math.min(count, most));
    }
    for (const [lo, one] of list) assert.deepEqual(table.at(table.find(lo % 3, lo)), one);
    const rows = Array.from({ length: table.end }, (_, row) => row).filter((row) => table.inUse(row));
    assert.equal(rows.length, list.size);
  });

  it('the schedule of visits reuses free rows', () => {
    const table = new DueTable();
    for (let lo = 0; lo < 10; lo++) table.put(due(lo));
    for (let lo = 0; lo < 10; lo++) table.remove(table.find(1, lo));
    for (let lo = 20; lo < 30; lo++) table.put(due(lo));
    assert.equal(table.end, 10);
  });

  it('the schedule of visits marks the rows to be written, and none after a load', () => {
    const table = new DueTable();
    table.put(due(1));
    assert.ok(table.unsaved.size > 0);
    table.loaded();
    assert.equal(table.unsaved.size, 0);
    table.remove(table.find(1, 1));
    assert.ok(table.unsaved.size > 0);
  });
});

it('the flags of a row fit into sixteen bits, each separately', () => {
  for (let status = 0; status < 8; status++) {
    for (let frontQueue = 0; frontQueue < 8; frontQueue++) {
      for (const reported of [false, true]) {
        for (const out of [false, true]) {
          for (const pushed of [false, true]) {
            for (const gained of [0, 1, gainedMax]) {
              const flags = { status, frontQueue, fromSitemap: reported, out, pushed, duplicate: gained !== 1, gained };
              assert.deepEqual(unpackFlags(packFlags(flags)), flags);
              assert.ok(packFlags(flags) < 65_536);
            }
          }
        }
      }
    }
  }
});
