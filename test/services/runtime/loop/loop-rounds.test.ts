/** When an event loop counts as blocked, and by whom. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LoopNews, LoopRounds } from '../../../../services/runtime/loop/loop-rounds.ts';

const limits = { beatMs: 10, notedMs: 30, stillMsMax: 70 };

/** Rounds that all see the same beat, each with the subject that the main thread worked for. */
function still(rounds: LoopRounds, beat: number, ...subjects: readonly number[]): LoopNews[] {
  return subjects.map((number) => rounds.look(beat, number));
}

test('a loop that beats is never noted, however often it is looked at', () => {
  const rounds = new LoopRounds(limits);
  for (let beat = 1; beat < 100; beat++) assert.deepEqual(still(rounds, beat, 1, 1, 1), [null, null, null]);
});

test('a loop that stands is noted once, and again after it ran', () => {
  const rounds = new LoopRounds(limits);
  assert.deepEqual(still(rounds, 5, 0, 0, 0, 0, 0), [null, null, null, 'noted', null]);
  assert.deepEqual(still(rounds, 6, 0, 0, 0, 0), ['running', null, null, 'noted']);
  assert.deepEqual(still(rounds, 7, 0), ['running']);
  assert.deepEqual(still(rounds, 8, 0), [null]);
});

test('a loop that stands for too long has ended, and nothing more is said of it', () => {
  const rounds = new LoopRounds(limits);
  const news = still(rounds, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  assert.deepEqual(news, [null, null, null, 'noted', null, null, null, 'ended', null]);
  assert.equal(rounds.look(2, 0), null);
});

test('a loop that has not beaten yet stands from the first round on', () => {
  assert.deepEqual(still(new LoopRounds(limits), 0, 0, 0, 0), [null, null, 'noted']);
});

test('the subject of more than half of the rounds is blamed', () => {
  const blamed = (...subjects: readonly number[]) => {
    const rounds = new LoopRounds(limits);
    for (const [number, subject] of [
      [1, 'a'],
      [2, 'b'],
      [3, 'gone'],
    ] as const)
      rounds.report({ number, subject });
    rounds.report({ number: 3, subject: null });
    still(rounds, 0, ...subjects);
    return rounds.culprit;
  };
  assert.equal(blamed(1, 1, 1), 'a');
  assert.equal(blamed(1, 2, 2), 'b');
  assert.equal(blamed(1, 2), null, 'neither has more than half');
  assert.equal(blamed(0, 0, 1), null, 'most of the time it worked for none');
  assert.equal(blamed(0, 1, 1), 'a');
  assert.equal(blamed(3, 3), null, 'its name is not known any more');
  assert.equal(blamed(), null);
});

test('rounds before a beat blame nobody', () => {
  const rounds = new LoopRounds(limits);
  rounds.report({ number: 1, subject: 'a' });
  still(rounds, 0, 1, 1, 1);
  still(rounds, 1, 1);
  assert.equal(rounds.culprit, null);
});
