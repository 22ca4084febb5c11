import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader, ByteWriter } from '../../../../topology/frontier/storage/bytes.ts';

test('numbers up to 2^53 are read back, in as few bytes as LEB128', () => {
  const writer = new ByteWriter(8);
  for (let bits = 0; bits <= 53; bits++) {
    for (const value of [2 ** bits - 1, 2 ** bits, 2 ** bits + 1]) {
      if (!Number.isSafeInteger(value)) continue;
      writer.uint(value);
      const bytes = writer.take();
      assert.equal(bytes.length, Math.max(1, Math.ceil(value.toString(2).length / 7)), `${value}`);
      const reader = new ByteReader(bytes);
      assert.equal(reader.uint(), value);
      assert.ok(reader.done);
      if (bits > 51) continue; // zigzag takes a bit
      writer.int(-value);
      assert.ok(new ByteReader(writer.take()).int() === -value);
    }
  }
});

test('texts are read back, short or long, with any characters, and as UTF-8', () => {
  const writer = new ByteWriter(8);
  const texts = ['', 'a', 'x'.repeat(64), 'x'.repeat(65), 'é', 'abc€', `${'y'.repeat(63)}😀`, '中'.repeat(500)];
  for (const text of texts) writer.string(text);
  const bytes = writer.take();
  const reader = new ByteReader(bytes);
  for (const text of texts) assert.equal(reader.string(), text);
  assert.ok(reader.done);
  const alone = (text: string) => {
    writer.string(text);
    return writer.take();
  };
  for (const text of texts) {
    const written = alone(text);
    assert.equal(written.toString('utf8', written.length - Buffer.byteLength(text)), text);
  }
});

test('a writer allocates its buffer with the first byte', (t) => {
  const { mock } = t.mock.method(Buffer, 'allocUnsafe');
  const writer = new ByteWriter(1 << 16);
  assert.equal(writer.length, 0);
  assert.equal(mock.callCount(), 0);
  writer.byte(7);
  assert.deepEqual(
    mock.calls.map((call) => call.arguments[0]),
    [1 << 16],
  );
  assert.deepEqual([...writer.take()], [7]);
});
