/** A reader of partitions whose leaders and replicas the test plays. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createByteWriter } from '../../../../../services/runtime/log/kafka/bytes.ts';
import type { Cluster } from '../../../../../services/runtime/log/kafka/cluster.ts';
import { compressorOf, loadCodecs } from '../../../../../services/runtime/log/kafka/compression/codecs.ts';
import { transient } from '../../../../../services/runtime/log/kafka/errors.ts';
import type { FetchedPart } from '../../../../../services/runtime/log/kafka/fetch-request.ts';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';
import { KafkaReader } from '../../../../../services/runtime/log/kafka/reader.ts';
import { writeBatch } from '../../../../../services/runtime/log/kafka/record-batch.ts';
import type { LogReader } from '../../../../../services/runtime/log/log.ts';
import { until } from '../../../until.ts';

interface Asked {
  readonly node: number;
  readonly rack: string;
  readonly maxWaitMs: number;
  /** `partition/offset` of each part, in order. */
  readonly parts: readonly string[];
}

type Answer = Partial<FetchedPart> | Error;

interface Played {
  /** What a broker has of a partition from an offset on. */
  answer(node: number, partition: number, offset: number): Answer | Promise<Answer>;
  /** By partition; undefined: not known. */
  leaders?: (number | undefined)[];
  rack?: string;
  giveUpMs?: number;
  range?: { readonly start: number; readonly end: number };
  /** One past the last record of a leader epoch. */
  epochEnd?: (epoch: number) => number | undefined;
  /** Looks for a leader that is not known; throws: there is none. */
  look?: (leaders: (number | undefined)[]) => void;
}

await loadCodecs();

function play(t: TestContext, played: Played) {
  const { answer, leaders = [1, 1], rack = '', giveUpMs = 60_000, range = { start: 0, end: 100 } } = played;
  const asked: Asked[] = [];
  const acts: string[] = [];
  const cluster = {
    knownLeaderOf: (_: string, partition: number) => leaders[partition],
    async leaderOf(_: string, partition: number) {
      played.look?.(leaders);
      return leaders[partition];
    },
    leader: async (_: string, partition: number) => ({ node: leaders[partition], epoch: 7 }),
    epochOf: () => -1,
    forget: (_: string, partition: number) => void acts.push(`forget ${partition}`),
    saw: (_: string, partition: number, epoch: number) => void acts.push(`saw ${epoch} of ${partition}`),
    askMost: async () => void acts.push('ask most'),
    expectLeader: (_: string, partition: number, { node }: { node: number }) =>
      void acts.push(`expect ${node} of ${partition}`),
    release: () => void acts.push('release'),
    link: async (node: number) => ({
      async send({ request }: { request: { encode(): Promise<{ buffer: Buffer }> } }) {
        const one = requestOf(node, (await request.encode()).buffer);
        asked.push(one);
        const parts = await Promise.all(
          one.parts.map(async (part) => {
            const [partition, offset] = part.split('/').map(Number) as [number, number];
            const found = await answer(node, partition, offset);
            if (found instanceof Error) throw found;
            const none = { errorCode: 0, aborted: [], preferredReplica: -1, batches: Buffer.alloc(0) };
            return { topic: 't', partition, ...none, ...found };
          }),
        );
        // A broker waits before an answer without records.
        await new Promise((resolve) => setTimeout(resolve, 1));
        return { clientSideThrottleTime: 0, errorCode: 0, parts };
      },
    }),
  } as unknown as Cluster;
  const epochEndOf = async (_: string, __: number, epoch: number) => played.epochEnd?.(epoch);
  let closed = 0;
  const reader = new KafkaReader(
    cluster,
    async () => range,
    epochEndOf,
    giveUpMs,
    () => (closed += 1),
    rack,
  );
  t.after(() => reader.close());
  return { reader, asked, acts, leaders, closed: () => closed };
}

/** Fields of a Fetch request, where the protocol guide has them. */
function requestOf(node: number, buffer: Buffer): Asked {
  let at = 4 + 4 + 4 + 4 + 1 + 4 + 4;
  const count = buffer.readInt32BE(at);
  at += 4;
  const parts = Array.from({ length: count }, () => {
    at += 2 + buffer.readInt16BE(at) + 4;
    const part = `${buffer.readInt32BE(at)}/${buffer.readBigInt64BE(at + 8)}`;
    at += 4 + 4 + 8 + 8 + 4;
    return part;
  });
  at += 4;
  const rack = buffer.toString('utf8', at + 2, at + 2 + buffer.readInt16BE(at));
  return { node, rack, maxWaitMs: buffer.readInt32BE(4), parts };
}

/** Records from an offset on, appended by the leader of an epoch. */
function batch(base: number, values: readonly string[], epoch = 0): Buffer {
  const w = createByteWriter(64);
  const records = values.map((value) => ({
    record: { topic: 't', partition: 0, key: null, value: Buffer.from(value) },
    timestampMs: 1,
  }));
  writeBatch(w, records, { id: 1, epoch: 0, sequence: 0 }, compressorOf('none'));
  const bytes = Buffer.from(w.buffer);
  bytes.writeBigInt64BE(BigInt(base), 0);
  bytes.writeInt32BE(epoch, 12);
  return bytes;
}

/** Answers of a log whose batch at offset 0 has these values. */
const holding =
  (...values: string[]) =>
  (_node: number, _partition: number, offset: number): Answer =>
    offset < values.length ? { batches: batch(0, values) } : {};

async function poll(reader: LogReader, maxBytes = 1e6, waitMs = 5_000): Promise<string[]> {
  return (await reader.poll({ maxBytes, waitMs })).map(
    ({ partition, offset, value }) => `${partition}/${offset} ${value}`,
  );
}

test('a reader goes to the replica that the leader names, and back to the leader at its first error', async (t) => {
  let isReplicaAway = false;
  const { reader, asked, acts } = play(t, {
    rack: 'here',
    answer: (node, _, offset) => {
      if (node === 1 && !isReplicaAway) return { preferredReplica: 2 };
      if (node === 2 && isReplicaAway) return { errorCode: 6 };
      return { batches: batch(offset, [`of ${node}`]) };
    },
  });
  reader.seek('t', 0, 5);
  assert.deepEqual(await poll(reader), ['0/5 of 2']);
  const route = () => asked.map(({ node, rack, parts }) => `${node} ${rack} ${parts.join()}`.replace('  ', ' '));
  assert.deepEqual(route().slice(0, 2), ['1 here 0/5', '2 0/5'], 'a replica leads nobody elsewhere');
  isReplicaAway = true;
  const rest = [...(await poll(reader)), ...(await poll(reader))];
  assert.deepEqual(rest.slice(-1), ['0/7 of 1']);
  const after = route().slice(route().indexOf('2 0/7'));
  assert.deepEqual(after.slice(0, 2), ['2 0/7', '1 0/7'], 'the leader is not asked for a replica at once');
  assert.ok(!acts.includes('forget 0'), 'the leader has not failed');
});

test('a replica that cannot be reached is left for the leader, and nothing fails', async (t) => {
  const { reader, asked } = play(t, {
    rack: 'here',
    answer: (node, _, offset) => {
      if (node === 2) return transient('away');
      return asked.length > 1 ? { batches: batch(offset, ['a']) } : { preferredReplica: 2 };
    },
  });
  reader.seek('t', 0, 0);
  assert.deepEqual(await poll(reader), ['0/0 a']);
  assert.deepEqual(
    asked.slice(0, 3).map(({ node }) => node),
    [1, 2, 1],
  );
});

test('records that were read and are gone are an error with the end of the rest, confirmed by a majority', async (t) => {
  const { reader, acts, asked } = play(t, { answer: holding(), epochEnd: (epoch) => (epoch === 3 ? 4 : undefined) });
  reader.seek('t', 0, 6, { end: 6, leaderEpoch: 3 });
  await assert.rejects(poll(reader), { code: 'LOG_TRUNCATED', end: 4, leaderEpoch: 3, topic: 't', partition: 0 });
  assert.deepEqual(acts.slice(0, 3), ['saw 3 of 0', 'ask most', 'expect 1 of 0']);
  assert.equal(asked.length, 1);
});

test('records before the position are asked for once, and again only if a newer leader has appended', async (t) => {
  const ends: number[] = [];
  const { reader, acts } = play(t, {
    answer: (_, __, offset) => {
      if (offset === 5) return { batches: batch(5, ['a'], 3) };
      return offset === 6 ? { batches: batch(6, ['b'], 4) } : {};
    },
    epochEnd: (epoch) => {
      ends.push(epoch);
      return epoch === 3 ? 6 : 5;
    },
  });
  reader.seek('t', 0, 5, { end: 5, leaderEpoch: 2 });
  assert.deepEqual(await poll(reader), ['0/5 a']);
  assert.deepEqual(ends.slice(0, 2), [2, 2], 'before the first answer, and for the newer epoch in it');
  assert.deepEqual(await poll(reader), ['0/6 b']);
  assert.deepEqual(ends.slice(2), [3]);
  assert.deepEqual(
    acts.filter((act) => act.startsWith('saw')),
    ['saw 2 of 0', 'saw 3 of 0', 'saw 4 of 0'],
  );
});

test('a position that its newest leader has is asked for again, and one outside its range is an error', async (t) => {
  let isBehind = true;
  const { reader, acts } = play(t, {
    answer: (_, __, offset) => {
      const errorCode = isBehind || offset > 9 ? 1 : 0;
      isBehind = false;
      return errorCode === 0 ? { batches: batch(offset, ['a']) } : { errorCode };
    },
    range: { start: 2, end: 9 },
  });
  reader.seek('t', 0, 2);
  assert.deepEqual(await poll(reader), ['0/2 a']);
  assert.deepEqual(acts.slice(0, 1), ['forget 0']);
  reader.seek('t', 0, 10);
  await assert.rejects(poll(reader), {
    code: 'OFFSET_OUT_OF_RANGE',
    message: /position 10 of t\/0 .* 2 to 9: restore/,
  });
});

test('an error that does not pass ends a poll once, and the next poll tries again', async (t) => {
  let isAllowed = false;
  const { reader } = play(t, { answer: (...asked) => (isAllowed ? holding('a')(...asked) : { errorCode: 29 }) });
  reader.seek('t', 0, 0);
  await assert.rejects(poll(reader), { code: 'INVALID_ARGUMENT', message: /reading t\/0 is not allowed/ });
  isAllowed = true;
  assert.deepEqual(await poll(reader), ['0/0 a']);
});

test('the error of a paused partition is no error of a poll until the partition is resumed', async (t) => {
  let refuse: (found: Answer) => void = () => {};
  const { reader, asked } = play(t, {
    answer: (node, partition, offset) =>
      partition === 0 ? new Promise<Answer>((resolve) => (refuse = resolve)) : holding('b')(node, partition, offset),
  });
  reader.seek('t', 0, 0);
  const polled = poll(reader);
  await until(() => asked.length > 0);
  reader.pause('t', 0);
  refuse({ errorCode: 29 });
  reader.seek('t', 1, 0);
  assert.deepEqual(await polled, ['1/0 b']);
  reader.resume('t', 0);
  await assert.rejects(poll(reader), { code: 'INVALID_ARGUMENT' });
});

test('brokers that are away for longer than a reader waits are an error, and a shorter absence is none', async (t) => {
  const away = play(t, { answer: () => transient('away'), giveUpMs: 0 });
  away.reader.seek('t', 0, 0);
  await assert.rejects(poll(away.reader), { code: 'BROKER_UNREACHABLE', message: 'away' });
  assert.ok(away.asked.length >= 2);
  const back = play(t, { answer: (...asked) => (back.asked.length < 3 ? transient('away') : holding('a')(...asked)) });
  back.reader.seek('t', 0, 0);
  assert.deepEqual(await poll(back.reader), ['0/0 a']);
  assert.deepEqual(back.acts.slice(0, 2), ['forget 0', 'forget 0']);
});

test('a poll that brokers cannot answer ends with its time, without records', async (t) => {
  const { reader } = play(t, { answer: () => transient('away') });
  reader.seek('t', 0, 0);
  assert.deepEqual(await poll(reader, 1, 20), []);
});

test('a leader that is not known is looked for, as often as it takes', async (t) => {
  let looks = 0;
  const { reader, asked } = play(t, {
    answer: holding('a'),
    leaders: [undefined],
    look: (leaders) => {
      if (++looks < 2) throw transient('no leader');
      leaders[0] = 3;
    },
  });
  reader.seek('t', 0, 0);
  assert.deepEqual(await poll(reader), ['0/0 a']);
  assert.deepEqual([looks, asked[0]!.node], [2, 3]);
});

test('a poll takes about as many bytes as it may, at least one record, and the rest without a request', async (t) => {
  const { reader, asked } = play(t, { answer: holding('a'.repeat(100), 'b', 'c') });
  reader.seek('t', 0, 0);
  assert.deepEqual(await poll(reader, 1), [`0/0 ${'a'.repeat(100)}`]);
  assert.deepEqual(await poll(reader, 0), ['0/1 b']);
  assert.equal(asked.length, 1);
  assert.deepEqual(await poll(reader, 66), ['0/2 c']);
  reader.seek('t', 0, 0);
  // A record counts as its value and 64 bytes.
  assert.equal((await poll(reader, 164)).length, 1);
  reader.seek('t', 0, 0);
  assert.equal((await poll(reader, 165)).length, 2);
  assert.equal((await poll(reader)).length, 1);
});

test('a poll that has its bytes takes no record of the next partition', async (t) => {
  const { reader } = play(t, { answer: holding('a'.repeat(100)) });
  // One answer has records of both.
  for (const partition of [0, 1]) reader.seek('t', partition, 0);
  assert.equal((await poll(reader, 164)).length, 1);
  assert.equal((await poll(reader, 164)).length, 1);
});

test('partitions of one leader share a request, take turns at its front, and have one of their own elsewhere', async (t) => {
  const { reader, asked } = play(t, {
    leaders: [1, 2, 1],
    answer: (_, partition, offset) => ({ batches: batch(offset, [`p${partition}`]) }),
  });
  for (const partition of [0, 1, 2]) reader.seek('t', partition, 0);
  const records: string[] = [];
  while (records.length < 9) records.push(...(await poll(reader, 1)));
  assert.deepEqual(records.slice(0, 3).sort(), ['0/0 p0', '1/0 p1', '2/0 p2']);
  assert.deepEqual([...asked[0]!.parts].sort(), ['0/0', '2/0']);
  assert.deepEqual([asked[1]!.node, asked[1]!.parts], [2, ['1/0']]);
  for (const { node, parts } of asked)
    for (const part of parts) assert.equal(node, part.startsWith('1/') ? 2 : 1, 'only its leader is asked');
});

test('a broker answers the first question of a position at once, and waits for records from then on', async (t) => {
  const { reader, asked } = play(t, { answer: holding('a') });
  reader.seek('t', 0, 0);
  await poll(reader);
  await poll(reader, 1, 5);
  assert.deepEqual([asked[0]!.maxWaitMs, asked[1]!.maxWaitMs], [0, kafkaLimits.fetchWaitMs]);
});

test('a poll without time ends once each partition has been asked for, with what there is', async (t) => {
  const { reader, asked } = play(t, { answer: holding() });
  reader.seek('t', 0, 0);
  reader.seek('t', 1, 0);
  reader.pause('t', 1);
  assert.deepEqual(await poll(reader, 1, 0), []);
  for (const { parts } of asked) assert.deepEqual(parts, ['0/0']);
});

test('a reader that is closed ends its poll, releases its connections once, and takes no more calls', async (t) => {
  const { reader, acts, closed } = play(t, { answer: () => new Promise<Answer>(() => {}) });
  reader.seek('t', 0, 0);
  const polled = poll(reader, 1, 60_000);
  await reader.close();
  assert.deepEqual(await polled, []);
  await reader.close();
  assert.equal(closed(), 1);
  assert.equal(acts.filter((act) => act === 'release').length, kafkaLimits.fetchesMax);
  reader.seek('t', 0, 0, { end: 1, leaderEpoch: 1 });
  assert.ok(!acts.includes('saw 1 of 0'));
  await assert.rejects(poll(reader), { code: 'STORE_CLOSED' });
});

test('a partition that was dropped or is moved while its answer comes has none of the answer’s records', async (t) => {
  let answer: (found: Answer) => void = () => {};
  const { reader, asked } = play(t, {
    answer: (_, __, offset) =>
      offset === 0 ? new Promise<Answer>((resolve) => (answer = resolve)) : { batches: batch(offset, ['new']) },
  });
  reader.seek('t', 0, 0);
  const polled = poll(reader);
  await until(() => asked.length > 0);
  reader.seek('t', 0, 40);
  answer({ batches: batch(0, ['old']) });
  assert.deepEqual(await polled, ['0/40 new']);
  reader.drop('t', 0);
  assert.deepEqual(await poll(reader, 1, 0), []);
});
