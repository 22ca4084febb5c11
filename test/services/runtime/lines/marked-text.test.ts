/** Text files of users: their encodings by byte order mark, wherever a read piece ends, and lines out of them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { MarkedTextDecoder, markedText } from '../../../../services/runtime/lines/marked-text.ts';
import { readLines } from '../../../../services/runtime/lines/read-lines.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const text = 'größe €\nzwei \u{1f600}\n';
const utf16le = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const utf16be = Buffer.from(utf16le).swap16();
const forms = {
  'UTF-8': Buffer.from(text),
  'UTF-8 with a mark': Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
  'UTF-16, little-endian': utf16le,
  'UTF-16, big-endian': utf16be,
};

for (const [form, bytes] of Object.entries(forms))
  test(`a text in ${form} is the same wherever a read piece ends`, () => {
    assert.equal(markedText(bytes), text);
    for (let cut = 0; cut <= bytes.length; cut++) {
      const decoder = new MarkedTextDecoder();
      const read = decoder.write(bytes.subarray(0, cut)) + decoder.write(bytes.subarray(cut)) + decoder.end();
      assert.equal(read, text, `cut at ${cut}`);
    }
    const decoder = new MarkedTextDecoder();
    let read = '';
    for (const byte of bytes) read += decoder.write(Buffer.from([byte]));
    assert.equal(read + decoder.end(), text, 'byte by byte');
  });

test('a text of no byte, of one, or with half a character at its end is read', () => {
  for (const [bytes, read] of [
    [[], ''],
    [[0x61], 'a'],
    [[0xff], '\ufffd'],
    [[0xff, 0xfe], ''],
    [[0xfe, 0x61], '\ufffda'],
    [[0x61, 0xc3], 'a\ufffd'],
  ] as const) {
    const decoder = new MarkedTextDecoder();
    assert.equal(decoder.write(Buffer.from(bytes)) + decoder.end(), read, `${bytes}`);
  }
});

async function linesOf(name: string, bytes: Buffer): Promise<string[]> {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, bytes);
  const all: string[] = [];
  for await (const lines of readLines(path)) all.push(...lines);
  return all;
}

test('lines are read from plain and compressed files, empty ones too, and a last one without an end', async () => {
  const lines = ['one', '', 'größe', 'last'];
  for (const end of ['', '\n']) {
    const bytes = Buffer.from(lines.join('\n') + end);
    assert.deepEqual(await linesOf('a.txt', bytes), lines);
    assert.deepEqual(await linesOf('a.txt.gz', gzipSync(bytes)), lines);
    assert.deepEqual(await linesOf('a.gz', Buffer.concat([gzipSync('one\n'), gzipSync(bytes)])), ['one', ...lines]);
  }
  assert.deepEqual(await linesOf('a.txt', utf16le), text.trimEnd().split('\n'));
  assert.deepEqual(await linesOf('a.txt', Buffer.alloc(0)), []);
  const many = Array.from({ length: 100_000 }, (_, n) => `line ${n}`);
  assert.deepEqual(await linesOf('a.txt', Buffer.from(many.join('\n'))), many);
});

test('a file that cannot be read, or is no gzip, or has an endless line is refused by name', async () => {
  const refused = (name: string, bytes: Buffer, message: RegExp) =>
    assert.rejects(linesOf(name, bytes), { code: 'INVALID_ARGUMENT', message });
  await refused('a.gz', Buffer.from('no gzip'), /a\.gz can't be read: incorrect header check/);
  await refused('a.gz', gzipSync(text).subarray(0, -9), /a\.gz can't be read: unexpected end of file/);
  await refused('a.txt', Buffer.alloc(17 << 20, 'a'), /a\.txt can't be read: a line has more than 16777216 characters/);
  const folder = temporaryFolder();
  const read = async (path: string) => {
    for await (const _ of readLines(path));
  };
  await assert.rejects(read(join(folder, 'none')), {
    message: `${join(folder, 'none')} can't be read: there is no such file`,
  });
  await assert.rejects(read(join(folder, 'none.gz')), { message: /none\.gz can't be read: there is no such file/ });
  await assert.rejects(read(folder), { code: 'INVALID_ARGUMENT', message: /EISDIR/ });
});
