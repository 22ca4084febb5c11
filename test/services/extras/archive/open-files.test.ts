/** Files that readers of archives open are closed again, however they end. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { IndexedRecords } from '../../../../services/extras/archive/indexed-record.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { descriptors } from '../../../../services/runtime/descriptors.ts';
import { until } from '../../until.ts';

const record = 'WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n';

async function warcOf(t: TestContext, records: number, pack: (text: string) => Buffer): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'open-files-'));
  t.after(() => rm(folder, { recursive: true }));
  const path = join(folder, 'a.warc');
  // Longer than what a stream reads ahead.
  await writeFile(path, Buffer.concat(Array.from({ length: records }, () => pack(record))));
  return path;
}

const openNow = () => descriptors()?.open ?? 0;

for (const [about, pack] of [
  ['as it is', (text: string) => Buffer.from(text)],
  ['compressed', (text: string) => gzipSync(text)],
] as const)
  test(`a WARC file, ${about}, of which the first record is read alone`, async (t) => {
    const path = await warcOf(t, 20_000, pack);
    const before = openNow();
    for (let n = 0; n < 20; n++) for await (const { type } of readWarc(path)) if (type === 'response') break;
    await until(() => openNow() <= before + 2);
  });

test('a WARC file in which a record is damaged', async (t) => {
  let n = 0;
  const path = await warcOf(t, 20_000, (text) => Buffer.from(n++ === 1 ? `x${text}` : text));
  const before = openNow();
  for (let n = 0; n < 20; n++)
    await assert.rejects(async () => {
      for await (const { type } of readWarc(path)) assert.equal(type, 'response');
    }, /record 2: no WARC record begins there/);
  await until(() => openNow() <= before + 2);
});

test('a folder in the place of a WARC file is refused by name', async (t) => {
  const path = `${await warcOf(t, 1, (text) => Buffer.from(text))}.d`;
  await mkdir(path);
  const before = openNow();
  for (let n = 0; n < 5; n++)
    await assert.rejects(readWarc(path).next(), { code: 'INVALID_ARGUMENT', message: /a\.warc\.d cannot be read/ });
  assert.ok(openNow() <= before + 1);
});

test('records of one file that are asked for at once', async (t) => {
  const path = await warcOf(t, 50, (text) => Buffer.from(text));
  const before = openNow();
  const records = new IndexedRecords();
  const line = (n: number) => ({ file: path, offset: n * record.length, length: record.length, url: 'http://a.test/' });
  const read = await Promise.all(
    Array.from({ length: 50 }, (_, n) => records.read(line(n) as Parameters<IndexedRecords['read']>[0])),
  );
  assert.equal(read.length, 50);
  await records.close();
  await until(() => openNow() <= before);
});
