/** Exchanges with a broker that no healthy one plays on demand, byte for byte over a socket. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { crc32c } from '../../../../../services/runtime/checksum/crc32c.ts';
import { openKafkaLog } from '../../../../../services/runtime/log/kafka/kafka-log.ts';
import type { Log, LogReader, LogRecord } from '../../../../../services/runtime/log/log.ts';
import { damageOf } from '../../../../../topology/damaged-batch.ts';
import { until } from '../../../until.ts';
import { lyingAt, type ProducedBatch, type Script, startScriptedBroker } from './scripted-broker.ts';

const errors = {
  outOfRange: 1,
  notLeader: 6,
  tooLarge: 10,
  notEnoughReplicas: 19,
  outOfOrder: 45,
  invalidRecord: 87,
  quotaExceeded: 89,
} as const;

async function start(test: TestContext, script: Script) {
  const broker = await startScriptedBroker(test, script);
  const log = await openKafkaLog({ brokers: [broker.address], clientId: 'test', deliveryTimeoutMs: 10_000 });
  test.after(() => log.close());
  const append = (...values: string[]) =>
    log.append(values.map((value) => ({ topic: 't', partition: 0, key: null, value: Buffer.from(value) })));
  return { broker, log, append };
}

/** A broker that keeps batches as a healthy one does. */
function keeper() {
  let end = 0;
  return (batch: ProducedBatch) => {
    end += batch.records;
    return { baseOffset: end - batch.records };
  };
}

/** Behind a batch's header. */
const recordsAt = 61;

const numbering = ({ producerId, epoch, sequence, records }: ProducedBatch) => [producerId, epoch, sequence, records];

describe('an append', () => {
  it('an append is numbered after the one before it, and its records get the offsets they landed at, in order', async (t) => {
    const { broker, append } = await start(t, { produce: keeper() });
    assert.deepEqual(await append('a', 'b'), [0, 1]);
    assert.deepEqual(await append('c'), [2]);
    assert.deepEqual(await append('d', 'e', 'f'), [3, 4, 5]);
    assert.deepEqual(broker.batches.map(numbering), [
      [4_000, 0, 0, 2],
      [4_000, 0, 2, 1],
      [4_000, 0, 3, 3],
    ]);
  });

  it('an append has one batch of a partition under way; later records go together, after it', async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const keep = keeper();
    const { broker, append } = await start(t, {
      produce: async (batch, nth) => {
        if (nth === 0) await held;
        return keep(batch);
      },
    });
    const first = append('a');
    await until(() => broker.batches.length > 0);
    const later = [append('b'), append('c', 'd')];
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(broker.batches.length, 1);
    release();
    assert.deepEqual([await first, ...(await Promise.all(later))], [[0], [1], [2, 3]]);
    assert.deepEqual(broker.batches.map(numbering), [
      [4_000, 0, 0, 1],
      [4_000, 0, 1, 3],
    ]);
  });

  it('an append whose answer was lost is sent again unchanged, so that the broker can recognise it', async (t) => {
    const keep = keeper();
    const { broker, append } = await start(t, {
      // Kept the first time, and known the second: the answer is of the first.
      produce: (batch, nth) => {
        if (nth === 0) return 'lost';
        return nth === 1 ? { baseOffset: 7 } : keep(batch);
      },
    });
    assert.deepEqual(await append('a', 'b'), [7, 8]);
    const [first, second] = broker.batches;
    assert.equal(broker.batches.length, 2);
    assert.deepEqual(second!.bytes, first!.bytes);
    await append('c');
    assert.deepEqual(numbering(broker.batches[2]!), [4_000, 0, 2, 1]);
  });

  for (const [name, error] of [
    ['a broker that leads no more', errors.notLeader],
    ['too few replicas', errors.notEnoughReplicas],
    ['a quota that is used up', errors.quotaExceeded],
  ] as const) {
    it(`an append that meets ${name} is sent again unchanged, before all that came after it`, async (t) => {
      const keep = keeper();
      const { broker, append } = await start(t, { produce: (batch, nth) => (nth < 2 ? { error } : keep(batch)) });
      const first = append('a');
      await until(() => broker.batches.length > 0);
      const second = append('b');
      assert.deepEqual([await first, await second], [[0], [1]]);
      const [one, two, three, four] = broker.batches;
      assert.deepEqual(two!.bytes, one!.bytes);
      assert.deepEqual(three!.bytes, one!.bytes);
      assert.deepEqual(numbering(four!), [4_000, 0, 1, 1]);
    });
  }

  it('an append larger than the topic allows is sent in parts, in order, and what waits behind it goes on', async (t) => {
    const keep = keeper();
    const { broker, append } = await start(t, {
      produce: (batch) => (batch.records > 2 ? { error: errors.tooLarge } : keep(batch)),
    });
    const first = append('a', 'b', 'c', 'd', 'e');
    const second = append('f');
    assert.deepEqual(await first, [0, 1, 2, 3, 4]);
    assert.deepEqual(await second, [5]);
    const kept = broker.batches.filter(({ records }) => records <= 2);
    assert.equal(
      kept.reduce((sum, { records }) => sum + records, 0),
      6,
    );
    // Numbers without a hole and without a repetition.
    let next = 0;
    for (const { sequence, records, epoch } of kept) {
      assert.deepEqual([epoch, sequence], [0, next]);
      next += records;
    }
  });

  it('an append refused for its number, by a log that has lost acknowledged batches, is sent under new numbers', async (t) => {
    const keep = keeper();
    const { broker, append } = await start(t, {
      produce: (batch, nth) => (nth === 1 ? { error: errors.outOfOrder } : keep(batch)),
    });
    assert.deepEqual(await append('a'), [0]);
    assert.deepEqual(await append('b', 'c'), [1, 2]);
    assert.deepEqual(broker.batches.map(numbering), [
      [4_000, 0, 0, 1],
      [4_000, 0, 1, 2],
      [4_000, 1, 0, 2],
    ]);
  });

  it('an append with dependants is not repeated if the log has lost acknowledged batches: other records may stand there', async (t) => {
    const keep = keeper();
    const { broker, log } = await start(t, {
      produce: (batch, nth) => (nth === 1 ? { error: errors.outOfOrder } : keep(batch)),
    });
    const append = (value: string) =>
      log.append([{ topic: 't', partition: 0, key: null, value: Buffer.from(value) }], { leads: true });
    assert.deepEqual(await append('a'), [0]);
    await assert.rejects(append('b'), {
      code: 'BROKER_UNREACHABLE',
      message: /the log lost acknowledged records/,
    });
    assert.deepEqual(await append('c'), [1]);
    assert.deepEqual(broker.batches.map(numbering), [
      [4_000, 0, 0, 1],
      [4_000, 0, 1, 1],
      [4_000, 1, 0, 1],
    ]);
  });

  it('an append that is given up fails all behind it, and is never sent under the next epoch', async (t) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const keep = keeper();
    const { broker, append } = await start(t, {
      produce: async (batch, nth) => {
        if (nth > 0) return keep(batch);
        await held;
        return { error: errors.invalidRecord };
      },
    });
    const refused = [assert.rejects(append('refused'))];
    await until(() => broker.batches.length > 0);
    refused.push(assert.rejects(append('behind it')));
    release();
    await Promise.all(refused);
    assert.deepEqual(await append('after it'), [0]);
    // Under the next epoch, from the beginning: brokers refuse the old batch, should it still arrive.
    assert.deepEqual(broker.batches.map(numbering), [
      [4_000, 0, 0, 1],
      [4_000, 1, 0, 1],
    ]);
    assert.ok(broker.batches[1]!.bytes.includes('after it') && !broker.batches[1]!.bytes.includes('behind it'));
  });
});

/** Batches as this client writes them, to be laid into a log. */
async function batchesOf(test: TestContext, ...groups: (readonly string[])[]): Promise<ProducedBatch[]> {
  const { broker, append } = await start(test, { produce: keeper() });
  for (const values of groups) await append(...values);
  return [...broker.batches];
}

async function pollUntil(reader: LogReader, count: number): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for (let left = 200; records.length < count; left--) {
    assert.ok(left > 0, `${records.length} of ${count} records came`);
    records.push(...(await reader.poll({ maxBytes: 1 << 20, waitMs: 20 })));
  }
  return records;
}

const places = (records: readonly LogRecord[]) => records.map(({ offset, value }) => [offset, `${value}`]);

describe('a reader', () => {
  const readerAt = (log: Log, offset: number) => {
    const reader = log.reader();
    reader.seek('t', 0, offset);
    return reader;
  };

  it('a reader continues after the last record, over holes from compaction, and yields each record once', async (t) => {
    const [one, two, three] = await batchesOf(t, ['a', 'b'], ['c'], ['d', 'e']);
    const at: Record<number, Buffer> = {
      0: lyingAt(one!, 0),
      2: Buffer.concat([lyingAt(two!, 5), lyingAt(three!, 9)]),
    };
    const { broker, log } = await start(t, { fetch: (offset) => (at[offset] ? { batches: at[offset] } : {}) });
    const records = await pollUntil(readerAt(log, 0), 5);
    assert.deepEqual(places(records), [
      [0, 'a'],
      [1, 'b'],
      [5, 'c'],
      [9, 'd'],
      [10, 'e'],
    ]);
    assert.deepEqual([...new Set(broker.fetches)].slice(0, 2), [0, 2]);
    await until(() => broker.fetches.includes(11));
  });

  it('a reader yields no record before its position', async (t) => {
    const [one] = await batchesOf(t, ['a', 'b', 'c', 'd']);
    const { log } = await start(t, { fetch: (offset) => (offset === 12 ? { batches: lyingAt(one!, 10) } : {}) });
    assert.deepEqual(places(await pollUntil(readerAt(log, 12), 2)), [
      [12, 'c'],
      [13, 'd'],
    ]);
  });

  it('a reader leaves a batch that was cut at the end of an answer to the next one', async (t) => {
    const [one, two] = await batchesOf(t, ['a'], ['b', 'c']);
    const whole = lyingAt(two!, 1);
    const { broker, log } = await start(t, {
      fetch: (offset) => {
        if (offset === 0) return { batches: Buffer.concat([lyingAt(one!, 0), whole.subarray(0, -1)]) };
        return offset === 1 ? { batches: whole } : {};
      },
    });
    assert.deepEqual(places(await pollUntil(readerAt(log, 0), 3)), [
      [0, 'a'],
      [1, 'b'],
      [2, 'c'],
    ]);
    assert.deepEqual(broker.fetches.slice(0, 2), [0, 1]);
  });

  const name = 'says where it stands and what there is when its position is out of range, and asks from nowhere else';
  it(name, { timeout: 30_000 }, async (t) => {
    const { broker, log } = await start(t, {
      fetch: () => ({ error: errors.outOfRange }),
      range: { start: 20, end: 30 },
    });
    const reader = readerAt(log, 7);
    await assert.rejects(
      async () => {
        for (let left = 100; left > 0; left--) await reader.poll({ maxBytes: 1_000, waitMs: 20 });
      },
      { code: 'OFFSET_OUT_OF_RANGE', message: /position 7 of t\/0 is outside its range 20 to 30/ },
    );
    assert.deepEqual([...new Set(broker.fetches)], [7]);
  });

  it('a reader drops an answer for a position from which it was moved', async (t) => {
    const [one, two] = await batchesOf(t, ['old'], ['new']);
    let release = () => {};
    const after = new Promise<void>((resolve) => (release = resolve));
    const { broker, log } = await start(t, {
      fetch: (offset) => {
        if (offset === 0) return { batches: lyingAt(one!, 0), after };
        return offset === 40 ? { batches: lyingAt(two!, 40) } : {};
      },
    });
    const reader = readerAt(log, 0);
    const polled = reader.poll({ maxBytes: 1_000, waitMs: 1 });
    await until(() => broker.fetches.length > 0);
    reader.seek('t', 0, 40);
    release();
    const records = [...(await polled), ...(await pollUntil(reader, 0))];
    while (records.length === 0) records.push(...(await reader.poll({ maxBytes: 1_000, waitMs: 20 })));
    assert.deepEqual(places(records), [[40, 'new']]);
  });

  it('a reader continues from the same position when a broker loses leadership, and when the connection breaks', async (t) => {
    const [one] = await batchesOf(t, ['a']);
    const { broker, log } = await start(t, {
      fetch: (_, nth) => (nth < 2 ? { error: errors.notLeader } : nth === 2 ? { batches: lyingAt(one!, 3) } : {}),
    });
    assert.deepEqual(places(await pollUntil(readerAt(log, 3), 1)), [[3, 'a']]);
    assert.deepEqual(broker.fetches.slice(0, 3), [3, 3, 3]);
  });

  it('a reader checks zstd against its checksum: a byte flipped before the batch was sealed is damage at its place', async (t) => {
    const [one, two] = await batchesOf(t, ['http://example.org/a', 'http://example.org/b'], ['after']);
    const compressed = (flip: number) => {
      // Their records, by the program zstd 1.5 with --check.
      const content = Buffer.from('KLUv/QRYRQEAFAI0AAAAAShodHRwOi8vZXhhbXBsZS5vcmcvYQA0AAACYgABAPs3nbb0TPo=', 'base64');
      content[content.indexOf('example')]! ^= flip;
      const batch = Buffer.concat([lyingAt(one!, 5).subarray(0, recordsAt), content]);
      batch.writeInt32BE(batch.length - 12, 8);
      batch.writeInt16BE(4, 21);
      batch.writeInt32BE(crc32c(batch, 21), 17);
      return batch;
    };
    for (const [flip, values] of [
      [0, ['http://example.org/a', 'http://example.org/b', 'after']],
      [1, [/t\/0, offsets 5 to 6, is damaged/, 'after']],
    ] as const) {
      const { log } = await start(t, {
        fetch: (offset) => (offset === 5 ? { batches: Buffer.concat([compressed(flip), lyingAt(two!, 7)]) } : {}),
      });
      const records = await pollUntil(readerAt(log, 5), values.length);
      values.forEach((value, index) => {
        if (typeof value === 'string') assert.equal(`${records[index]!.value}`, value);
        else assert.match(damageOf(records[index]!.value) ?? '', value);
      });
    }
  });

  it('a reader names the offsets of a batch with a flipped bit, and yields none of its records', async (t) => {
    const [one, two] = await batchesOf(t, ['http://example.org/a', 'http://example.org/b'], ['after']);
    const damaged = lyingAt(one!, 5);
    damaged[damaged.indexOf('example')]! ^= 1;
    const { log } = await start(t, {
      fetch: (offset) => (offset === 5 ? { batches: Buffer.concat([damaged, lyingAt(two!, 7)]) } : {}),
    });
    const records = await pollUntil(readerAt(log, 5), 2);
    assert.deepEqual(places(records.slice(-1)), [[7, 'after']]);
    for (const { value } of records.slice(0, -1)) assert.match(damageOf(value) ?? '', /t\/0/);
    assert.ok(records.length >= 2);
  });
});
