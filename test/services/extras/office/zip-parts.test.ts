/** Parts of ZIP files that are made byte by byte, since no library writes most of these. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { officeLimits } from '../../../../services/extras/office/office-limits.ts';
import { ZipParts } from '../../../../services/extras/office/zip-parts.ts';

interface Part {
  readonly name: string;
  readonly data: Buffer;
  readonly method?: number;
  readonly flags?: number;
  /** Of the part's own header, and of its row in the list. */
  readonly extra?: Buffer;
  readonly listExtra?: Buffer;
  readonly rowComment?: Buffer;
  /** Said in the list. */
  readonly size?: number;
}

const none = Buffer.alloc(0);

function fields(...values: readonly (readonly [bytes: 2 | 4, value: number])[]): Buffer {
  return Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, bytes);
      return field;
    }),
  );
}

function zip(parts: readonly Part[], comment: Buffer = none): Buffer {
  const [bodies, rows]: [Buffer[], Buffer[]] = [[], []];
  let at = 0;
  for (const { name, data, method = 0, flags = 0, extra = none, listExtra = none, rowComment = none, size } of parts) {
    const packed = method === 8 ? deflateRawSync(data) : data;
    const named = Buffer.from(name);
    const sizes = fields([4, 0], [4, size ?? packed.length], [4, data.length], [2, named.length]);
    const about = [fields([2, 20], [2, flags], [2, method], [4, 0]), sizes];
    const head = [fields([4, 0x04034b50]), ...about, fields([2, extra.length]), named, extra];
    const rest = fields([2, listExtra.length], [2, rowComment.length], [2, 0], [2, 0], [4, 0], [4, at]);
    rows.push(Buffer.concat([fields([4, 0x02014b50], [2, 20]), ...about, rest, named, listExtra, rowComment]));
    const body = Buffer.concat([...head, packed]);
    bodies.push(body);
    at += body.length;
  }
  const list = Buffer.concat(rows);
  const counts = fields([4, 0x06054b50], [4, 0], [2, parts.length], [2, parts.length], [4, list.length], [4, at]);
  return Buffer.concat([...bodies, list, counts, fields([2, comment.length]), comment]);
}

const part = (name: string, text: string, more: Partial<Part> = {}): Part => ({
  name,
  data: Buffer.from(text),
  ...more,
});
const textOf = (file: Buffer, name: string) => new ZipParts(file).read(name)?.toString();

test('zip parts are stored or deflated, whatever extra fields their headers have', () => {
  const more = { extra: Buffer.alloc(7, 1), listExtra: Buffer.alloc(5, 2), rowComment: Buffer.alloc(3, 3) };
  const file = zip([part('a', 'first', more), part('b', 'second', { ...more, method: 8 }), part('c', 'third')]);
  assert.deepEqual(
    ['a', 'b', 'c', 'd'].map((name) => textOf(file, name)),
    ['first', 'second', 'third', undefined],
  );
  const parts = new ZipParts(file);
  assert.deepEqual([parts.has('b'), parts.has('B')], [true, false]);
});

test('the first of two zip parts with one name is read', () => {
  assert.equal(textOf(zip([part('a', 'one'), part('a', 'two')]), 'a'), 'one');
});

test('the zip directory is found before the longest possible comment, and no further back', () => {
  const file = zip([part('a', 'x')], Buffer.alloc(0xffff, 'k'));
  assert.equal(textOf(file, 'a'), 'x');
  assert.throws(() => new ZipParts(Buffer.concat([file, Buffer.from('k')])), /not a ZIP file/);
  assert.throws(() => new ZipParts(Buffer.alloc(21)), /not a ZIP file/);
  assert.throws(() => new ZipParts(none), /not a ZIP file/);
  assert.equal(new ZipParts(zip([])).has('a'), false, 'an empty one is 22 bytes');
});

test('an unreadable zip file says why', () => {
  const whole = zip([part('a', 'text')]);
  for (const method of [1, 7, 9, 12]) {
    assert.throws(() => textOf(zip([part('a', 'text', { method })]), 'a'), /a is not read/, `method ${method}`);
  }
  assert.throws(() => textOf(zip([part('a', 'text', { flags: 1 })]), 'a'), /a is encrypted/);
  assert.equal(textOf(zip([part('a', 'text', { flags: 0x800 })]), 'a'), 'text', 'its name is UTF-8');
  const moved = Buffer.concat([Buffer.alloc(1), whole]);
  assert.throws(() => new ZipParts(moved), /central directory of the ZIP file is cut short/);
  const gone = Buffer.from(whole);
  gone[0] = 0;
  assert.throws(() => textOf(gone, 'a'), /a is not at its offset in the ZIP file/);
  // To the very end of the file there is as much as it has.
  const rest = whole.length - (30 + 1);
  assert.equal(textOf(zip([part('a', 'text', { size: rest })]), 'a')?.length, rest);
  assert.throws(() => textOf(zip([part('a', 'text', { size: rest + 1 })]), 'a'), /a is cut short/);
});

test('all zip parts together unpack to the bound, and not one byte more', () => {
  const most = Buffer.alloc(officeLimits.officeBytesMax);
  for (const method of [0, 8]) {
    const file = zip([
      { name: 'most', data: most, method },
      part('more', 'x', { method }),
      part('none', '', { method }),
    ]);
    const parts = new ZipParts(file);
    assert.equal(parts.read('most')?.length, most.length);
    assert.throws(() => parts.read('more'), /is not read|larger than/);
    assert.equal(parts.read('none')?.length, 0);
    const again = new ZipParts(file);
    assert.equal(again.read('more')?.length, 1);
    assert.throws(() => again.read('most'), /is not read|larger than/);
  }
});
