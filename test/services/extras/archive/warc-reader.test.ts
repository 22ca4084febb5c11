/** WARC files of other programs, with records that are damaged in some way. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { archiveLimits } from '../../../../services/extras/archive/archive-limits.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const folder = temporaryFolder();

const record = (length: string | null, block = '') =>
  `WARC/1.1\r\nWARC-Type: resource\r\n${length === null ? '' : `Content-Length: ${length}\r\n`}\r\n${block}`;
const whole = `${record('3', 'abc')}\r\n\r\n`;

/** The blocks of the records, in a file as it is and in one that is compressed. */
async function blocksOf(text: string): Promise<string[]> {
  const found: string[][] = [];
  for (const [name, bytes] of [
    ['plain.warc', Buffer.from(text)],
    ['packed.warc.gz', gzipSync(text)],
  ] as const) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const blocks: string[] = [];
    for await (const { block } of readWarc(path)) blocks.push(block.toString());
    found.push(blocks);
  }
  assert.deepEqual(found[0], found[1]);
  return found[0]!;
}

test('records follow each other, also without the empty lines between them', async () => {
  assert.deepEqual(await blocksOf(''), []);
  assert.deepEqual(await blocksOf(`${whole}${whole}`), ['abc', 'abc']);
  assert.deepEqual(await blocksOf(`${record('3', 'abc')}${record('0')}${record('1', 'd')}`), ['abc', '', 'd']);
});

test('a record without a valid length is damaged, and named by its place', async () => {
  for (const length of [null, '-1', '1.5', 'x', '9007199254740993'])
    await assert.rejects(blocksOf(`${whole}${record(length)}`), {
      code: 'INVALID_RECORD',
      message: /plain\.warc, record 2: it has no Content-Length$/,
    });
  const bytes = archiveLimits.recordBytesMax + 1;
  await assert.rejects(blocksOf(record(`${bytes}`)), { message: new RegExp(`record 1: it is ${bytes} bytes long$`) });
});

test('a file that ends within a record, or has something else, is damaged there', async () => {
  for (const cut of ['WARC/1.1\r\n', record('3', 'ab')])
    await assert.rejects(blocksOf(`${whole}${cut}`), { message: /record 2: it ends in the middle of a record$/ });
  for (const text of [`\r\n\r\n${whole}`, `${whole}HTTP/1.1 200 OK\r\n\r\n`])
    await assert.rejects(blocksOf(text), { message: /no WARC record begins there$/ });
});
