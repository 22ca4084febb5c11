import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { readLines } from '../../../../services/runtime/lines/read-lines.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const text = 'http://example.org/é\n{"a":1}\n\nlast';
const lines = ['http://example.org/é', '{"a":1}', '', 'last'];
const bigEndian = (value: string) => Buffer.from(value, 'utf16le').swap16();

async function linesOf(name: string, bytes: Uint8Array): Promise<string[]> {
  const file = join(temporaryFolder(), name);
  writeFileSync(file, bytes);
  const all: string[] = [];
  for await (const some of readLines(file)) all.push(...some);
  return all;
}

for (const [encoding, bytes] of [
  ['UTF-8', Buffer.from(text)],
  ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
  ['UTF-16 with a mark, as PowerShell writes it', Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 with a mark, the high byte first', bigEndian(`\ufeff${text}`)],
] as const) {
  test(`lines in ${encoding} are read, plain and compressed, without the byte order mark`, async () => {
    assert.deepEqual(await linesOf('lines.txt', bytes), lines);
    assert.deepEqual(await linesOf('lines.txt.gz', gzipSync(bytes)), lines);
  });
}

test('a file of a single byte and an empty file are read', async () => {
  assert.deepEqual(await linesOf('one.txt', Buffer.from('a')), ['a']);
  assert.deepEqual(await linesOf('none.txt', Buffer.alloc(0)), []);
});
