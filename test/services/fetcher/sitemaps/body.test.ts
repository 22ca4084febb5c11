/** A sitemap's body as it comes: whole or cut, plain or in gzip, in pieces of any size. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { openSitemapBody } from '../../../../services/fetcher/sitemaps/body.ts';
import type { SitemapEntry } from '../../../../topology/parse/sitemap.ts';

const url = 'http://a.test/map.xml';
const urlset = (...paths: string[]) =>
  `<urlset>${paths.map((path) => `<url><loc>http://a.test/${path}</loc></url>`).join('')}</urlset>`;
const text = urlset('1', '2', '3');

interface Way {
  readonly whole?: boolean;
  /** Bytes of a piece. */
  readonly piece?: number;
  readonly contentType?: string;
  readonly coding?: string;
  readonly onEntries?: (entries: readonly SitemapEntry[], index: boolean) => Promise<void> | undefined;
}

async function read(body: Buffer, { whole = true, piece = 1e9, contentType, coding = '', onEntries }: Way = {}) {
  const found: string[] = [];
  const opened = openSitemapBody({
    url,
    contentType: () => contentType ?? null,
    contentEncoding: () => coding,
    onEntries: (entries, index) => {
      found.push(...entries.map((entry) => `${index ? 'index ' : ''}${entry.url.slice('http://a.test/'.length)}`));
      return onEntries?.(entries, index);
    },
  });
  for (let at = 0; at < body.length && !opened.sink.destroyed; at += piece) {
    if (!opened.sink.write(body.subarray(at, at + piece)))
      await Promise.race([once(opened.sink, 'drain'), once(opened.sink, 'close')]);
    // Pieces that wait together are read as one.
    else if (onEntries !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
  return { found, ...(await opened.finish(whole)), sink: opened.sink };
}

test('a sitemap is read plain or in one or two layers of gzip, however it is split', async () => {
  const plain = Buffer.from(text);
  const bodies = [plain, gzipSync(plain), gzipSync(gzipSync(plain))];
  for (const [layers, body] of bodies.entries()) {
    for (const piece of [1, 2, 3, 7, 1e9]) {
      const { found, bytes } = await read(body, { piece });
      assert.deepEqual([found, bytes], [['1', '2', '3'], plain.length], `${layers} layers, ${piece} bytes at once`);
    }
  }
  // No third layer is taken off.
  assert.deepEqual((await read(gzipSync(gzipSync(gzipSync(plain))))).found, []);
});

test('a body that only begins like gzip is no sitemap', async () => {
  for (const body of [Buffer.alloc(0), Buffer.from([0x1f]), Buffer.from([0x1f, 0x8b]), Buffer.from([0x1f, 0x8b, 1, 2])])
    assert.deepEqual((await read(body)).found, [], body.toString('hex'));
  assert.deepEqual((await read(Buffer.from('http://a.test/1\n'), { contentType: 'text/plain', piece: 1 })).found, [
    '1',
  ]);
});

test('the last line counts only if the body is whole, since a cut one may end inside a URL', async () => {
  const lines = Buffer.from('http://a.test/1\nhttp://a.test/23');
  const way = { contentType: 'text/plain' };
  assert.deepEqual((await read(lines, way)).found, ['1', '23']);
  assert.deepEqual((await read(lines, { ...way, whole: false })).found, ['1']);
  const packed = gzipSync(lines);
  assert.deepEqual((await read(packed, way)).found, ['1', '23']);
  assert.deepEqual((await read(packed, { ...way, whole: false })).found, ['1']);
  // Its length at the end may come in pieces, too.
  for (const piece of [1, 2, 3, 5])
    assert.deepEqual((await read(packed, { ...way, piece, onEntries: () => undefined })).found, ['1', '23']);
});

test('a gzip sitemap that ends early is cut, even if the connection ended well', async () => {
  const lines = Buffer.from(Array.from({ length: 5_000 }, (_, n) => `http://a.test/${n * 7919}`).join('\n'));
  const packed = gzipSync(lines);
  const way = { contentType: 'text/plain' };
  assert.equal((await read(packed, way)).found.length, 5_000);
  for (const missing of [1, 4, 8, 9, 100, packed.length >> 1]) {
    const { found } = await read(packed.subarray(0, packed.length - missing), way);
    assert.ok(found.length < 5_000, `${missing} bytes less: ${found.length}`);
    // No URL is one that the list does not have.
    for (const [n, one] of found.entries()) assert.equal(one, `${n * 7919}`, `${missing} bytes less`);
  }
  const lying = Buffer.concat([
    packed.subarray(0, 10),
    deflateRawSync(lines),
    Buffer.alloc(4),
    Buffer.from([1, 0, 0, 0]),
  ]);
  assert.ok((await read(lying, way)).found.length < 5_000, 'its check sum and length are wrong');
});

test('zeros after gzip are padding, whatever its length field ends in, and the last line counts', async () => {
  const way = { contentType: 'text/plain' };
  for (const count of [1, 2, 4, 256, 257]) {
    // 256 bytes a line, so that the length of all ends in zeros.
    const lines =
      'http://a.test/'
        .padEnd(255, 'x')
        .concat('\n')
        .repeat(count - 1) + 'http://a.test/y'.padEnd(256, 'y');
    for (const zeros of [0, 1, 3, 4, 5, 512])
      for (const piece of [1, 7, 1e9]) {
        const padded = Buffer.concat([gzipSync(lines), Buffer.alloc(zeros)]);
        assert.match(
          (await read(padded, { ...way, piece })).found.at(-1) ?? '',
          /^yy/,
          `${count} lines, ${zeros} zeros, ${piece}`,
        );
      }
  }
});

test('a damaged sitemap yields its entries before the damage and throws nothing', async () => {
  const packed = gzipSync(Buffer.from(text.repeat(50)));
  for (let at = 10; at < packed.length; at += 3) {
    const damaged = Buffer.from(packed);
    damaged[at]! ^= 0xff;
    const { bytes } = await read(damaged);
    assert.ok(bytes >= 0);
  }
});

test('a sitemap index is recognised, and a slow reader of entries is waited for', async () => {
  const index = Buffer.from('<sitemapindex><sitemap><loc>http://a.test/1</loc></sitemap></sitemapindex>');
  assert.deepEqual((await read(index)).found, ['index 1']);
  let [under, most, batches] = [0, 0, 0];
  const onEntries = async () => {
    under += 1;
    batches += 1;
    most = Math.max(most, under);
    await new Promise((resolve) => setImmediate(resolve));
    under -= 1;
  };
  const { readMs } = await read(Buffer.from(urlset(...Array.from({ length: 200 }, (_, n) => `${n}`))), {
    piece: 999,
    onEntries,
  });
  assert.ok(batches > 1);
  assert.equal(most, 1);
  assert.ok(readMs > 0);
});

test('an error of the reader of entries is reported', async () => {
  const onEntries = () => Promise.reject(new Error('no log'));
  await assert.rejects(read(Buffer.from(text), { onEntries }), /no log/);
});

test('the last line counts in a gzip file of several members, with an empty member or padding', async () => {
  const lines = Buffer.from('http://a.test/1\nhttp://a.test/2');
  const [first, second] = [lines.subarray(0, 9), lines.subarray(9)];
  for (const [name, body] of Object.entries({
    members: Buffer.concat([gzipSync(first), gzipSync(second)]),
    'an empty one in between': Buffer.concat([gzipSync(first), gzipSync(''), gzipSync(second)]),
    'an empty one at the end': Buffer.concat([gzipSync(lines), gzipSync('')]),
    padded: Buffer.concat([gzipSync(first), gzipSync(second), Buffer.alloc(512)]),
  }))
    for (const piece of [1, 1e9])
      assert.deepEqual((await read(body, { contentType: 'text/plain', piece })).found, ['1', '2'], `${name}, ${piece}`);
  const cut = Buffer.concat([gzipSync(first), gzipSync(second)]).subarray(0, -9);
  assert.deepEqual((await read(cut, { contentType: 'text/plain' })).found, ['1']);
});

test('other content codings are decoded, alone or listed, and a damaged one yields its beginning', async () => {
  const plain = Buffer.from(text);
  for (const [coding, body] of [
    ['deflate', deflateSync(plain)],
    ['deflate', deflateRawSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['gzip, br', brotliCompressSync(gzipSync(plain))],
    ['br', brotliCompressSync(gzipSync(plain))],
  ] as const)
    for (const piece of [7, 1e9])
      assert.deepEqual((await read(body, { coding, piece })).found, ['1', '2', '3'], coding);
  const long = Buffer.from(urlset(...Array.from({ length: 5_000 }, (_, n) => `${n}-${n * 7919}`)));
  const { found } = await read(deflateSync(long).subarray(0, 9_000), { coding: 'deflate' });
  assert.ok(found.length > 100 && found.length < 5_000, `${found.length}`);
});
