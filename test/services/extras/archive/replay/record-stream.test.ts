/** One record read from the middle of a WARC file: its head, its body as it was sent, and what an index may get wrong. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openRecord } from '../../../../../services/extras/archive/replay/record-stream.ts';
import { descriptors } from '../../../../../services/runtime/descriptors.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';

const url = 'http://a.test/';
const before = 'x'.repeat(50);

/** The place of these bytes within a file that has others on both sides. */
function captureOf(record: Buffer) {
  const file = join(temporaryFolder(), 'a.warc');
  writeFileSync(file, Buffer.concat([Buffer.from(before), record, Buffer.from('WARC/1.1\r\nthe next one')]));
  const place = { file, offset: before.length, length: record.length, url };
  return { ...place, key: 'test,a)/', time: '20260101000000', atMs: 0, mime: '', status: 200, digest: '' };
}

function recordOf(block: string, fields: readonly string[] = [], contentType = 'application/http'): Buffer {
  const head = [
    'WARC/1.0',
    'WARC-Type: Response',
    `WARC-Target-URI: ${url}`,
    `Content-Type: ${contentType}`,
    ...fields,
  ];
  const length = fields.some((field) => field.startsWith('Content-Length')) ? [] : [`Content-Length: ${block.length}`];
  return Buffer.from(`${[...head, ...length].join('\r\n')}\r\n\r\n${block}\r\n\r\n`, 'latin1');
}

async function read(record: Buffer) {
  const { type, fields, head, bodyBytes, body } = await openRecord(captureOf(record));
  const parts: Buffer[] = [];
  for await (const part of body) parts.push(part);
  return { type, fields, head, bodyBytes, body: Buffer.concat(parts).toString('latin1') };
}

test('a record is read alone, compressed or not, with the named length of its body', async () => {
  const plain = recordOf('HTTP/1.1 404 Not Found\r\nX-Name: caf\xe9\r\nno field\r\n\r\ngone', ['X-Field:  y ']);
  for (const record of [plain, gzipSync(plain)]) {
    const { type, fields, head, bodyBytes, body } = await read(record);
    assert.deepEqual([type, fields.get('x-field'), fields.get('warc-target-uri')], ['response', 'y', url]);
    assert.deepEqual(head, { status: 404, headers: ['x-name', 'caf\xe9'] });
    assert.deepEqual([bodyBytes, body], [4, 'gone']);
  }
});

test('a body leaves its record without chunks, however the header spells them', async () => {
  for (const [coding, body, bodyBytes] of [
    ['chunked', '4\r\ngone\r\n0\r\n\r\n', undefined],
    ['Chunked', '4\r\ngone\r\n0\r\n\r\n', undefined],
    ['CHUNKED', 'gone', undefined],
    ['identity', 'gone', 4],
  ] as const) {
    const made = await read(recordOf(`HTTP/1.1 200 OK\r\nTransfer-Encoding: ${coding}\r\n\r\n${body}`));
    assert.deepEqual([made.body, made.bodyBytes], ['gone', bodyBytes], coding);
  }
});

test('a body of another kind than HTTP is the whole block', async () => {
  const made = await read(recordOf('<p>as it is', [], 'text/html'));
  assert.deepEqual([made.head, made.bodyBytes, made.body], [null, 11, '<p>as it is']);
  const empty = await read(recordOf(''));
  assert.deepEqual([empty.head, empty.bodyBytes, empty.body], [null, 0, '']);
  const odd = await read(recordOf('no HTTP\r\n\r\nbody'));
  assert.deepEqual([odd.head, odd.body], [null, 'body']);
});

test('a long record comes whole, and one that ends early as far as it goes', async () => {
  const block = `HTTP/1.1 200 OK\r\n\r\n${'0123456789'.repeat(50_000)}`;
  for (const record of [recordOf(block), gzipSync(recordOf(block))]) {
    const { bodyBytes, body } = await read(record);
    assert.deepEqual([bodyBytes, body.length, body.slice(-4)], [500_000, 500_000, '6789']);
  }
  const { bodyBytes, body } = await read(
    recordOf('HTTP/1.1 200 OK\r\n\r\nhalf', ['Content-Length: 99']).subarray(0, -4),
  );
  assert.deepEqual([bodyBytes, body], [99 - 19, 'half']);
  const cut = gzipSync(recordOf(block), { level: 0 }).subarray(0, 40_000);
  assert.match((await read(cut)).body, /^(0123456789){1000}/);
});

test('an index that is wrong is reported with the reason, and leaves no file open', async () => {
  const openBefore = descriptors()?.open ?? 0;
  const http = 'HTTP/1.1 200 OK\r\n';
  for (const [reason, record] of [
    ['no record is there', Buffer.from('HTTP/1.1 200 OK\r\n\r\n')],
    ['no record is there', Buffer.from('WARC/1.1\r\nno end')],
    ['no record is there', Buffer.from(`WARC/1.1\r\nX: ${'x'.repeat(300_000)}\r\n\r\n`)],
    ['no record is there', gzipSync('WARC/1.1\r\nno end')],
    ['it has no Content-Length', recordOf('', ['Content-Length: x'])],
    ['it has no Content-Length', recordOf('', ['Content-Length: -1'])],
    ['it has no Content-Length', recordOf('', ['Content-Length: 1.5'])],
    ['it has no URL', Buffer.from('WARC/1.1\r\nWARC-Type: response\r\nContent-Length: 0\r\n\r\n')],
    ['its HTTP head does not end', recordOf(http)],
    ['its HTTP head does not end', recordOf(`${http}X: y\r\n\r\nz`, ['Content-Length: 20'])],
    ['its HTTP head does not end', recordOf(`${http}X: ${'x'.repeat(300_000)}\r\n\r\n`)],
  ] as const) {
    const capture = captureOf(record);
    const message = `${capture.file}: the index has ${url} at 50, but ${reason}; rebuild the index`;
    await assert.rejects(openRecord(capture), { code: 'INVALID_RECORD', message });
  }
  assert.ok((descriptors()?.open ?? 0) <= openBefore + 1);
});

test('a record closes its file when it is read to its end, closed before, or left by its reader', async () => {
  const openNow = () => descriptors()?.open ?? 0;
  const capture = captureOf(recordOf(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(500_000)}`));
  // The system closes a file beside us: a few rounds would see a late close by chance.
  for (let n = 0; n < 400; n++) {
    const openBefore = openNow();
    const { body, close } = await openRecord(capture);
    assert.ok(openNow() > openBefore || openBefore === 0);
    if (n % 4 === 0) await body.next();
    if (n % 4 < 2) await close();
    else for await (const _ of body) if (n % 4 === 2) break;
    assert.ok(openNow() <= openBefore, `${n}`);
  }
});
