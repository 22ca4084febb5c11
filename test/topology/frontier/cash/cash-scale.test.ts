import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CashScale } from '../../../../topology/frontier/cash/cash-scale.ts';

const other = 5;

function scaleOf(...notes: readonly (readonly [amount: number, urls: number])[]): CashScale {
  const scale = new CashScale();
  for (const [amount, urls] of notes) scale.note(amount, urls);
  return scale;
}

const savedSum = (scale: CashScale) => scale.save().reduce((sum, number, at) => sum + (at % 2) * number, 0);

test('before 128 URLs no amount counts as much', () => {
  assert.equal(scaleOf([1, 127]).frontQueueOf(64, other), other);
  assert.equal(scaleOf([1, 128]).frontQueueOf(64, other), 0);
  assert.equal(scaleOf([1, 100], [2, 28]).frontQueueOf(64, other), 0);
});

test('a front queue is a rank: above all but 1/128 of arrivals, then twice as many each', () => {
  // Of 1,280 URLs so many hold more than 8; 10 are 1/128.
  const ranks = [
    ...[
      [0, 0],
      [10, 0],
      [11, 1],
      [20, 1],
      [21, 2],
      [40, 2],
      [41, 3],
      [80, 3],
      [81, 4],
      [160, 4],
      [161, 5],
      [320, 5],
    ],
    ...[
      [321, 6],
      [640, 6],
      [641, 7],
      [1_280, 7],
    ],
  ] as const;
  for (const [above, frontQueue] of ranks) {
    const scale = scaleOf([64, above], [1, 1_280 - above]);
    assert.equal(scale.frontQueueOf(8, other), frontQueue, `${above} above`);
  }
});

test('equal amounts count by half, in steps of half an octave', () => {
  const scale = scaleOf([8, 20], [1, 1_260]);
  assert.deepEqual(
    [8, 11.9, 7.9, 12].map((amount) => scale.frontQueueOf(amount, other)),
    [0, 0, 1, 0],
  );
  assert.deepEqual(scaleOf([8, 22], [1, 1_258]).frontQueueOf(8, other), 1);
  assert.deepEqual(scaleOf([12, 22], [1, 1_258]).frontQueueOf(8, other), 2);
  assert.deepEqual(scaleOf([11, 22], [1, 1_258]).frontQueueOf(8, other), 1);
});

test('a URL without cash is in the poorer half', () => {
  const scale = scaleOf([0, 1_280]);
  assert.deepEqual(
    [0, -1].map((amount) => scale.frontQueueOf(amount, other)),
    [7, 7],
  );
  assert.equal(scale.frontQueueOf(1e-9, other), 0);
});

test('old amounts fade: counts are halved at 131,072 URLs', () => {
  const full = scaleOf([4, 131_071]);
  assert.equal(savedSum(full), 131_071);
  full.note(1, 1);
  assert.equal(savedSum(full), 65_535);
  full.note(1, 65_536);
  assert.equal(savedSum(full), 131_071);
  full.note(1, 1);
  // 65,535 of the one and 65,537 of the other, each halved.
  assert.deepEqual(
    full
      .save()
      .filter((_, at) => at % 2 === 1)
      .sort(),
    [32_767, 32_768],
  );
  assert.equal(full.frontQueueOf(16, other), 0);
});

test('the scale is saved unchanged, and continues', () => {
  const scale = scaleOf([1, 100], [3, 7], [1e-12, 50]);
  assert.equal(scale.save().length, 6);
  assert.deepEqual(scaleOf().save(), []);
  const again = new CashScale();
  again.load(scale.save());
  assert.deepEqual(again.save(), scale.save());
  assert.equal(again.frontQueueOf(64, other), 0);
  const few = new CashScale();
  few.load(scaleOf([1, 127]).save());
  assert.equal(few.frontQueueOf(64, other), other);
});
