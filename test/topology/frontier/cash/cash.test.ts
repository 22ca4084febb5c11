import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Cash } from '../../../../topology/frontier/cash/cash.ts';
import { CashScale } from '../../../../topology/frontier/cash/cash-scale.ts';
import { defaultOpic, handedOn } from '../../../../topology/policy/score/opic.ts';
import { fingerprint } from '../../../../topology/url/fingerprint.ts';

const hash = new Uint32Array(2);

function fingerprintOf(page: number): [number, number] {
  fingerprint(`https://a.test/${page}`, 7, 8, hash);
  return [hash[0]!, hash[1]!];
}

describe('the cash of URLs', () => {
  it('the cash of URLs is what they received less what they spent, and survives as rows', () => {
    const cash = new Cash();
    for (let page = 0; page < 1_000; page++) cash.move(1 / (1 + page), page % 3 === 0, fingerprintOf(page));
    for (let page = 0; page < 1_000; page += 2)
      cash.move(-cash.heldBy(...fingerprintOf(page)), false, fingerprintOf(page));
    const loaded = new Cash();
    for (const { key, value } of cash.takeRows()) loaded.load(key, value);
    assert.deepEqual(cash.takeRows(), []);
    assert.deepEqual(loaded.rows, cash.rows);
    let exact = 0;
    for (let page = 0; page < 1_000; page++) {
      const held = cash.heldBy(...fingerprintOf(page));
      const truth = page % 2 === 0 ? 0 : Math.fround(1 / (1 + page));
      assert.ok(held >= truth * 0.999, `page ${page} holds ${held}, not ${truth}`);
      if (Math.abs(held - truth) < 1e-6) exact += 1;
      assert.equal(loaded.heldBy(...fingerprintOf(page)), held);
    }
    assert.ok(exact > 990, `${exact}`);
  });

  it('the cash of URLs flows through pages as PageRank does', () => {
    // Everybody links to 0, 0 links to 1, nobody to 3.
    const graph = [[1], [0, 2], [0], [0]];
    const cash = new Cash();
    const received = graph.map(() => 1);
    for (const page of graph.keys()) cash.move(1, true, fingerprintOf(page));
    for (let round = 0; round < 200; round++) {
      for (const [page, links] of graph.entries()) {
        const held = cash.heldBy(...fingerprintOf(page));
        cash.move(-held, false, fingerprintOf(page));
        for (const link of links) cash.move(handedOn(defaultOpic, held) / links.length, false, fingerprintOf(link));
        for (const link of links) received[link]! += handedOn(defaultOpic, held) / links.length;
      }
    }
    const order = (values: readonly number[]) => values.map((_, page) => page).sort((a, b) => values[b]! - values[a]!);
    assert.deepEqual(order(received), order(pageRank(graph)));
  });
});

function pageRank(graph: readonly (readonly number[])[]): number[] {
  let rank = graph.map(() => 1 / graph.length);
  for (let round = 0; round < 100; round++) {
    const next = graph.map(() => 0.15 / graph.length);
    for (const [page, links] of graph.entries())
      for (const link of links) next[link]! += (0.85 * rank[page]!) / links.length;
    rank = next;
  }
  return rank;
}

describe('the scale of cash', () => {
  it('the scale of cash puts the richest 1/128 first and the poorer half last, whatever the amounts', () => {
    for (const unit of [1, 1e-6, 1e-12]) {
      const scale = new CashScale();
      assert.equal(scale.frontQueueOf(unit, 3), 3, 'nothing is much yet');
      // As many as they are poor: 2^-k of them hold 4^k.
      for (let octave = 0; octave < 14; octave++) scale.note(unit * 4 ** octave, 2 ** (14 - octave));
      const frontQueues = Array.from({ length: 14 }, (_, octave) => scale.frontQueueOf(unit * 4 ** octave, 3));
      assert.equal(frontQueues[0], 7);
      assert.equal(frontQueues[13], 0);
      for (let octave = 1; octave < 14; octave++) assert.ok(frontQueues[octave]! <= frontQueues[octave - 1]!);
      assert.deepEqual([...new Set(frontQueues)], [7, 6, 5, 4, 3, 2, 1, 0]);
      assert.equal(scale.frontQueueOf(0, 3), 7);
    }
  });

  it('the scale of cash forgets old amounts', () => {
    const scale = new CashScale();
    scale.note(1, 100_000);
    for (let n = 0; n < 1_000; n++) scale.note(1e-3, 1_000);
    assert.equal(scale.frontQueueOf(1e-2, 3), 0);
    const loaded = new CashScale();
    loaded.load(scale.save());
    assert.deepEqual(loaded.save(), scale.save());
  });
});

it('the scale of cash halves its counts after many URLs, and then forgets no more', () => {
  const [full, half] = [new CashScale(), new CashScale()];
  full.note(1, 2 ** 17);
  half.note(1, 2 ** 16);
  for (const scale of [full, half]) scale.note(100, 2 ** 16 - 1);
  for (const amount of [0, 0.5, 1, 10, 100, 1_000])
    assert.equal(full.frontQueueOf(amount, 3), half.frontQueueOf(amount, 3), `${amount}`);
  assert.ok(full.frontQueueOf(1, 3) > full.frontQueueOf(100, 3));
});
