/** A rendered document in a message, in a file beside it, or cut. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { BodyFiles } from '../../../../services/fetcher/http/body-files.ts';
import { createBodyFiles } from '../../../../services/fetcher/http/body-files.ts';
import { renderedRecord } from '../../../../services/fetcher/unleased/rendered-record.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const known = { url: 'http://a.test/', hostKey: 'a.test', depth: 2, status: 203, noArchiveFromMs: 9, atMs: 1_000 };
const archive = { what: 'all', bodyBytesMax: 100, messageBytesMax: 10 } as const;

async function record(html: string, files?: BodyFiles) {
  const { body, bodyFile, bodyBytes, bodyDigest, truncated, truncatedBy, ...more } = await renderedRecord(
    { ...known, html },
    { ...archive, files },
  );
  return { kept: { body: body.toString(), bodyFile, bodyBytes, bodyDigest, truncated, truncatedBy }, more };
}
const inMessage = { bodyFile: '', bodyBytes: 0, bodyDigest: '', truncated: false, truncatedBy: '' };

test('a record of a rendered page holds its time and URL, and says that it is a rendered document', async () => {
  const { more } = await record('<p>');
  const { url, hostKey, depth, status, noArchiveFromMs, kind, fetchedAtMs, headers } = more;
  const { atMs, ...same } = known;
  assert.deepEqual({ url, hostKey, depth, status, noArchiveFromMs }, same);
  assert.deepEqual([kind, fetchedAtMs], ['rendered', atMs]);
  assert.deepEqual(headers, ['content-type', 'text/html; charset=utf-8']);
});

test('a rendered document is cut at the message size if no folder for bodies exists', async () => {
  assert.deepEqual((await record('0123456789')).kept, { ...inMessage, body: '0123456789' });
  const cut = { ...inMessage, truncated: true, truncatedBy: 'length' };
  assert.deepEqual((await record('0123456789a')).kept, { ...cut, body: '0123456789' });
});

function folderOf() {
  const folder = temporaryFolder();
  return { folder, files: createBodyFiles(folder) };
}

test('a rendered document that fits stays in its message even if a folder for bodies exists', async () => {
  assert.deepEqual((await record('0123456789', folderOf().files)).kept, { ...inMessage, body: '0123456789' });
});

test('a longer rendered document goes into a file, whole up to the body limit', async () => {
  const { folder, files } = folderOf();
  for (const [chars, truncated, truncatedBy] of [
    [11, false, ''],
    [100, false, ''],
    [101, true, 'length'],
  ] as const) {
    const text = 'ab'.repeat(chars).slice(0, chars);
    const { kept } = await record(text, files);
    const filed = text.slice(0, 100);
    const bodyDigest = createHash('sha1').update(filed).digest('hex');
    const { bodyFile, ...rest } = kept;
    assert.deepEqual(rest, { body: '', bodyBytes: filed.length, bodyDigest, truncated, truncatedBy });
    assert.equal(await readFile(join(folder, bodyFile), 'utf8'), filed);
  }
});

test('a rendered document is cut if its file cannot be written, and the record says that length was not the reason', async () => {
  const failing: BodyFiles = {
    open: () => ({ write: () => true, finish: async () => null, discard: () => {} }),
    remove: () => {},
  };
  const cut = { ...inMessage, truncated: true, truncatedBy: 'unspecified' };
  assert.deepEqual((await record('0123456789a', failing)).kept, { ...cut, body: '0123456789' });
});
