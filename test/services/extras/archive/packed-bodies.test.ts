import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Response } from '../../../../schemas/types.ts';
import { partlyStored } from '../../../../services/extras/archive/gzip-member.ts';
import { httpMessageOf } from '../../../../services/extras/archive/http-message.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { archiverOn, response } from './responses.ts';

const text = 'words that are compressed well '.repeat(3_000);
const name = '00000000-0000-4000-8000-000000000000';

/** The WARC file of one response, and the body as it is read back. */
async function archived(given: Partial<Response>, file?: Buffer) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'bodies'));
  if (file !== undefined) writeFileSync(join(folder, 'bodies', name), file);
  const archiver = await archiverOn(folder, createMemoryStore());
  const one = response(1);
  const value = { ...one.value, headers: ['content-type', 'text/html'], ...given };
  await archiver.handle([{ ...one, value }], { positions: [], signal: new AbortController().signal });
  await archiver.finish();
  const path = join(folder, `${(await archiver.files())[0]}.warc.gz`);
  let body: Buffer | undefined;
  for await (const { type, block } of readWarc(path)) if (type === 'response') body = httpMessageOf(block)!.body;
  return { bytes: readFileSync(path), body: body! };
}

describe('a body that is compressed already', () => {
  for (const [what, body, headers] of [
    ['gzip', gzipSync(text), ['content-encoding', 'gzip']],
    ['Brotli', brotliCompressSync(text), ['content-encoding', 'br']],
    ['a PNG', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(5_000, 'pixels')]), []],
    ['a ZIP', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(5_000, 'files')]), []],
  ] as const) {
    it(`a body that is compressed already is stored as it came: ${what}`, async () => {
      const one = await archived({ body, headers: ['content-type', 'text/html', ...headers] });
      assert.ok(one.bytes.includes(body));
      assert.deepEqual(one.body, body);
    });
  }

  it('a body that is compressed already is stored as it came, if it is a file', async () => {
    const body = Buffer.concat([gzipSync(''), randomBytes(100), Buffer.alloc(200_000, 'more')]);
    const bodyDigest = createHash('sha1').update(body).digest('hex');
    const one = await archived(
      { body: Buffer.alloc(0), bodyFile: name, bodyBytes: body.length, bodyDigest, truncated: false },
      body,
    );
    assert.ok(one.bytes.length > body.length);
    assert.deepEqual(one.body, body);
  });

  it('another body is compressed', async () => {
    const one = await archived({ body: Buffer.from(text) });
    assert.ok(one.bytes.length < text.length / 20, `${one.bytes.length}`);
    assert.equal(one.body.toString(), text);
  });

  for (const length of [0, 1, 65_535, 65_536, 131_070, 300_001]) {
    it(`${length} stored bytes and what comes before them are one member`, () => {
      const bytes = Buffer.concat([Buffer.from(text), randomBytes(length)]);
      assert.ok(gunzipSync(partlyStored(bytes, text.length)).equals(bytes));
    });
  }
});
