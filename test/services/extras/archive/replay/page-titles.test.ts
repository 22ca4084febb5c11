/** Titles of captured pages: which captures have one, how far a page is read for it, and how often. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { ArchiveIndex } from '../../../../../services/extras/archive/replay/archive-index.ts';
import type { Capture } from '../../../../../services/extras/archive/replay/capture.ts';
import { PageTitles } from '../../../../../services/extras/archive/replay/page-titles.ts';
import { replayLimits } from '../../../../../services/extras/archive/replay/replay-limits.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './warc-file.ts';

const time = '20260203040506';
const titled = '<title>Pond</title>';
const behind = (bytes: number) => `<style>${'x'.repeat(bytes - titled.length - 15)}</style>${titled}`;

async function archiveOf(records: Readonly<Record<string, Partial<Written>>>) {
  const file = writeWarc(
    temporaryFolder(),
    'one',
    Object.entries(records).map(([path, more]) => ({ url: `http://a.test/${path}`, time, ...more })),
  );
  const index = new ArchiveIndex([{ file }]);
  const captures: Capture[] = [];
  for await (const capture of index.from('0')) captures.push(capture);
  let decoded = 0;
  const titles = new PageTitles(index, async (body, _, bytesMax) => {
    decoded += 1;
    return body.subarray(0, bytesMax);
  });
  const read = async () =>
    Object.fromEntries([...(await titles.of(captures))].map(([{ url }, title]) => [new URL(url).pathname, title]));
  return { file, read, decodedSoFar: () => decoded };
}

test('a title is that of a page, and of no redirect, other document or faulty record', async () => {
  const head = (line: string, type: string) => ({ head: `HTTP/1.1 ${line}\r\nContent-Type: ${type}`, body: titled });
  const { read } = await archiveOf({
    page: { body: `<h1>x</h1>${titled}` },
    xhtml: { ...head('200 OK', 'application/xhtml+xml'), mime: 'application/xhtml+xml' },
    gone: head('404 Not Found', 'text/html'),
    moved: head('301 Moved', 'text/html'),
    other: head('200 OK', 'text/plain'),
    image: { ...head('200 OK', 'text/html'), mime: 'image/png' },
    none: { body: 'text' },
    faulty: { type: 'revisit' },
  });
  assert.deepEqual(await read(), { '/page': 'Pond', '/xhtml': 'Pond', '/gone': 'Pond' });
});

test('a page is read for its title up to a limit', async () => {
  const { read } = await archiveOf({
    last: { body: behind(replayLimits.titleBytes) },
    late: { body: behind(replayLimits.titleBytes + titled.length) },
  });
  assert.deepEqual(await read(), { '/last': 'Pond' });
});

test('a title is read once, and a file that is gone gives none', async () => {
  const { file, read, decodedSoFar } = await archiveOf({ page: { body: titled } });
  await read();
  assert.deepEqual([await read(), decodedSoFar()], [{ '/page': 'Pond' }, 1]);
  const other = await archiveOf({ page: { body: titled } });
  rmSync(other.file);
  assert.deepEqual(await other.read(), {});
  rmSync(file);
  assert.deepEqual(await read(), { '/page': 'Pond' });
});
