import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { crc32c, nativeCrc32c } from '../../../../../services/runtime/checksum/crc32c.ts';
import { crc32cByTables } from '../../../../../services/runtime/checksum/crc32c-tables.ts';
import { createByteWriter } from '../../../../../services/runtime/log/kafka/bytes.ts';
import { compressorOf, loadCodecs } from '../../../../../services/runtime/log/kafka/compression/codecs.ts';
import { type CompressionName, compressionNames } from '../../../../../services/runtime/log/kafka/compression/names.ts';
import { kafkaLimits } from '../../../../../services/runtime/log/kafka/kafka-limits.ts';
import { readBatches, recordBytesAtMost, writeBatch } from '../../../../../services/runtime/log/kafka/record-batch.ts';
import type { AppendRecord } from '../../../../../services/runtime/log/log.ts';
import { damageOf } from '../../../../../topology/damaged-batch.ts';

const record = (value: string | Buffer, more: Partial<AppendRecord> = {}): AppendRecord => ({
  topic: 't',
  partition: 0,
  key: null,
  value: Buffer.from(value as string),
  ...more,
});

function batchOf(
  values: readonly AppendRecord[],
  base = 0,
  more: { attributes?: number; id?: number; compression?: CompressionName } = {},
): Buffer {
  const w = createByteWriter(16);
  const stamped = values.map((each, i) => ({ record: each, timestampMs: 1_700_000_000_000 - i * 40_000 }));
  writeBatch(
    w,
    stamped,
    { id: more.id ?? 5_000_000_001, epoch: 3, sequence: 9 },
    compressorOf(more.compression ?? 'none'),
  );
  const bytes = Buffer.from(w.buffer);
  bytes.writeBigInt64BE(BigInt(base));
  if (more.attributes !== undefined) bytes.writeInt16BE(more.attributes, 21);
  bytes.writeInt32BE(crc32c(bytes, 21), 17);
  return bytes;
}

/** Of six records, as a broker of Kafka 4.3.1 writes them where `compression.type` says so. */
const byJava = {
  gzip: 'AAAAAAAAAAAAAACqAAAAAAIgFQMpAAEAAAAFAAABof8IkXwAAAGh/wiRfAAAAAAAAAACAAAAAAAAAAAABh+LCAAAAAAAAP+TYGBgYMk2YGBiymMycGBgYGLJNtQoyUhVKCzNTM5WSCrKL89TSMuvUAApMMwAKmbJNgrApgCXJqMJjAwMbCzZxhXE6sJlkvEuoEkcLNkmCxgpMQqX8SaPgMZzsWSbnqC68bisNAUAnO5b138BAAA=',
  snappy:
    'AAAAAAAAAAAAAADGAAAAAAIMIEabAAIAAAAFAAABof8IkdAAAAGh/wiR0AAAAAAAAAACAAAAAAAAAAAABoJTTkFQUFkAAAAAAQAAAAEAAACB/wKgGAAAAARrMAACAm4CMEAAAAIEazEodGhlIHF1aWNrIGJyb3duIGZveCABISAxaAAABARrMlBOIQBOFAABNSQykAEAAAYEazN4TiIAnhQAAUooM7oBAAAIBGs0oAGeNwCeKAABXyQ04gEAAAoEazXI/l8AQl8ATocAEAICbgI1',
  lz4: 'AAAAAAAAAAAAAADFAAAAAALBwBJ+AAMAAAAFAAABof8IkkwAAAGh/wiSTAAAAAAAAAACAAAAAAAAAAAABgQiTRhgQIKFAAAA/ycYAAAABGswAAICbgIwQAAAAgRrMSh0aGUgcXVpY2sgYnJvd24gZm94IAICbgIxaAAABARrMlAhAAEPFAABADUArzKQAQAABgRrM3giAAEPFAAVAEoAvzO6AQAACARrNKABNwAVDygAFQBfAK804gEAAAoEazXIXwA+D4cAAVACAm4CNQAAAAA=',
  zstd: 'AAAAAAAAAAAAAACzAAAAAAK0jc7IAAQAAAAFAAABof8IkrMAAAGh/wiSswAAAAAAAAACAAAAAAAAAAAABii1L/0AWLQDAGIGFyGgqdAB/1mu+sWrgfdny90+piqdcDqLEEIo97z8/bunLQPQ+RQITdBW5Tm/JA9aoK2Jc/7koAHaijTnGxo0ayPm/JskxSVEahwOEYsH4xKRg8Cg3RaW87ugtR0ECABAAy4GVIMSqFVZQbkWRetNGhihFRQBAAA=',
};

describe('record batches', () => {
  before(loadCodecs);

  it('record batches are checked with CRC-32C, as in the vectors of RFC 3720', () => {
    assert.equal(crc32c(Buffer.alloc(32)) >>> 0, 0x8a9136aa);
    assert.equal(crc32c(Buffer.alloc(32, 0xff)) >>> 0, 0x62a8ab43);
    assert.equal(crc32c(Buffer.from(Array.from({ length: 32 }, (_, i) => i))) >>> 0, 0x46dd794e);
    assert.equal(crc32c(Buffer.from('123456789')) >>> 0, 0xe3069283);
    assert.equal(crc32c(Buffer.from('xx123456789xx'), 2, 11) >>> 0, 0xe3069283);
  });

  it('record batches return what was written, of any size, also with earlier times', () => {
    const records = [
      record(''),
      record('a', { key: Buffer.alloc(0) }),
      record(Buffer.alloc(70_000, 7), { key: Buffer.from('k'), headers: { ünï: 'cödé', empty: '' } }),
    ];
    const { records: read, next } = readBatches(batchOf(records, 2 ** 40), 't', 0, 2 ** 40, []);
    assert.equal(next, 2 ** 40 + 3);
    assert.deepEqual(
      read.map(({ offset, timestampMs }) => [offset - 2 ** 40, timestampMs]),
      [0, 1, 2].map((i) => [i, 1_700_000_000_000 - i * 40_000]),
    );
    read.forEach((each, i) => {
      assert.deepEqual(each.key, records[i]?.key ?? null);
      assert.deepEqual(each.value, records[i]?.value);
      assert.deepEqual({ ...each.headers }, records[i]?.headers ?? {});
    });
  });

  it('a record without a value is written as null, a tombstone for compaction, and read as empty', () => {
    const bytes = batchOf([record('', { key: Buffer.from('http://a.test/') })]);
    // Its key, then the value's length: -1 as a zigzag varint, then no headers.
    assert.equal(bytes.subarray(-16).toString('latin1'), 'http://a.test/\x01\x00');
    const [read] = readBatches(bytes, 't', 0, 0, []).records;
    assert.equal(read?.value.length, 0);
    assert.equal(read?.key?.toString(), 'http://a.test/');
  });

  it('record batches never exceed their stated size', () => {
    for (const each of [
      record(''),
      record('x'.repeat(300), { key: Buffer.alloc(200), headers: { ['é'.repeat(50)]: '☃' } }),
    ]) {
      assert.ok(batchOf([each]).length - 61 <= recordBytesAtMost(each));
    }
  });

  it('a reader gets records from its position on, and leaves a cut batch to the next fetch', () => {
    const whole = batchOf([record('a'), record('b'), record('c')], 10);
    const second = batchOf([record('d')], 13);
    for (let cut = 0; cut < second.length; cut += 7) {
      const { records, next } = readBatches(Buffer.concat([whole, second.subarray(0, cut)]), 't', 0, 11, []);
      assert.deepEqual(
        records.map(({ offset, value }) => `${offset} ${value}`),
        ['11 b', '12 c'],
      );
      assert.equal(next, 13);
    }
    assert.deepEqual(readBatches(Buffer.alloc(0), 't', 0, 11, []), { records: [], next: 11 });
  });

  it('records of a topic with the broker’s times have the time of their batch', () => {
    const values = ['a', 'b', 'c'].map((value) => record(value, { key: Buffer.from(`key ${value}`) }));
    const byProducer = readBatches(batchOf(values, 10), 't', 0, 10, []).records;
    const newestMs = Math.max(...byProducer.map(({ timestampMs }) => timestampMs));
    assert.notEqual(byProducer[2]!.timestampMs, newestMs);
    const { records, next } = readBatches(batchOf(values, 10, { attributes: 8 }), 't', 0, 11, []);
    assert.deepEqual(
      records.map(({ offset, key, value, timestampMs }) => `${offset} ${key} ${value} ${timestampMs}`),
      [`11 key b b ${newestMs}`, `12 key c c ${newestMs}`],
    );
    assert.equal(next, 13);
  });

  it('a reader skips holes: aborted transactions and their markers', () => {
    const marker = (type: number, base: number) =>
      batchOf([record(Buffer.alloc(6), { key: Buffer.from([0, 0, 0, type]) })], base, { attributes: 0x30, id: 8 });
    const bytes = Buffer.concat([
      batchOf([record('gone'), record('gone')], 0, { attributes: 0x10, id: 8 }),
      batchOf([record('plain')], 2, { id: 8 }),
      marker(0, 3),
      batchOf([record('kept')], 4, { attributes: 0x10, id: 8 }),
      marker(1, 5),
    ]);
    const { records, next } = readBatches(bytes, 't', 0, 0, [{ producerId: 8, firstOffset: 0 }]);
    assert.deepEqual(
      records.map(({ offset, value }) => `${offset} ${value}`),
      ['2 plain', '4 kept'],
    );
    assert.equal(next, 6);
  });

  for (const compression of ['gzip', 'snappy', 'lz4'] as const) {
    it(`record batches are compressed as a whole by ${compression}, with a checksum of the sent bytes`, () => {
      const records = Array.from({ length: 200 }, (_, i) => record(`https://host.example.com/${i % 7}`));
      const [plain, bytes] = [batchOf(records, 5), batchOf(records, 5, { compression })];
      assert.ok(bytes.length < plain.length / 3);
      assert.equal(bytes.readInt16BE(21), compressionNames.indexOf(compression));
      assert.equal(bytes.readInt32BE(8), bytes.length - 12);
      assert.equal(bytes.readInt32BE(17), crc32c(bytes, 21));
      assert.deepEqual(readBatches(bytes, 't', 0, 7, []), readBatches(plain, 't', 0, 7, []));
      // Again, as after an answer that was lost: brokers know the batch by its numbers, and its bytes are the same.
      assert.deepEqual(batchOf(records, 5, { compression }), bytes);
    });
  }

  for (const [codec, base64] of Object.entries(byJava)) {
    it(`record batches by ${codec} are read as Java writes them`, () => {
      const { records, next } = readBatches(Buffer.from(base64, 'base64'), 't', 0, 0, []);
      assert.deepEqual(
        records.map(({ offset, key, value, headers }) => [offset, key?.toString(), value.toString(), headers['n']]),
        Array.from({ length: 6 }, (_, i) => [i, `k${i}`, 'the quick brown fox '.repeat(i), `${i}`]),
      );
      assert.equal(next, 6);
    });
  }

  it('a reader skips a marker whose key is too short or too long', () => {
    const short = batchOf([record('', { key: Buffer.from('k') })], 4, { attributes: 0x20 });
    const beyond = Buffer.from(short);
    // The length of its key, behind its own length, attributes and two deltas.
    beyond[61 + 4] = 0x7e;
    beyond.writeInt32BE(crc32c(beyond, 21), 17);
    for (const marker of [short, beyond]) {
      const { records, next } = readBatches(Buffer.concat([marker, batchOf([record('after')], 5)]), 't', 0, 4, []);
      assert.deepEqual([records.map(({ offset }) => offset), next], [[5], 6]);
    }
  });

  it('record batches stay uncompressed if compression does not shrink them', () => {
    const bytes = batchOf([record('a')], 0, { compression: 'lz4' });
    assert.deepEqual(bytes, batchOf([record('a')]));
  });

  it('a batch that cannot be decompressed becomes one record that says so, and reading goes on', () => {
    const records = Array.from({ length: 50 }, (_, i) => record(`the record of number ${i % 3}`));
    const whole = batchOf(records, 100, { compression: 'lz4' });
    const spoilt = Buffer.from(whole).fill(0xff, 70, 80);
    spoilt.writeInt32BE(crc32c(spoilt, 21), 17);
    const { records: read, next } = readBatches(
      Buffer.concat([spoilt, batchOf([record('next')], 150)]),
      'c.tasks',
      3,
      100,
      [],
    );
    assert.deepEqual(
      read.map(({ topic, partition, offset }) => `${topic}/${partition} ${offset}`),
      ['c.tasks/3 149', 'c.tasks/3 150'],
    );
    assert.equal(next, 151);
    assert.equal(read[1]?.value.toString(), 'next');
    const value = read[0]?.value as Buffer;
    assert.match(damageOf(value) ?? '', /c\.tasks\/3, offsets 100 to 149, .*lz4.*checksum is right/);
    assert.ok(value.subarray(-spoilt.length).equals(spoilt));
  });

  it('a batch with a flipped bit becomes one record that says so, wherever the bit is', () => {
    const records = Array.from({ length: 20 }, (_, i) => record(`http://example.org/${i}`));
    const whole = batchOf(records, 100);
    const after = batchOf([record('next')], 120);
    // Before that lie its place, its length, the leader's epoch and the format, which the checksum leaves out.
    for (let at = 17; at < whole.length; at += 3) {
      const flipped = Buffer.from(whole);
      flipped[at]! ^= 1 << (at % 8);
      const { records: read, next } = readBatches(Buffer.concat([flipped, after]), 'c.discovered', 3, 105, []);
      assert.deepEqual([read.map(({ offset }) => offset), next], [[119, 120], 121], `byte ${at}`);
      assert.match(
        damageOf(read[0]!.value) ?? '',
        /c\.discovered\/3, offsets 100 to 119, is damaged .*checksum is wrong/,
      );
      assert.equal(read[1]!.value.toString(), 'next');
    }
    const alone = Buffer.from(whole);
    alone[80]! ^= 4;
    assert.deepEqual(readBatches(alone, 'c.discovered', 3, 100, []).next, 120);
    assert.deepEqual(readBatches(alone, 'c.discovered', 3, 120, []).records, []);
  });

  it('record batches have the same checksum by processor instruction and by tables', () => {
    assert.ok(nativeCrc32c !== undefined, '@node-rs/crc32 loads on this machine');
    for (let length = 0; length < 300; length += 7) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * 131 + length) & 0xff));
      for (const from of [0, 1, 5]) {
        if (from <= length)
          assert.equal(nativeCrc32c(bytes, from), crc32cByTables(bytes, from), `${from} to ${length}`);
      }
    }
  });

  it('a damaged batch says if its producer caused it, and if records are cut', () => {
    const bytes = batchOf([record('a'), record('b')], 7);
    bytes.writeInt32BE(3, 57);
    bytes.writeInt32BE(crc32c(bytes, 21), 17);
    const { records } = readBatches(bytes, 'c.tasks', 0, 7, []);
    assert.equal(records.length, 1);
    assert.match(damageOf(records[0]?.value as Buffer) ?? '', /undone: none: .*checksum is right/);
  });

  it('a batch is decompressed only up to the memory bound; the rest is for the next fetch', () => {
    const batches = Array.from({ length: 12 }, (_, i) =>
      batchOf([record(Buffer.alloc(12 << 20))], i, { compression: 'gzip' }),
    );
    const { records, next } = readBatches(Buffer.concat(batches), 't', 0, 0, []);
    assert.equal(records.length, 6);
    assert.equal(next, 6);
  });

  it('an unsupported compression is named', () => {
    const unknown = batchOf([record('a')], 0, { attributes: 5 });
    assert.throws(() => readBatches(unknown, 'crawl.pages', 0, 0, []), {
      code: 'UNSUPPORTED',
      message: /crawl\.pages.*codec 5/,
    });
  });
});

describe('a batch of very many records', () => {
  it('a batch of very many records is read in parts without loss', async () => {
    const count = kafkaLimits.recordsAtOnceMax + 3;
    const parts: number[] = [];
    const varint = (n: number) => {
      for (let left = n * 2; ; left = Math.floor(left / 128)) {
        parts.push(left >= 128 ? (left % 128) | 128 : left);
        if (left < 128) return;
      }
    };
    const lengthOf = (n: number) => (n < 64 ? 1 : n < 8_192 ? 2 : 3);
    for (let n = 0; n < count; n++) {
      varint(5 + lengthOf(n));
      parts.push(0, 0);
      varint(n);
      parts.push(1, 1, 0);
    }
    const batch = Buffer.alloc(61 + parts.length);
    batch.writeInt32BE(batch.length - 12, 8);
    batch[16] = 2;
    batch.writeInt32BE(count - 1, 23);
    batch.writeBigInt64BE(-1n, 43);
    batch.writeInt16BE(-1, 51);
    batch.writeInt32BE(-1, 53);
    batch.writeInt32BE(count, 57);
    Buffer.from(parts).copy(batch, 61);
    batch.writeInt32BE(crc32c(batch, 21), 17);
    const first = readBatches(batch, 't', 0, 0, []);
    assert.equal(first.records.length, kafkaLimits.recordsAtOnceMax);
    assert.equal(first.next, kafkaLimits.recordsAtOnceMax);
    const second = readBatches(batch, 't', 0, first.next, []);
    assert.deepEqual(
      second.records.map(({ offset }) => offset),
      [count - 3, count - 2, count - 1],
    );
    assert.equal(second.next, count);
  });
});
