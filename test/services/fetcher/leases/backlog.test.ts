import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTaskBacklog } from '../../../../services/fetcher/leases/backlog.ts';
import type { LogRecord, Position } from '../../../../services/runtime/log/log.ts';
import { CrawlstreamError } from '../../../../topology/errors.ts';

const topic = 't.tasks';
const at = (partition: number, offset: number): Position => ({ topic, partition, offset });
const record = (partition: number, offset: number): LogRecord => {
  return { topic, partition, offset, timestampMs: 0, key: null, value: Buffer.alloc(0), headers: {} };
};
const refused = () => new CrawlstreamError('OWNERSHIP_LOST', 'moved on');

/** A log whose commits are answered one by one; what was acked stands in `acked`. */
function startBacklog(...answers: (() => void)[]) {
  const acked: string[] = [];
  const commit = async (_: string, positions: readonly Position[]) => {
    await null;
    if (positions.length > 0) answers.shift()?.();
    acked.push(...positions.map(({ partition, offset }) => `${partition}@${offset}`));
  };
  return { backlog: createTaskBacklog({ commit }, 't.fetcher'), acked };
}

test('a partition that was lost and regained while its tasks were committed is not moved back to them', async () => {
  // As after a long freeze: the commit finds the session gone, the group is joined again, and gives the same partition.
  const { backlog, acked } = startBacklog(() => {
    backlog.end(3);
    backlog.begin(at(3, 50));
    throw refused();
  });
  backlog.begin(at(3, 17));
  backlog.begin(at(5, 8));
  backlog.put([record(3, 17), record(3, 18), record(5, 8)]);
  assert.equal(backlog.take(10).length, 3);
  const ours = await backlog.commit([at(3, 19), at(5, 9)]);
  assert.deepEqual([...ours], [5], 'what nobody else can have had is started');
  assert.deepEqual(acked, ['5@9']);
  assert.deepEqual(backlog.positions(), [at(5, 9), at(3, 50)], 'it is read on from where the others came to');
});

test('tasks read before their partition was lost and regained are dropped, in transit or waiting', () => {
  const { backlog } = startBacklog();
  backlog.begin(at(3, 17));
  backlog.put([record(3, 17)]);
  backlog.end(3);
  assert.equal(backlog.length, 0);
  backlog.put([record(3, 18)]);
  assert.equal(backlog.length, 0, 'it is nobody’s here');
  backlog.begin(at(3, 50));
  backlog.put([record(3, 19), record(3, 50)]);
  assert.deepEqual(
    backlog.take(10).map(({ offset }) => offset),
    [50],
  );
});

test('tasks with an acknowledged commit are started even if the partition was lost meanwhile', async () => {
  const { backlog, acked } = startBacklog(() => backlog.end(3));
  backlog.begin(at(3, 17));
  backlog.put([record(3, 17)]);
  backlog.take(10);
  assert.deepEqual([...(await backlog.commit([at(3, 18)]))], [3]);
  assert.deepEqual(acked, ['3@18']);
  assert.deepEqual(backlog.positions(), [], 'and the position is that of whoever has it now');
});

test('a partition that is lost between two single commits is left alone', async () => {
  const { backlog, acked } = startBacklog(
    () => {
      throw refused();
    },
    () => {
      backlog.end(5);
      backlog.begin(at(5, 40));
    },
  );
  backlog.begin(at(3, 17));
  backlog.begin(at(5, 8));
  backlog.put([record(3, 17), record(5, 8)]);
  backlog.take(10);
  assert.deepEqual([...(await backlog.commit([at(3, 18), at(5, 9)]))], [3]);
  assert.deepEqual(acked, ['3@18']);
});

test('any other error of a commit ends the fetcher', async () => {
  const { backlog } = startBacklog(() => {
    throw new CrawlstreamError('BROKER_UNREACHABLE', 'no broker');
  });
  backlog.begin(at(3, 17));
  backlog.put([record(3, 17)]);
  backlog.take(10);
  await assert.rejects(backlog.commit([at(3, 18)]), { code: 'BROKER_UNREACHABLE' });
});

test('a fetcher that has all tasks to itself starts them without a commit', async () => {
  const commit = () => Promise.reject(new Error('nothing is committed'));
  const backlog = createTaskBacklog({ commit }, null);
  backlog.begin(at(3, 17));
  backlog.put([record(3, 17), record(3, 18)]);
  assert.equal(backlog.take(10).length, 2);
  assert.deepEqual([...(await backlog.commit([at(3, 19)]))], [3]);
  assert.deepEqual(backlog.positions(), [at(3, 19)]);
});
