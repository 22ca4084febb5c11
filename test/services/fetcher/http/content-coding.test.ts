import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { decodeBody } from '../../../../services/fetcher/http/content-coding.ts';

const most = 1 << 20;

describe('a body that is called gzip and is not', () => {
  it('is taken as it is where it is text, in UTF-16 of either order too', async () => {
    for (const body of [
      Buffer.from('<html>plain</html>\t\r\n'),
      Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from('<html>', 'utf16le')]),
      Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from('<html>', 'utf16le').swap16()]),
    ]) {
      assert.deepEqual(await decodeBody(body, 'gzip', most), { body, truncated: false });
    }
  });

  it('is damaged where it holds a byte that no text has, wherever that stands in the first 512', async () => {
    const text = Buffer.alloc(600, 'a');
    for (const byte of [0, 8, 0x0b, 0x0e, 0x1a, 0x1c, 0x1f]) {
      for (const at of [0, 511]) {
        const body = Buffer.from(text);
        body[at] = byte;
        const done = await decodeBody(body, 'gzip', most);
        assert.ok('error' in done && /damaged/.test(done.error), `${byte} at ${at}`);
      }
    }
    for (const byte of [9, 0x0a, 0x0c, 0x0d, 0x1b, 0x20]) {
      const body = Buffer.from(text);
      body[1] = byte;
      assert.ok(!('error' in (await decodeBody(body, 'x-gzip', most))), `${byte}`);
    }
    text[512] = 0;
    assert.ok(!('error' in (await decodeBody(text, 'gzip', most))));
    // One byte alone is no byte order mark.
    for (const two of [Buffer.of(0xff, 0), Buffer.of(0xfe, 0), Buffer.of(0, 0xff), Buffer.of(0, 0xfe)])
      assert.ok('error' in (await decodeBody(two, 'gzip', most)), two.toString('hex'));
  });
});

describe('a body that is called deflate', () => {
  const text = Buffer.from('<html>'.repeat(50));

  it('has a header of zlib, or has none, which servers send, too', async () => {
    for (const level of [0, 1, 6, 9])
      for (const body of [deflateSync(text, { level }), deflateRawSync(text, { level })])
        assert.deepEqual(await decodeBody(body, 'deflate', most), { body: text, truncated: false }, `level ${level}`);
  });
});

it('brotli is read, and a coding that nobody knows is an error', async () => {
  const text = Buffer.from('<html>'.repeat(50));
  assert.deepEqual(await decodeBody(brotliCompressSync(text), 'br', most), { body: text, truncated: false });
  assert.ok('error' in (await decodeBody(text, 'snappy', most)));
});

describe('a body beyond what is taken', () => {
  it('is whole at the limit and cut one byte beyond, coded and plain', async () => {
    const bytes = Buffer.alloc(1_000, 'b');
    for (const [coding, body] of [
      ['', bytes],
      ['identity', bytes],
      ['gzip', gzipSync(bytes)],
      ['gzip, gzip', gzipSync(gzipSync(bytes))],
    ] as const) {
      for (const [limit, length, truncated] of [
        [999, 999, true],
        [1_000, 1_000, false],
        [1_001, 1_000, false],
      ] as const) {
        const done = await decodeBody(body, coding, limit);
        assert.ok(!('error' in done), coding);
        assert.deepEqual([done.body.length, done.truncated], [length, truncated], `${coding || 'plain'} ${limit}`);
      }
    }
  });
});
