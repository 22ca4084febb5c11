/** The part of a flow in memory: ends of its topics, the newest records, and who waits for more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlowTail } from '../../../../../services/runtime/log/folded/flow-tail.ts';
import {
  fold,
  folding,
  heldBy,
  isOfFolded,
  placeOf,
  topicsHolding,
} from '../../../../../services/runtime/log/folded/fold.ts';
import type { LogRecord } from '../../../../../services/runtime/log/log.ts';

/** A record of a topic, as it stands in the flow. */
function record(name: string, offset: number, bytes = 10): LogRecord {
  const value = Buffer.alloc(bytes);
  const { topic, headers } = fold({ topic: `f.c.${name}`, partition: 0, key: null, value });
  return { topic, partition: 0, offset, timestampMs: 0, key: null, value, headers: headers! };
}

const foreign = (offset: number): LogRecord => ({ ...record('results', offset), headers: {} });
const offsets = (records: Iterable<LogRecord>) => [...records].map(({ offset }) => offset);

test('topics of a crawl are in its flow, except pages, the changelog, and those that are named', () => {
  assert.deepEqual(placeOf('f.c.results'), { flow: 'f.c.flow', name: 'results' });
  for (const topic of ['f.c.pages', 'f.c.frontier-changelog', 'results', '.results', 'f.c.other'])
    assert.equal(placeOf(topic), null, topic);
  assert.equal(placeOf('f.c.responses', new Set(['f.c.responses'])), null);
  assert.equal(heldBy('f.c.results'), 'f.c.flow');
  assert.equal(heldBy('f.c.pages'), 'f.c.pages');
  const spec = (name: string, partitions: number) => ({ name, partitions, retention: 'time' as const });
  assert.deepEqual(
    topicsHolding([spec('f.c.results', 2), spec('f.c.pages', 4), spec('f.c.control', 3), spec('f.c.tasks', 1)]),
    [{ name: 'f.c.flow', partitions: 3, retention: 'state' }, spec('f.c.pages', 4)],
  );
  assert.equal(isOfFolded(`${folding('f.c.g')}results`), true);
  assert.equal(isOfFolded('f.c.g'), false);
  assert.equal(isOfFolded('f.c.g@pages'), false);
});

test('a tail knows the end of each topic, read or appended here', () => {
  const tail = new FlowTail('f.c.flow', 0, 5, 10_000);
  assert.deepEqual([tail.endOf('results'), tail.knownEnd, tail.readTo, tail.from], [5, 5, 5, 5]);
  tail.add([record('results', 5), record('control', 6), foreign(7)]);
  assert.deepEqual([tail.endOf('results'), tail.endOf('control'), tail.endOf('tasks')], [6, 7, 5]);
  assert.deepEqual([tail.knownEnd, tail.readTo], [8, 8]);
  tail.appended('results', 20);
  tail.appended('results', 19);
  assert.deepEqual([tail.endOf('results'), tail.knownEnd, tail.readTo], [21, 21, 8]);
});

test('records of a topic are given from any position, without those of others', () => {
  const tail = new FlowTail('f.c.flow', 0, 0, 1_000_000);
  tail.add(Array.from({ length: 20 }, (_, n) => record(n % 3 === 0 ? 'results' : 'control', n)));
  for (let position = 0; position <= 21; position++)
    assert.deepEqual(
      offsets(tail.since('results', position)),
      [0, 3, 6, 9, 12, 15, 18].filter((offset) => offset >= position),
      `${position}`,
    );
  assert.deepEqual(offsets(tail.since('tasks', 0)), []);
  assert.equal([...tail.since('results', 0)][0]?.topic, 'f.c.results');
});

test('a tail beyond its bound keeps the newest half, and says where that begins', () => {
  // A record counts as its value and 200 bytes.
  const tail = new FlowTail('f.c.flow', 0, 0, 1_000);
  tail.add(Array.from({ length: 5 }, (_, n) => record('results', n, 0)));
  assert.deepEqual([tail.from, offsets(tail.since('results', 0))], [0, [0, 1, 2, 3, 4]]);
  tail.add([record('results', 5, 1)]);
  assert.deepEqual([tail.from, offsets(tail.since('results', 0))], [4, [4, 5]]);
  tail.add([record('results', 6, 100_000)]);
  assert.deepEqual([tail.from, tail.readTo, offsets(tail.since('results', 0))], [7, 7, []]);
  tail.add([record('results', 7, 0)]);
  assert.deepEqual([tail.from, offsets(tail.since('results', 0))], [7, [7]]);
});

test('a listener is called for records, failures and the end, until it stops', () => {
  const tail = new FlowTail('f.c.flow', 0, 0, 1_000);
  let calls = 0;
  const stop = tail.listen(() => (calls += 1));
  tail.add([record('results', 0)]);
  tail.fail(new Error('away'));
  assert.deepEqual([tail.failures, (tail.failure as Error).message], [1, 'away']);
  tail.close();
  assert.deepEqual([calls, tail.isClosed], [3, true]);
  stop();
  tail.notify();
  assert.equal(calls, 3);
});

test('a wait for an offset ends once the offset is read or the tail closes, and fails with the reading', async () => {
  const tail = new FlowTail('f.c.flow', 0, 0, 1_000);
  await tail.reached(0);
  let isOver = false;
  const second = tail.reached(2).then(() => (isOver = true));
  tail.add([record('results', 0)]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(isOver, false);
  tail.add([record('results', 1)]);
  await second;
  const failing = tail.reached(9);
  tail.fail(new Error('away'));
  await assert.rejects(failing, /away/);
  // An earlier failure is no failure of a later wait.
  const later = tail.reached(3);
  tail.add([record('results', 2)]);
  await later;
  const ended = tail.reached(9);
  tail.close();
  await ended;
});
