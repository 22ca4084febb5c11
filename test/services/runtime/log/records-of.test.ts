/** Records of a range of a partition, read as they come. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log, LogReader, LogRecord } from '../../../../services/runtime/log/log.ts';
import { recordsOf } from '../../../../services/runtime/log/records-of.ts';

const record = (offset: number): LogRecord => ({
  ...{ topic: 't', partition: 3, offset, timestampMs: 0, key: null },
  ...{ value: Buffer.alloc(0), headers: {} },
});

/** A log that answers polls one after another; beyond the last answer, a poll is an error. */
function played(answers: readonly (readonly number[])[], ends: readonly number[] = []) {
  const seen = { sought: [] as string[], bytes: [] as number[], open: 0, opened: 0 };
  const [polls, left] = [[...answers], [...ends]];
  const reader = {
    seek: (topic: string, partition: number, offset: number) => seen.sought.push(`${topic}/${partition}@${offset}`),
    poll: async ({ maxBytes }: { readonly maxBytes: number }) => {
      seen.bytes.push(maxBytes);
      const offsets = polls.shift();
      assert.ok(offsets !== undefined, 'no further poll is expected');
      return offsets.map(record);
    },
    close: async () => {
      seen.open -= 1;
    },
  };
  const log = {
    reader: () => {
      seen.open += 1;
      seen.opened += 1;
      return reader as unknown as LogReader;
    },
    ...(ends.length > 0 && { offsets: async () => ({ start: 0, end: left.shift()! }) }),
  } as unknown as Pick<Log, 'reader' | 'offsets'>;
  return { log, seen };
}

async function read(log: Pick<Log, 'reader'>, from: number, to: number): Promise<number[]> {
  const offsets: number[] = [];
  for await (const { offset } of recordsOf(log, 't', 3, from, to)) offsets.push(offset);
  return offsets;
}

test('a range is read from its first record to its last, and none beyond', async () => {
  for (const answers of [[[2, 3], [4]], [[2, 3, 4, 5, 6]], [[2], [5]]]) {
    const { log, seen } = played(answers);
    assert.deepEqual(
      await read(log, 2, 5),
      answers.flat().filter((offset) => offset < 5),
    );
    assert.deepEqual(seen.sought, ['t/3@2']);
    assert.equal(seen.open, 0, 'the reader is closed');
  }
});

test('an empty range needs no reader', async () => {
  for (const [from, to] of [
    [2, 2],
    [3, 2],
  ] as const) {
    const { log, seen } = played([]);
    assert.deepEqual([await read(log, from, to), seen.opened], [[], 0]);
  }
});

test('the first read is the smallest, and each further one twice as large, up to a bound', async () => {
  const { log, seen } = played(Array.from({ length: 9 }, (_, n) => [n]));
  await read(log, 0, 9);
  const [first] = seen.bytes;
  const most = Math.max(...seen.bytes);
  assert.deepEqual(
    seen.bytes,
    seen.bytes.map((_, n) => Math.min(first! * 2 ** n, most)),
  );
  assert.equal(seen.bytes.at(-1), seen.bytes.at(-2));
});

test('a read without records is tried again while the log has the records, or is not asked', async () => {
  const { log } = played([[0], [], [1]], [2]);
  assert.deepEqual(await read(log, 0, 2), [0, 1]);
  const { log: unasked } = played([[], [0]]);
  assert.deepEqual(await read(unasked, 0, 1), [0]);
});

test('a log that has lost the end of a range is an error with the offsets', async () => {
  const { log, seen } = played([[0], []], [1]);
  await assert.rejects(read(log, 0, 2), {
    code: 'OFFSET_OUT_OF_RANGE',
    message: 't/3 ends at 1, but had records up to 1 a moment ago: records are lost',
  });
  assert.equal(seen.open, 0);
});

test('a caller that leaves early closes the reader', async () => {
  const { log, seen } = played([[0, 1]]);
  for await (const _ of recordsOf(log, 't', 3, 0, 2)) break;
  assert.deepEqual([seen.opened, seen.open], [1, 0]);
});
