/** What a page's links have led to lately: sums that fade. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gain, gainPerDay, secondsToGain, withVisit } from '../../../../topology/policy/recrawl/gain.ts';

const gain = (urls: number, seconds: number, visits: number): Gain => ({ urls, seconds, visits });

test('a page’s gain starts with the first visit that brought new URLs, and adds up', () => {
  assert.equal(withVisit(undefined, 0, 60), undefined);
  assert.deepEqual(withVisit(undefined, 1, 60), gain(1, 60, 1));
  assert.deepEqual(withVisit(gain(1, 60, 1), 4, 40), gain(5, 100, 2));
  assert.deepEqual(withVisit(gain(1, 60, 1), 0, 40), gain(1, 100, 2));
  assert.deepEqual(withVisit(gain(1, 60, 7), 2, 40), gain(3, 100, 8));
});

test('gain times are whole seconds, at least one', () => {
  const secondsOf = (sinceS: number) => withVisit(undefined, 1, sinceS)!.seconds;
  assert.deepEqual([0, 0.4, 1.4, 1.5, -3].map(secondsOf), [1, 1, 1, 2, 1]);
});

test('from the ninth visit on the earlier gain counts by half', () => {
  assert.deepEqual(withVisit(gain(9, 101, 8), 2, 40), gain(6, 90, 5));
  assert.deepEqual(withVisit(gain(9, 101, 9), 2, 40), gain(6, 90, 5));
});

test('a page that brings nothing any more is no hub in the end', () => {
  assert.deepEqual(withVisit(gain(2, 100, 8), 0, 40), gain(1, 90, 5));
  assert.equal(withVisit(gain(1, 100, 8), 0, 40), undefined);
  assert.deepEqual(withVisit(gain(1, 100, 8), 1, 40), gain(1, 90, 5));
});

test('the expected gain follows from both sums', () => {
  assert.equal(gainPerDay(gain(3, 43_200, 1)), 6);
  assert.deepEqual(
    [1, 2, 3, 4].map((wanted) => secondsToGain(gain(3, 100, 1), wanted)),
    [34, 67, 100, 134],
  );
});
