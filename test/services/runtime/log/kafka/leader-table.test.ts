import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';
import { createLeaderTable, newestOf } from '../../../../../services/runtime/log/kafka/leader-table.ts';

const of = (...leaders: [node: number, epoch: number][]) => leaders.map(([node, epoch]) => ({ node, epoch }));
const nodes = (leaders: readonly { node: number }[] | undefined) => leaders?.map(({ node }) => node);

function tableAt() {
  let nowMs = 0;
  const table = createLeaderTable(() => nowMs);
  return { table, pass: (ms: number) => void (nowMs += ms) };
}

test('of two answers the newer epoch of each partition counts, in whichever order they come', () => {
  for (const answers of [
    [of([1, 5], [2, 9]), of([2, 6], [1, 8])],
    [of([2, 6], [1, 8]), of([1, 5], [2, 9])],
  ]) {
    const { table } = tableAt();
    const [first, second] = answers.map((one) => table.take('t', one));
    assert.deepEqual([first, second], [true, false]);
    assert.deepEqual(nodes(table.of('t')), [2, 2]);
    assert.deepEqual(nodes(newestOf(answers)), [2, 2]);
  }
});

test('an answer with the same epoch and no leader counts: the leader is gone', () => {
  const { table } = tableAt();
  table.take('t', of([1, 5]));
  table.take('t', of([-1, 5]));
  assert.deepEqual(nodes(table.of('t')), [-1]);
});

test('a majority with an older epoch is believed only when the newer one has been known for a while', () => {
  const { table, pass } = tableAt();
  table.take('t', of([2, 6]));
  pass(kafkaLimits.olderEpochMs - 1);
  table.take('t', of([1, 0]), true);
  assert.deepEqual(nodes(table.of('t')), [2]);
  pass(1);
  table.take('t', of([1, 0]));
  assert.deepEqual(nodes(table.of('t')), [2]);
  table.take('t', of([1, 0]), true);
  assert.deepEqual(nodes(table.of('t')), [1]);
});

test('a record of a newer epoch leaves the partition without a leader until a broker names it', () => {
  const { table } = tableAt();
  table.take('t', of([1, 5]));
  table.saw('t', 0, 6);
  assert.equal(table.of('t'), undefined);
  table.take('t', of([1, 5]));
  assert.deepEqual(nodes(table.of('t')), [-1]);
  table.take('t', of([2, 6]));
  assert.deepEqual(nodes(table.of('t')), [2]);
});

test('a topic that was deleted is new when it is there again', () => {
  const { table } = tableAt();
  table.saw('t', 0, 7);
  table.take('t', of([2, 7]));
  table.drop('t');
  table.take('t', of([1, 0]));
  assert.deepEqual(nodes(table.of('t')), [1]);
});

test('without epochs the last answer counts', () => {
  const { table } = tableAt();
  table.take('t', of([1, -1]));
  table.take('t', of([2, -1]));
  assert.deepEqual(nodes(table.of('t')), [2]);
  table.take('t', of([1, 4]));
  table.take('t', of([2, -1]));
  assert.deepEqual(nodes(table.of('t')), [2]);
});
