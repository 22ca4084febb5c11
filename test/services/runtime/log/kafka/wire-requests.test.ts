/**
 * Requests and answers of Kafka's protocol, byte for byte by the protocol guide (kafka.apache.org/protocol), and by
 * kafkajs where it has the same version. Fields of answers that nobody reads have values of their own.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, it, test } from 'node:test';
import {
  array,
  createByteWriter,
  int8,
  int16,
  int32,
  int64,
  slice,
  string,
  varint,
  varintBytes,
} from '../../../../../services/runtime/log/kafka/bytes.ts';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { readEpochEnd } from '../../../../../services/runtime/log/kafka/epoch-end.ts';
import { fetchRequest } from '../../../../../services/runtime/log/kafka/fetch-request.ts';
import type { WireRequest } from '../../../../../services/runtime/log/kafka/kafkajs-wire.ts';
import type { Link } from '../../../../../services/runtime/log/kafka/link.ts';
import { listOffsetsRequest } from '../../../../../services/runtime/log/kafka/list-offsets.ts';
import { askMetadata } from '../../../../../services/runtime/log/kafka/metadata.ts';
import { produceRequest } from '../../../../../services/runtime/log/kafka/produce-request.ts';

const require = createRequire(import.meta.url);

// The protocol's types, written without the program's own writer.
const i8 = (value: number) => Buffer.from(Int8Array.of(value).buffer);
const i16 = (value: number) => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const i32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
const i64 = (value: number | bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
};
const str = (text: string | null) =>
  text === null ? i16(-1) : Buffer.concat([i16(Buffer.byteLength(text)), Buffer.from(text)]);
const all = (...parts: readonly Buffer[]) => Buffer.concat(parts);
const list = (...items: readonly Buffer[]) => all(i32(items.length), ...items);

/** Name, key and version, and the body. */
async function sent({ request }: WireRequest) {
  const { buffer } = await (request as unknown as { encode(): Promise<{ buffer: Buffer }> }).encode();
  return { head: [request.apiName, request.apiKey, request.apiVersion], body: buffer };
}

const answered = ({ response }: WireRequest, payload: Buffer) => response.decode(payload);

describe('a question about offsets', () => {
  const request = listOffsetsRequest({ topic: 'größe', partition: 3, timestamp: -2, leaderEpoch: 5 });

  it('a question about offsets is ListOffsets 4, for committed records', async () => {
    const { head, body } = await sent(request);
    assert.deepEqual(head, ['ListOffsets', 2, 4]);
    // replica, isolation (1: committed), topics: name, partitions: index, leader epoch, time.
    assert.deepEqual(body, all(i32(-1), i8(1), list(all(str('größe'), list(all(i32(3), i32(5), i64(-2)))))));
  });

  it('a question about offsets is answered with the offset behind the time, or with an error', async () => {
    // throttle, topics: name, partitions: index, error, time, offset, leader epoch.
    const payload = (error: number, offset: number) =>
      all(i32(11), list(all(str('größe'), list(all(i32(3), i16(error), i64(12), i64(offset), i32(13))))));
    assert.deepEqual(await answered(request, payload(0, 2 ** 40 + 1)), { errorCode: 0, offset: 2 ** 40 + 1 });
    assert.deepEqual(await answered(request, payload(6, -1)), { errorCode: 6, offset: -1 });
    assert.equal(await answered(request, all(i32(11), list())), undefined);
  });
});

describe('a fetch', () => {
  const parts = [
    { topic: 'a', partition: 1, offset: 2 ** 33, leaderEpoch: 4 },
    { topic: 'b', partition: 0, offset: 0, leaderEpoch: -1 },
  ];
  const options = { maxWaitMs: 500, maxBytes: 1_000, partitionBytes: 100, requestTimeoutMs: 7_000, rack: 'r1' };
  const request = fetchRequest(parts, options);

  it('a fetch is Fetch 11, byte for byte as kafkajs writes it', async () => {
    const { head, body } = await sent(request);
    assert.deepEqual(head, ['Fetch', 1, 11]);
    const other = require('kafkajs/src/protocol/requests/fetch/v11/request')({
      ...{ replicaId: -1, maxWaitTime: 500, minBytes: 1, maxBytes: 1_000, rackId: 'r1', isolationLevel: 1 },
      topics: parts.map(({ topic, partition, offset, leaderEpoch }) => ({
        topic,
        partitions: [
          { partition, currentLeaderEpoch: leaderEpoch, fetchOffset: `${offset}`, logStartOffset: -1, maxBytes: 100 },
        ],
      })),
    });
    assert.deepEqual(body, (await other.encode()).buffer);
    assert.equal(request.requestTimeout, 7_000);
  });

  it('a fetch is answered with the batches of each partition, its errors and its other replica', async () => {
    // Partition: index, error, high watermark, last stable offset, log start, aborted, preferred replica, batches.
    const part = (partition: number, error: number, aborted: Buffer, replica: number, batches: Buffer) =>
      all(i32(partition), i16(error), i64(21), i64(22), i64(23), aborted, i32(replica), batches);
    const payload = all(
      ...[i32(17), i16(0), i32(99)],
      list(
        all(
          str('a'),
          list(
            part(1, 0, list(all(i64(31), i64(32)), all(i64(33), i64(34))), 2, all(i32(3), Buffer.from('abc'))),
            part(2, 6, i32(-1), -1, i32(-1)),
          ),
        ),
        all(str('b'), list(part(0, 0, list(), -1, all(i32(1), Buffer.from('x'))))),
      ),
    );
    assert.deepEqual(await answered(request, payload), {
      clientSideThrottleTime: 17,
      errorCode: 0,
      parts: [
        {
          ...{ topic: 'a', partition: 1, errorCode: 0, preferredReplica: 2, batches: Buffer.from('abc') },
          aborted: [
            { producerId: 31, firstOffset: 32 },
            { producerId: 33, firstOffset: 34 },
          ],
        },
        { topic: 'a', partition: 2, errorCode: 6, aborted: [], preferredReplica: -1, batches: Buffer.alloc(0) },
        { topic: 'b', partition: 0, errorCode: 0, aborted: [], preferredReplica: -1, batches: Buffer.from('x') },
      ],
    });
    const refused = (await answered(request, all(i32(0), i16(71), i32(0), list()))) as { errorCode: number };
    assert.equal(refused.errorCode, 71);
  });

  it('a fetch with an answer that ends early is an error, and no empty answer', async () => {
    const whole = all(i32(0), i16(0), i32(0), list(all(str('a'), list())));
    for (let end = 0; end < whole.length; end++)
      await assert.rejects(async () => answered(request, whole.subarray(0, end)), RangeError, `${end}`);
  });
});

describe('an append to several partitions', () => {
  const record = (topic: string, partition: number, value: string) => ({
    ...{ topic, partition, producer: { id: 7, epoch: 1, sequence: 9 } },
    records: [{ record: { topic, partition, key: null, value: Buffer.from(value) }, timestampMs: 5 }],
  });
  const request = produceRequest(
    [record('a', 1, 'one'), record('b', 0, 'two'), record('a', 2, 'three')],
    3_000,
    undefined,
  );

  it('an append to several partitions is Produce 7, to all replicas, and names each topic once', async () => {
    const { head, body } = await sent(request);
    assert.deepEqual(head, ['Produce', 0, 7]);
    assert.equal(request.requestTimeout, 3_000);
    const r = { bytes: body, at: 0 };
    assert.deepEqual([body.readInt16BE(0), body.readInt16BE(2), body.readInt32BE(4)], [-1, -1, 3_000]);
    r.at = 8;
    const topics = array(r, () => [
      string(r),
      array(r, () => {
        const partition = int32(r);
        const batch = slice(r, int32(r))!;
        // The length behind the base offset counts all that follows it, and the magic byte is the format's number.
        assert.deepEqual([batch.readInt32BE(8), batch[16]], [batch.length - 12, 2]);
        return [partition, batch.toString('latin1').match(/one|two|three/)?.[0]];
      }),
    ]);
    assert.equal(r.at, body.length);
    assert.deepEqual(topics, [
      [
        'a',
        [
          [1, 'one'],
          [2, 'three'],
        ],
      ],
      ['b', [[0, 'two']]],
    ]);
  });

  it('an append to several partitions is answered for each, with the offset of its first record', async () => {
    // topics: name, partitions: index, error, base offset, append time, log start; throttle.
    const part = (partition: number, error: number, offset: number) =>
      all(i32(partition), i16(error), i64(offset), i64(41), i64(42));
    const payload = all(
      list(all(str('a'), list(part(1, 0, 100), part(2, 19, -1))), all(str('b'), list(part(0, 0, 7)))),
      i32(55),
    );
    assert.deepEqual(await answered(request, payload), {
      clientSideThrottleTime: 55,
      parts: [
        { topic: 'a', partition: 1, errorCode: 0, baseOffset: 100 },
        { topic: 'a', partition: 2, errorCode: 19, baseOffset: -1 },
        { topic: 'b', partition: 0, errorCode: 0, baseOffset: 7 },
      ],
    });
  });
});

describe('a question about leaders', () => {
  const payload = all(
    i32(9),
    list(all(i32(1), str('one.test'), i32(9_092), str('r1')), all(i32(2), str('two.test'), i32(9_093), str(null))),
    str('cluster'),
    i32(2),
    list(
      all(
        ...[i16(0), str('a'), i8(1)],
        // error, index, leader, leader epoch, replicas, in sync, offline.
        list(
          all(i16(0), i32(0), i32(1), i32(5), list(i32(1), i32(2)), list(i32(1)), list(i32(2))),
          all(i16(5), i32(1), i32(-1), i32(6), list(i32(2)), list(), list(i32(2))),
        ),
      ),
      all(i16(3), str('b'), i8(0), list()),
    ),
  );
  const asked = async (hasLeaderEpochs: boolean) => {
    const requests: WireRequest[] = [];
    const send = async (request: WireRequest) => {
      requests.push(request);
      return answered(request, payload);
    };
    const answer = await askMetadata({ hasLeaderEpochs, send } as unknown as Link, ['a', 'größe']);
    return { answer, ...(await sent(requests[0]!)) };
  };

  it('a question about leaders is Metadata 7, and creates no topic', async () => {
    const { head, body } = await asked(true);
    assert.deepEqual(head, ['Metadata', 3, 7]);
    assert.deepEqual(body, all(list(str('a'), str('größe')), i8(0)));
  });

  it('a question about leaders is answered with brokers, leaders, their epochs and replicas', async () => {
    const { answer } = await asked(true);
    assert.deepEqual(answer, {
      clientSideThrottleTime: 9,
      brokers: [
        { nodeId: 1, host: 'one.test', port: 9_092 },
        { nodeId: 2, host: 'two.test', port: 9_093 },
      ],
      topicMetadata: [
        {
          ...{ topicErrorCode: 0, topic: 'a' },
          partitionMetadata: [
            { partitionId: 0, leader: 1, leaderEpoch: 5, replicas: [1, 2] },
            { partitionId: 1, leader: -1, leaderEpoch: 6, replicas: [2] },
          ],
        },
        { topicErrorCode: 3, topic: 'b', partitionMetadata: [] },
      ],
    });
  });

  it('a question about leaders has no epochs from a broker whose epochs are not to be relied on', async () => {
    const { answer } = await asked(false);
    assert.deepEqual(
      answer.topicMetadata[0]!.partitionMetadata.map(({ leaderEpoch }) => leaderEpoch),
      [-1, -1],
    );
  });
});

describe('a question where a leader’s records end', () => {
  async function ended(payload: Buffer) {
    const forgotten: unknown[] = [];
    const requests: WireRequest[] = [];
    const cluster = {
      sendLeader: async (topic: string, partition: number, of: (leader: { epoch: number }) => WireRequest) => {
        assert.deepEqual([topic, partition], ['a', 3]);
        const request = of({ epoch: 8 });
        requests.push(request);
        return answered(request, payload);
      },
      forget: (...given: unknown[]) => forgotten.push(given),
    };
    const end = await readEpochEnd(cluster as unknown as Cluster, 'a', 3, 6).catch((error) => error);
    return { end, forgotten, ...(await sent(requests[0]!)) };
  }
  // throttle, topics: name, partitions: error, index, leader epoch, end.
  const payload = (error: number, end: number) =>
    all(i32(14), list(all(str('a'), list(all(i16(error), i32(3), i32(6), i64(end))))));

  it('a question where a leader’s records end is OffsetForLeaderEpoch 2, with both epochs', async () => {
    const { head, body, end, forgotten } = await ended(payload(0, 2 ** 35));
    assert.deepEqual(head, ['OffsetForLeaderEpoch', 23, 2]);
    assert.deepEqual(body, list(all(str('a'), list(all(i32(3), i32(8), i32(6))))));
    assert.deepEqual([end, forgotten], [2 ** 35, []]);
  });

  it('a question where a leader’s records end may have no answer, or an error that leads elsewhere', async () => {
    assert.equal((await ended(payload(0, -1))).end, undefined);
    assert.equal((await ended(payload(0, 0))).end, 0);
    const moved = await ended(payload(6, 0));
    assert.deepEqual([moved.end.code, moved.forgotten], ['BROKER_UNREACHABLE', [['a', 3]]]);
    assert.match(moved.end.message, /asking where leader epoch 6 of a\/3 ends failed: NOT_LEADER_FOR_PARTITION/);
    const empty = await ended(all(i32(14), list()));
    assert.match(empty.end.message, /failed: it is missing in the broker's answer/);
  });
});

test('numbers are written as the protocol has them, at the edges of each type', () => {
  for (const [type, values, of] of [
    ['int8', [0, 1, -1, 127, -128], i8],
    ['int16', [0, 1, -1, 32_767, -32_768], i16],
    ['int32', [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)], i32],
    ['int64', [0, 1, -1, 2 ** 32 - 1, 2 ** 32, -(2 ** 32), -(2 ** 32) - 1, 2 ** 53 - 1, -(2 ** 53) + 1], i64],
  ] as const) {
    const read = { int8, int16, int32, int64 }[type];
    for (const value of values) {
      const w = createByteWriter(1);
      w[type](value);
      assert.deepEqual(w.buffer, of(value), `${type} ${value}`);
      const r = { bytes: w.buffer, at: 0 };
      assert.equal(read(r), value);
      assert.equal(r.at, w.length);
      assert.throws(() => read({ bytes: w.buffer.subarray(1), at: 0 }), RangeError);
    }
  }
});

test('a varint is zigzag in groups of seven bits (Protocol Buffers)', () => {
  for (const [value, hex] of [
    [0, '00'],
    [-1, '01'],
    [1, '02'],
    [63, '7e'],
    [-64, '7f'],
    [64, '8001'],
    [-65, '8101'],
    [8_191, 'fe7f'],
    [8_192, '808001'],
    [2 ** 31 - 1, 'feffffff0f'],
    [-(2 ** 31), 'ffffffff0f'],
    [2 ** 51, '80808080808080' + '08'],
  ] as const) {
    const w = createByteWriter(1);
    w.varint(value);
    assert.equal(w.buffer.toString('hex'), hex, `${value}`);
    assert.equal(varintBytes(value), hex.length / 2, `${value}`);
    assert.equal(varint({ bytes: w.buffer, at: 0 }), value);
  }
  assert.throws(() => varint({ bytes: Buffer.from('ffffff', 'hex'), at: 0 }), /runs past the end/);
  assert.throws(() => varint({ bytes: Buffer.from('ff'.repeat(10), 'hex'), at: 0 }), /more than ten bytes/);
});

test('texts, bytes and lists end where their lengths say, or are refused', () => {
  const at = (bytes: Buffer) => ({ bytes, at: 0 });
  assert.equal(string(at(str('größe'))), 'größe');
  assert.equal(string(at(str(null))), '');
  assert.equal(string(at(str(''))), '');
  assert.throws(() => string(at(str('abc').subarray(0, 4))), /a string runs past the end/);
  assert.deepEqual(slice(at(Buffer.from('abc')), 3), Buffer.from('abc'));
  assert.equal(slice(at(Buffer.from('abc')), -1), null);
  assert.deepEqual(slice(at(Buffer.from('abc')), 0), Buffer.alloc(0));
  assert.throws(() => slice(at(Buffer.from('abc')), 4), /bytes run past the end/);
  assert.deepEqual(array(at(list(i16(1), i16(2))), int16), [1, 2]);
  assert.deepEqual(array(at(i32(-1)), int16), []);
  const w = createByteWriter(4);
  w.string('a longer text');
  w.bytes(Buffer.from('xyz'));
  w.string(null);
  assert.deepEqual(w.buffer, all(str('a longer text'), Buffer.from('xyz'), i16(-1)));
  w.patchInt16(0, 2);
  w.patchInt32(2, -1);
  w.cutAt(6);
  assert.deepEqual(w.buffer, all(i16(2), i32(-1)));
});
