/** Offsets of a partition, trims, and positions of groups, on brokers that the test plays. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createByteWriter } from '../../../../../services/runtime/log/kafka/bytes.ts';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { transient } from '../../../../../services/runtime/log/kafka/errors.ts';
import {
  commitPositions,
  readCommitted,
  readLast,
  readOffsetAt,
  readRange,
  trimBelow,
} from '../../../../../services/runtime/log/kafka/positions.ts';
import { writeBatch } from '../../../../../services/runtime/log/kafka/record-batch.ts';

const codes = { outOfRange: 1, notLeader: 6, notCoordinator: 16, illegalGeneration: 22, notAllowed: 29 } as const;

interface Wire {
  readonly request: { readonly apiName: string; encode(): Promise<{ readonly buffer: Buffer }> };
}

interface Played {
  readonly start?: number;
  readonly end?: number;
  /** Offsets that still have a record. */
  readonly records?: readonly number[];
  /** Error of the nth answer of this API. */
  readonly error?: (api: string, nth: number) => number;
  /** The leader changes during the first range. */
  readonly moves?: boolean;
  readonly coordinator?: (api: string, text: string) => unknown;
}

function batchAt(offset: number): Buffer {
  const w = createByteWriter(64);
  const record = { topic: 't', partition: 3, key: null, value: Buffer.from(`value ${offset}`) };
  writeBatch(w, [{ record, timestampMs: 5 }], { id: 1, epoch: 0, sequence: 0 });
  const bytes = Buffer.from(w.buffer);
  // The checksum does not cover it.
  bytes.writeBigInt64BE(BigInt(offset));
  return bytes;
}

function brokers({ start = 0, end = 0, records = [], error = () => 0, moves = false, coordinator }: Played) {
  const asked: string[] = [];
  const forgotten: string[] = [];
  const counts = new Map<string, number>();
  let looks = 0;
  const answerOf = (api: string, body: Buffer) => {
    const nth = counts.get(api) ?? 0;
    counts.set(api, nth + 1);
    const errorCode = error(api, nth);
    if (api === 'ListOffsets') {
      const time = Number(body.readBigInt64BE(body.length - 8));
      asked.push(`${api} ${time}`);
      const offset = time === -2 ? start : time === -1 ? end : (records.find((one) => one >= time) ?? -1);
      return { errorCode, offset: errorCode === 0 ? offset : -1 };
    }
    if (api === 'Fetch') {
      // Replica, longest wait, least and most bytes, isolation and session; then the topic, and its partition.
      let at = 4 + 4 + 4 + 4 + 1 + 4 + 4 + 4;
      at += 2 + body.readInt16BE(at) + 4 + 4 + 4;
      const offset = Number(body.readBigInt64BE(at));
      asked.push(`${api} ${offset}`);
      const batches = records.filter((one) => one >= offset).slice(0, 2);
      return { parts: [{ errorCode, aborted: [], batches: Buffer.concat(batches.map(batchAt)) }] };
    }
    asked.push(api);
    return { topics: [{ partitions: [{ partition: 3, errorCode, offset: '0' }] }] };
  };
  const bodyOf = async ({ request }: Wire) => (await request.encode()).buffer;
  const cluster = {
    patienceMs: 5_000,
    leader: async () => ({ node: 1, epoch: 4 }),
    askMost: async () => void asked.push('most'),
    expectLeader: () => {
      looks += 1;
      if (moves && looks === 1) throw transient('the leader has moved');
    },
    forget: (topic: string, partition: number) => forgotten.push(`${topic}/${partition}`),
    forgetCoordinator: (group: string) => forgotten.push(group),
    sendLeader: async (_topic: string, _partition: number, make: (leader: { epoch: number }) => Wire) => {
      const wire = make({ epoch: 4 });
      return answerOf(wire.request.apiName, await bodyOf(wire));
    },
    sendCoordinator: async (_group: string, _purpose: string, wire: Wire) => {
      asked.push(wire.request.apiName);
      return coordinator!(wire.request.apiName, (await bodyOf(wire)).toString('latin1'));
    },
  } as unknown as Cluster;
  return { cluster, asked, forgotten };
}

test('a range is asked of the leader that a majority of brokers confirms, and again if it has moved', async () => {
  const still = brokers({ start: 2, end: 7 });
  assert.deepEqual(await readRange(still.cluster, 't', 3), { start: 2, end: 7 });
  assert.deepEqual(still.asked.toSorted(), ['ListOffsets -1', 'ListOffsets -2', 'most']);
  const moving = brokers({ start: 2, end: 7, moves: true });
  assert.deepEqual(await readRange(moving.cluster, 't', 3), { start: 2, end: 7 });
  assert.equal(moving.asked.length, 6);
});

test('an error of a leader that may pass is tried again with another leader, and another one is thrown', async () => {
  const passing = brokers({ end: 7, error: (_, nth) => (nth === 0 ? codes.notLeader : 0) });
  assert.deepEqual(await readRange(passing.cluster, 't', 3), { start: 0, end: 7 });
  assert.deepEqual(passing.forgotten, ['t/3']);
  const refused = brokers({ error: () => codes.notAllowed });
  await assert.rejects(readRange(refused.cluster, 't', 3), {
    code: 'INVALID_ARGUMENT',
    message: /^asking for the offsets of t\/3 is not allowed/,
  });
});

test('the offset of a time is that of the first record from then on, or the end', async () => {
  const { cluster, asked } = brokers({ end: 9, records: [0, 4] });
  assert.deepEqual([await readOffsetAt(cluster, 't', 3, 0), await readOffsetAt(cluster, 't', 3, 1)], [0, 4]);
  assert.equal(await readOffsetAt(cluster, 't', 3, 5), 9);
  assert.deepEqual(asked, ['ListOffsets 0', 'ListOffsets 1', 'ListOffsets 5', 'ListOffsets -1']);
});

test('the newest record is found before any number of offsets without a record', async () => {
  for (const [records, start, end, newest] of [
    [[0, 1, 2], 0, 3, 2],
    [[0, 1, 2, 3], 0, 10, 3],
    [[0, 1, 2, 3, 4, 5], 0, 6, 5],
    [[7], 7, 100, 7],
    [[], 5, 5, undefined],
    [[], 5, 60, undefined],
    [[0, 9], 0, 9, 0],
  ] as const) {
    const { cluster } = brokers({ start, end, records });
    const last = await readLast(cluster, 't', 3);
    assert.deepEqual(
      [last?.offset, last?.value.toString()],
      [newest, newest === undefined ? undefined : `value ${newest}`],
    );
  }
  const failing = brokers({
    end: 3,
    records: [2],
    error: (api, nth) => (api === 'Fetch' && nth === 0 ? codes.notLeader : 0),
  });
  assert.equal((await readLast(failing.cluster, 't', 3))?.offset, 2);
  assert.deepEqual(failing.forgotten, ['t/3']);
});

test('a partition is trimmed once, not below its start, and not beyond its end', async () => {
  const trimmed = async (before: number) => {
    const { cluster, asked } = brokers({ start: 2, end: 7 });
    await trimBelow(cluster, 't', 3, before);
    return asked.filter((one) => one === 'DeleteRecords').length;
  };
  assert.deepEqual([await trimmed(1), await trimmed(2), await trimmed(3), await trimmed(7)], [0, 0, 1, 1]);
  await assert.rejects(trimmed(8), {
    code: 'OFFSET_OUT_OF_RANGE',
    message: 'cannot trim t/3 below 8: it ends at 7; give an offset up to that',
  });
  const { cluster } = brokers({ end: 7, error: (api) => (api === 'DeleteRecords' ? codes.notAllowed : 0) });
  await assert.rejects(trimBelow(cluster, 't', 3, 1), { message: /^trimming t\/3 is not allowed/ });
});

const responses = (...errors: readonly number[]) => ({
  responses: [{ partitions: errors.map((errorCode, partition) => ({ partition, errorCode, offset: '0' })) }],
});
const at = (topic: string, partition: number, offset: number) => ({ topic, partition, offset });
const outsider = { memberId: '', generation: -1 };

test('positions are committed together, each topic once, and not in a generation that is over', async () => {
  const texts: string[] = [];
  const committing = (code: number) =>
    brokers({
      coordinator: (_, text) => {
        texts.push(text);
        return responses(0, code);
      },
    });
  const positions = [at('one', 0, 5), at('two', 0, 6), at('one', 1, 7)];
  assert.equal(await commitPositions(committing(0).cluster, 'g', positions, { memberId: 'm-1', generation: 9 }), true);
  assert.equal(texts[0]!.match(/one/g)?.length, 1);
  assert.ok(texts[0]!.includes('two') && texts[0]!.includes('m-1'));
  for (const code of [codes.illegalGeneration, 25, 27])
    assert.equal(await commitPositions(committing(code).cluster, 'g', positions, outsider), false, `${code}`);
  const moved = committing(codes.notCoordinator);
  await assert.rejects(commitPositions(moved.cluster, 'g', positions, outsider), { code: 'BROKER_UNREACHABLE' });
  assert.deepEqual(moved.forgotten, ['g']);
});

test('committed positions are those of partitions that have one, asked again if the coordinator moved', async () => {
  let tries = 0;
  const partition = (number: number, offset: string, errorCode = 0) => ({ partition: number, offset, errorCode });
  const { cluster, forgotten } = brokers({
    coordinator: () => {
      tries += 1;
      if (tries === 1) return { errorCode: codes.notCoordinator, responses: [] };
      const failed = tries === 2 ? codes.notCoordinator : 0;
      return {
        errorCode: 0,
        responses: [{ partitions: [partition(0, '0'), partition(1, '-1'), partition(2, '8', failed)] }],
      };
    },
  });
  assert.deepEqual(
    await readCommitted(cluster, 'g', 't', [0, 1, 2]),
    new Map([
      [0, 0],
      [2, 8],
    ]),
  );
  assert.deepEqual([tries, forgotten], [3, ['g', 'g']]);
  const none = brokers({ coordinator: () => ({ errorCode: 0, responses: [] }) });
  assert.deepEqual(await readCommitted(none.cluster, 'g', 't', [0]), new Map());
});
