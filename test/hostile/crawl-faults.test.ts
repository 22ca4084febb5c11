import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crawlFaults, keptShare } from './crawl-faults.ts';

const good = { coreShare: 1, endedEarly: null, memoryMib: 500, privateReached: 0, livezLate: 0 };
const faults = (alone: number, beside: number, more: object = {}) =>
  crawlFaults({ rate: alone, coreShare: 1 }, { ...good, rate: beside, ...more }, 1_024);

test('a hostile run passes if honest hosts keep four fifths of their rate alone, for the core that they had', () => {
  assert.deepEqual(faults(100, 80), []);
  assert.deepEqual(faults(100, 79), ['honest hosts keep less than 80 %']);
  assert.deepEqual(faults(100, 40, { coreShare: 0.5 }), []);
  assert.equal(keptShare({ rate: 50, coreShare: 0.5 }, { rate: 80, coreShare: 1 }), 0.8);
});

test('a hostile run fails if the crawl alone was hindered, since its figure shows nothing', () => {
  assert.deepEqual(faults(90, 100), []);
  assert.deepEqual(faults(89, 100), ['something else hindered the crawl alone: run it again on a quiet machine']);
});

test('a hostile run names each fault', () => {
  const bad = { endedEarly: '1', memoryMib: 1_025, privateReached: 1, livezLate: 1 };
  assert.equal(faults(100, 10, bad).length, 5);
});
