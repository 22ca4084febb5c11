import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { snappyCodec } from '../../../../services/runtime/log/kafka/compression/snappy-blocks.ts';
import { tableBlocks, unsnapped } from '../../../../services/runtime/store/table-blocks.ts';
import { storesOnDisk } from './stores-on-disk.ts';
import { temporaryFolder } from './temporary-folder.ts';

for (const { name, open } of storesOnDisk) {
  test(`${name}: table blocks hold the text of every row, also compressed`, async () => {
    const folder = temporaryFolder();
    const store = await open(folder, { writeBufferBytes: 50_000 });
    const texts = Array.from({ length: 500 }, (_, n) => `${'much the same text '.repeat(20)} of row ${n}.`);
    for (const [n, text] of texts.entries()) {
      await store.write([{ key: Buffer.from(`${n}`), value: Buffer.from(text) }]);
    }
    await store.rewrite!();
    await store.close();
    const tables = (await readdir(folder)).filter((one) => /\.(sst|ldb)$/.test(one));
    const raw = Buffer.concat(await Promise.all(tables.map((one) => readFile(join(folder, one)))));
    assert.ok(texts.some((text) => !raw.includes(text)));
    const blocks: Buffer[] = [];
    for (const one of tables) blocks.push(...tableBlocks(await readFile(join(folder, one))));
    for (const text of texts)
      assert.ok(
        blocks.some((block) => block.includes(text)),
        text,
      );
  });
}

test('Snappy data is restored, with long literals and overlapping copies', () => {
  for (const text of ['', 'a', 'abc'.repeat(5_000), 'x'.repeat(70_000)]) {
    assert.equal(unsnapped(snappyCodec.compress(Buffer.from(text)) as Buffer).toString(), text);
  }
  const noise = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * n * 2_654_435_761) >>> 24));
  assert.deepEqual(unsnapped(snappyCodec.compress(noise) as Buffer), noise);
});

test('a file that is no table, and a block that copies from before its beginning, are errors', () => {
  assert.throws(() => [...tableBlocks(Buffer.alloc(100))], /not the footer of a table/);
  assert.throws(() => [...tableBlocks(Buffer.alloc(3))], /not the footer of a table/);
  assert.throws(() => unsnapped(Buffer.from([4, 1, 9])), /damaged/);
});

/** An element of Snappy's format (google/snappy, format_description.txt): a literal with its length in so many bytes. */
function literal(text: string, lengthBytes: number): Buffer {
  const length = text.length - 1;
  if (lengthBytes === 0) return Buffer.concat([Buffer.from([length << 2]), Buffer.from(text)]);
  const number = Buffer.alloc(lengthBytes);
  number.writeUIntLE(length, 0, lengthBytes);
  return Buffer.concat([Buffer.from([(59 + lengthBytes) << 2]), number, Buffer.from(text)]);
}

/** A copy of bytes that came before: with an offset of 11, 16 or 32 bits. */
function copy(kind: 1 | 2 | 3, length: number, back: number): Buffer {
  if (kind === 1) return Buffer.from([((back >> 8) << 5) | ((length - 4) << 2) | 1, back & 0xff]);
  const offset = Buffer.alloc(kind === 2 ? 2 : 4);
  offset.writeUIntLE(back, 0, offset.length);
  return Buffer.concat([Buffer.from([((length - 1) << 2) | kind]), offset]);
}

function snapped(bytes: number, ...elements: readonly Buffer[]): Buffer {
  const length: number[] = [];
  for (let left = bytes; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left % 128) | 0x80);
    if (left < 128) break;
  }
  return Buffer.concat([Buffer.from(length), ...elements]);
}

test('Snappy literals are read with lengths of each size, at their edges', () => {
  for (const [characters, lengthBytes] of [
    ...[
      [1, 0],
      [59, 0],
      [60, 0],
      [1, 1],
      [61, 1],
      [256, 1],
      [257, 2],
      [65_536, 2],
      [65_537, 3],
      [70_000, 4],
    ],
  ] as const) {
    const text = Array.from({ length: characters! }, (_, n) => String.fromCharCode(97 + (n % 26))).join('');
    const packed = snapped(characters! + 3, literal(text, lengthBytes!), literal('end', 0));
    assert.equal(unsnapped(packed).toString(), `${text}end`, `${characters}`);
  }
});

test('Snappy copies are read with offsets of each size, also where a copy repeats itself', () => {
  const start = 'abcdefghijkl';
  for (const [kind, length, back] of [
    ...[
      [1, 4, 4],
      [1, 11, 12],
      [1, 11, 1],
      [2, 1, 12],
      [2, 64, 12],
      [2, 64, 1],
      [3, 1, 1],
      [3, 64, 12],
    ],
  ] as const) {
    let text = start;
    for (let n = 0; n < length!; n++) text += text.at(-back!);
    const packed = snapped(text.length, literal(start, 0), copy(kind as 1 | 2 | 3, length!, back!));
    assert.equal(unsnapped(packed).toString(), text, `${kind}, ${length}, ${back}`);
  }
  const far = 'x'.repeat(3_000);
  const long = `ab${far}`;
  for (const kind of [2, 3] as const)
    assert.equal(unsnapped(snapped(3_004, literal(long, 2), copy(kind, 2, 3_002))).toString(), `${long}ab`);
  const near = `ab${'x'.repeat(1_000)}`;
  assert.equal(unsnapped(snapped(1_006, literal(near, 2), copy(1, 4, 1_002))).toString(), `${near}abxx`);
});

test('Snappy copies from nowhere, or beyond the end, are errors', () => {
  for (const element of [copy(1, 4, 0), copy(1, 4, 5), copy(2, 5, 1)])
    assert.throws(() => unsnapped(snapped(8, literal('abcd', 0), element)), /damaged/);
  assert.equal(unsnapped(snapped(8, literal('abcd', 0), copy(1, 4, 4))).toString(), 'abcdabcd');
  assert.throws(() => unsnapped(Buffer.from([0x80])), /it ends within a number/);
});
