import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { openLineWriter } from '../../../../services/runtime/lines/line-writer.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('lines are in the file under its name only once it is whole', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'lines.txt');
  const writer = await openLineWriter(file);
  writer.write('one');
  writer.write('zwei ü');
  await writer.flush();
  assert.equal(readdirSync(folder).includes('lines.txt'), false);
  await writer.finish();
  assert.deepEqual(readdirSync(folder), ['lines.txt']);
  assert.equal(readFileSync(file, 'utf8'), 'one\nzwei ü\n');
});

test('an abandoned line file leaves the previous file, and can be restarted', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'lines.txt');
  writeFileSync(file, 'before');
  const before = await openLineWriter(file);
  before.write('x'.repeat(2 ** 20));
  await before.flush();
  const [aside] = readdirSync(folder).filter((name) => name !== 'lines.txt');
  assert.equal(readFileSync(join(folder, aside!)).length, 2 ** 20 + 1, 'a megabyte is written at once');
  await before.abandon();
  assert.equal(readFileSync(file, 'utf8'), 'before');
  const after = await openLineWriter(file);
  after.write('anew');
  await after.finish();
  assert.equal(readFileSync(file, 'utf8'), 'anew\n');
});

test('a file named .gz is compressed, in members that form one stream', async () => {
  const file = join(temporaryFolder(), 'lines.gz');
  const writer = await openLineWriter(file);
  const lines = Array.from({ length: 3 }, (_, n) => `${n}`.repeat(2 ** 20));
  for (const line of lines) {
    writer.write(line);
    await writer.flush();
  }
  writer.write('last');
  await writer.finish();
  const packed = readFileSync(file);
  assert.ok(packed.length < 100_000, `${packed.length}`);
  assert.equal(gunzipSync(packed).toString(), `${lines.join('\n')}\nlast\n`);
});

test('no lines make an empty file', async () => {
  const file = join(temporaryFolder(), 'none.gz');
  await (await openLineWriter(file)).finish();
  assert.equal(readFileSync(file).length, 0);
});

test('an impossible file is refused by name, with the remedy', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'there'));
  await assert.rejects(openLineWriter(join(folder, 'there')), {
    code: 'INVALID_ARGUMENT',
    message: `${join(folder, 'there')} can't be written: it is a folder; choose another file`,
  });
  await assert.rejects(openLineWriter(join(folder, 'missing', 'x')), {
    code: 'INVALID_ARGUMENT',
    message: /missing\/x can't be written: ENOENT.*; choose another file$/,
  });
});
