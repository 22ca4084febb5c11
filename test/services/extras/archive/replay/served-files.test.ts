/** The files of an archive that is served, and what is refused with the remedy. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { replayLimits } from '../../../../../services/extras/archive/replay/replay-limits.ts';
import { servedFiles } from '../../../../../services/extras/archive/replay/served-files.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { writeWarc } from './warc-file.ts';

const record = { url: 'http://a.test/', time: '20260101000000', body: 'a' };
const nobody = (file: string) => assert.fail(file);
const refused = (places: readonly string[], message: RegExp) =>
  assert.rejects(
    servedFiles(places, () => {}),
    { code: 'INVALID_ARGUMENT', message },
  );

test('files and folders are served in the order of their names, each file once', async () => {
  const folder = temporaryFolder();
  const [b, a] = [writeWarc(folder, 'b', [record]), writeWarc(folder, 'a', [record])];
  writeFileSync(join(folder, 'notes.txt'), '');
  writeFileSync(join(folder, 'c.warc.gz.open'), '');
  assert.deepEqual(await servedFiles([b, folder, a], nobody), [{ file: a }, { file: b }]);
});

test('a file without an index gets one in memory, and is named', async () => {
  const folder = temporaryFolder();
  const file = writeWarc(folder, 'a', [record], false);
  const named: string[] = [];
  const [served] = await servedFiles([file], (one) => named.push(one));
  assert.deepEqual(named, [file]);
  assert.match(
    `${served?.lines}`,
    /^test,a\)\/ 20260101000000 \{"url":"http:\/\/a\.test\/".*"filename":"a\.warc\.gz"\}\n$/,
  );
});

test('a file without an index is refused beyond the bound', async () => {
  const file = join(temporaryFolder(), 'long.warc');
  writeFileSync(file, '');
  truncateSync(file, replayLimits.unindexedBytesMax + 1);
  await refused(
    [file],
    /long\.warc has no index beside it, and is too large to index at start: create it, as in: cdxj-/,
  );
});

test('an archive that cannot be served is refused with what to do', async () => {
  const folder = temporaryFolder();
  const file = writeWarc(folder, 'a', [record, { ...record, url: 'http://b.test/' }]);
  const other = writeWarc(temporaryFolder(), 'a', [record]);
  await refused([file, other], /two files are named a\.warc\.gz, but file names must be unique: rename one/);
  await refused([join(folder, 'none')], /none cannot be read: ENOENT/);
  await refused(
    [join(folder, 'a.cdxj')],
    /a\.cdxj: complete WARC files are named \.warc or \.warc\.gz; one named \.open/,
  );
  mkdirSync(join(folder, 'empty'));
  await refused([join(folder, 'empty')], /empty has no complete WARC file: crawl with --with archive to write them/);
  const index = join(folder, 'a.cdxj');
  writeFileSync(index, readFileSync(index, 'utf8').trimEnd().split('\n').reverse().join('\n').concat('\n'));
  await refused([file], /a\.cdxj is not sorted by bytes: sort it, as in: LC_ALL=C sort -o \S+a\.cdxj \S+a\.cdxj/);
});
