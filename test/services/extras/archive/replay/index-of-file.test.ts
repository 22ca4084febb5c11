import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { indexOfFile } from '../../../../../services/extras/archive/replay/index-of-file.ts';
import { temporaryFolder } from '../../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './warc-file.ts';

const time = '20260102030405';
const page = (name: string, more: Partial<Written> = {}): Written => ({
  url: `http://a.test/${name}`,
  time,
  body: `page ${name}`,
  ...more,
});

/** As the index beside the file has them. */
async function indexed(records: readonly Written[]) {
  const folder = temporaryFolder();
  const file = writeWarc(folder, 'one', records);
  return { file, made: `${await indexOfFile(file)}`, beside: readFileSync(join(folder, 'one.cdxj'), 'utf8') };
}

/** One record as a stretch of a file that is not packed. */
function record(type: string, url: string, block: string, more: readonly string[] = []): Buffer {
  const fields = [
    `WARC-Type: ${type}`,
    `WARC-Target-URI: ${url}`,
    'WARC-Date: 2026-01-02T03:04:05Z',
    ...more,
    `Content-Length: ${Buffer.byteLength(block)}`,
  ];
  return Buffer.from(`WARC/1.1\r\n${fields.join('\r\n')}\r\n\r\n${block}\r\n\r\n`);
}
const html = 'HTTP/1.1 200 OK\r\nContent-Type: Text/HTML; charset=utf-8\r\n\r\nhello';

async function linesOf(bytes: Buffer): Promise<readonly Record<string, string>[]> {
  const file = join(temporaryFolder(), 'x.warc');
  writeFileSync(file, bytes);
  const text = `${await indexOfFile(file)}`;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [surt, at, ...json] = line.split(' ');
      return { surt, at, ...JSON.parse(json.join(' ')) };
    });
}
const refused = (bytes: Buffer, message: RegExp) => assert.rejects(linesOf(bytes), { code: 'INVALID_RECORD', message });

/** The low half of the CRC-32 of a member's head, as its last trailer has the whole of its data's. */
function checksum16(head: Buffer): Buffer {
  return gzipSync(head).subarray(-8, -6);
}

describe('the index built for a WARC file', () => {
  it('the index built for a WARC file equals an existing one', async () => {
    const { made, beside } = await indexed([
      page('b'),
      page('a', { digest: 'AAAA' }),
      page('gone', { head: 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html', status: 404 }),
      page('again', { type: 'revisit' }),
      page('as-is', { type: 'resource' }),
    ]);
    assert.equal(made.replaceAll('"sha1:"', '""'), beside.replaceAll('"sha1:"', '""'));
    assert.equal(made.split('\n').length, 6);
  });

  it('the index built for a WARC file has the sent type, and what can be shown', async () => {
    const reported = async (...records: Buffer[]) =>
      (await linesOf(Buffer.concat(records))).map(({ url, mime, status, digest }) => [url, mime, status, digest]);
    assert.deepEqual(await reported(record('response', '<http://a.test/>', html, ['WARC-Payload-Digest: sha1:B'])), [
      ['http://a.test/', 'text/html', '200', 'sha1:B'],
    ]);
    const plain = (type: string) => record('resource', 'http://a.test/r', 'x', [`Content-Type: ${type}`]);
    assert.deepEqual(await reported(plain('image/svg+xml;x=y')), [['http://a.test/r', 'image/svg+xml', '200', '']]);
    assert.deepEqual(await reported(plain('nonsense')), [['http://a.test/r', 'unk', '200', '']]);
    const bare = record('response', 'http://a.test/b', 'HTTP/1.0 302 Found\r\nX: y\r\n\r\n');
    assert.deepEqual(await reported(bare), [['http://a.test/b', 'unk', '302', '']]);
    assert.deepEqual(
      await reported(
        record('warcinfo', 'http://a.test/', 'x'),
        record('request', 'http://a.test/', 'GET / HTTP/1.1\r\n\r\n'),
        record('response', 'dns:a.test', 'x'),
        record('response', 'http://', html),
        record('response', 'http://a.test/', html),
      ),
      [['http://a.test/', 'text/html', '200', '']],
    );
  });

  it('the index built for a WARC file has each record’s offset, compressed or not', async () => {
    const [first, second] = [record('response', 'http://a.test/1', html), record('response', 'http://a.test/2', html)];
    const places = async (bytes: Buffer) =>
      (await linesOf(bytes)).map(({ offset, length }) => [offset, length]).sort(([a], [b]) => Number(a) - Number(b));
    assert.deepEqual(await places(Buffer.concat([first, second])), [
      ['0', `${first.length}`],
      [`${first.length}`, `${second.length}`],
    ]);
    assert.deepEqual(await places(first.subarray(0, -4)), [['0', `${first.length - 4}`]], 'without its two line ends');
    // Optional parts of a member's head: a comment, a name, further fields, a checksum (RFC 1952 §2.3).
    const zipped = gzipSync(first);
    const head = Buffer.from(zipped.subarray(0, 10));
    head[3] = 2 + 4 + 8 + 16;
    const more = Buffer.concat([head, Buffer.from([3, 0, 1, 2, 3]), Buffer.from('name\0comment\0')]);
    const long = Buffer.concat([more, checksum16(more), zipped.subarray(10)]);
    assert.deepEqual(await places(Buffer.concat([zipped, long, zipped])), [
      ['0', `${zipped.length}`],
      [`${zipped.length}`, `${long.length}`],
      [`${zipped.length + long.length}`, `${zipped.length}`],
    ]);
  });

  it('the index built for a WARC file covers whole records if its writer was killed', async () => {
    const [first, second] = [record('response', 'http://a.test/1', html), record('response', 'http://a.test/2', html)];
    const all = Buffer.concat([first, second]);
    for (const cut of [1, 20, second.length - 30, second.length - 5]) {
      const urls = (await linesOf(all.subarray(0, first.length + cut))).map(({ url }) => url);
      assert.deepEqual(urls, ['http://a.test/1'], `${cut} bytes of the second, plain`);
    }
    const packed = [gzipSync(first), gzipSync(second)];
    for (const cut of [1, 15, packed[1]!.length - 9]) {
      const bytes = Buffer.concat(packed).subarray(0, packed[0]!.length + cut);
      assert.deepEqual(
        (await linesOf(bytes)).map(({ url }) => url),
        ['http://a.test/1'],
        `${cut} bytes, packed`,
      );
    }
  });

  it('a file that is no WARC file gets no index, with the place and the reason', async () => {
    await refused(Buffer.from('PK\u0003\u0004'), /at byte 0: no WARC record begins there$/);
    await refused(gzipSync('hello'), /at byte 0: no WARC record begins there$/);
    await refused(gzipSync(Buffer.alloc(0)).subarray(0, 12), /at byte 0: it cannot be decompressed/);
    const [one, other] = [record('response', 'http://a.test/1', html), record('response', 'http://a.test/2', html)];
    await refused(gzipSync(Buffer.concat([one, other])), /records are compressed together/);
    const noLength = Buffer.from('WARC/1.1\r\nWARC-Type: response\r\n\r\n');
    await refused(Buffer.concat([one, noLength]), new RegExp(`at byte ${one.length}: a record has no Content-Length$`));
    await refused(one.subarray(0, -9), /at byte 0: the record is cut short$/);
    await refused(gzipSync(one.subarray(0, -9)), /at byte 0: the record is cut short$/);
    assert.deepEqual(await linesOf(Buffer.alloc(0)), []);
  });
});
