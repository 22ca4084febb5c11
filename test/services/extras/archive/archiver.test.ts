import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { numbers } from '../../../../lab/web/random.ts';
import { cdxjLine } from '../../../../services/extras/archive/cdxj.ts';
import { httpMessageOf } from '../../../../services/extras/archive/http-message.ts';
import { surtOf } from '../../../../services/extras/archive/surt.ts';
import { readWarc } from '../../../../services/extras/archive/warc-reader.ts';
import { digestOf } from '../../../../services/extras/archive/warc-record.ts';
import type { Received } from '../../../../services/runtime/consumer/received.ts';
import { createFaultStore } from '../../../../services/runtime/store/fault-store.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { all, archive, archiverOn, response } from './responses.ts';

/** The records of an archive of these alone. */
async function recordsOf(responses: readonly Received<'responses'>[]) {
  const folder = temporaryFolder();
  const archiver = await archiverOn(folder, createMemoryStore());
  await archiver.handle(responses, { positions: [], signal: new AbortController().signal });
  await archiver.finish();
  const records = [];
  for (const name of await archiver.files())
    for await (const record of readWarc(join(folder, `${name}.warc.gz`))) records.push(record);
  assert.ok(records.length > 3);
  return records;
}

async function contents(folder: string): Promise<Map<string, string>> {
  const names = (await readdir(folder)).sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, (await readFile(join(folder, name))).toString('latin1')] as const),
    ),
  );
}

describe('the archive', () => {
  it('the archive has the same files, to the byte, however often it is killed', async () => {
    const whole = temporaryFolder();
    const store = createMemoryStore();
    await archive(whole, store, 0, all.length);
    await (await archiverOn(whole, store)).finish();
    const next = numbers(11);
    for (let round = 0; round < 5; round++) {
      const folder = temporaryFolder();
      const own = createMemoryStore();
      for (let at = 0; at < all.length; ) {
        const to = Math.min(all.length, at + 1 + (next() % 20));
        await archive(folder, own, at, to, 1 + (next() % 9));
        // What a kill leaves of a batch that had no checkpoint yet: bytes at the end, a file just begun.
        for (const name of await readdir(folder))
          if (name.endsWith('.open')) await appendFile(join(folder, name), 'torn');
        await writeFile(join(folder, 'c-20260101000000-0-99.warc.gz.open'), 'begun');
        at = (await (await archiverOn(folder, own)).positions.load('c.responses', 0)) ?? 0;
        assert.equal(at, to);
      }
      await (await archiverOn(folder, own)).finish();
      assert.deepEqual(await contents(folder), await contents(whole));
    }
    const files = [...(await contents(whole)).keys()];
    assert.ok(
      files.length > 4 && files.every((name) => /^c-20231114221320-0-\d+\.(warc\.gz|cdxj)$/.test(name)),
      files.join(),
    );
  });

  it('the archive loses no response and duplicates none, whatever checkpoint write it dies at', async () => {
    const some = 30;
    const whole = temporaryFolder();
    const counting = createFaultStore(createMemoryStore());
    await archive(whole, counting, 0, some);
    await (await archiverOn(whole, counting)).finish();
    const writes = counting.writes();
    assert.ok(writes > 6, `${writes} writes`);
    const expected = await contents(whole);
    for (let crashAt = 1; crashAt <= writes; crashAt++) {
      for (const when of ['before', 'after'] as const) {
        const folder = temporaryFolder();
        const store = createMemoryStore();
        const dying = createFaultStore(store, { crashAt, when });
        await assert.rejects(async () => {
          await archive(folder, dying, 0, some);
          await (await archiverOn(folder, dying)).finish();
        }, /planned crash/);
        const from = (await (await archiverOn(folder, store)).positions.load('c.responses', 0)) ?? 0;
        await archive(folder, store, from, some);
        await (await archiverOn(folder, store)).finish();
        assert.deepEqual(await contents(folder), expected, `write ${crashAt}, ${when}`);
      }
    }
  });

  it('the archive omits the transfer coding of a decoded body, and records what it was', async () => {
    for (const { fields, block } of await recordsOf([response(1)])) {
      if (fields.get('warc-type') !== 'response') continue;
      const { headers } = httpMessageOf(block)!;
      const names = headers.filter((_, i) => i % 2 === 0);
      assert.ok(!names.includes('transfer-encoding'), names.join());
      assert.equal(headers[headers.indexOf('x-crawler-transfer-encoding') + 1], 'chunked');
      return;
    }
    assert.fail('no response was archived');
  });

  for (const [what, bytes, truncated, types] of [
    ['a payload', 257, false, ['response', 'revisit']],
    ['a payload that is no longer than a pointer to it', 256, false, ['response', 'response']],
    ['a payload that was cut: what is missing may differ', 300, true, ['response', 'response']],
  ] as const) {
    it(`the archive stores a repeated ${what} as ${types[1] === 'revisit' ? 'a pointer' : 'a whole response'}`, async () => {
      const twice = [1, 2].map((n) => {
        const one = response(n);
        return { ...one, value: { ...one.value, body: Buffer.alloc(bytes, 'x'), truncated } };
      });
      const kinds = (await recordsOf(twice)).map(({ type }) => type);
      assert.deepEqual(
        kinds.filter((type) => type === 'response' || type === 'revisit'),
        types,
      );
    });
  }

  it('the archive is read back, record by record, with every response at its place in the index', async () => {
    const folder = temporaryFolder();
    const store = createMemoryStore();
    await archive(folder, store, 0, all.length);
    const archiver = await archiverOn(folder, store);
    await archiver.finish();
    const seen: string[] = [];
    for (const name of await archiver.files()) {
      for await (const { type, fields, block } of readWarc(join(folder, `${name}.warc.gz`))) {
        if (type !== 'response' && type !== 'revisit') continue;
        const message = httpMessageOf(block)!;
        const { value } = all.find((one) => one.value.url === fields.get('warc-target-uri'))!;
        assert.equal(message.status, value.status);
        assert.ok(message.headers.includes('caf\u00e9'));
        if (type === 'response') assert.deepEqual(message.body, Buffer.from(value.body));
        seen.push(`${type} ${value.url}`);
      }
      const index = (await readFile(join(folder, `${name}.cdxj`), 'utf8')).trimEnd().split('\n');
      assert.deepEqual(index, index.toSorted());
    }
    assert.equal(seen.length, all.length);
    const expected = all.filter(({ value }, n) => n > 0 && n % 3 === 0 && value.body.length > 0);
    assert.equal(seen.filter((one) => one.startsWith('revisit')).length, expected.length);
  });

  it('the archive reports where an unfinished file ends, after its whole records', async () => {
    const folder = temporaryFolder();
    const store = createMemoryStore();
    await archive(folder, store, 0, 9);
    const archiver = await archiverOn(folder, store);
    await archiver.finish();
    const path = join(folder, `${(await archiver.files())[0]}.warc.gz`);
    const bytes = await readFile(path);
    await writeFile(path, bytes.subarray(0, bytes.length - 100));
    let read = 0;
    await assert.rejects(
      async () => {
        for await (const _ of readWarc(path)) read += 1;
      },
      { code: 'INVALID_RECORD' },
    );
    assert.ok(read > 3);
    await writeFile(path, gzipSync('something else\r\n\r\n'));
    await assert.rejects(readWarc(path).next(), /record 1: no WARC record begins there/);
    await assert.rejects(readWarc(join(folder, 'none')).next(), { code: 'INVALID_ARGUMENT' });
  });
});

it('an HTTP message is dechunked if it is chunked', () => {
  const message = (body: string) =>
    httpMessageOf(Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body}`))!.body.toString();
  assert.equal(message('5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n'), 'hello world');
  assert.equal(message('hello world'), 'hello world');
  assert.equal(httpMessageOf(Buffer.from('nothing of the kind')), null);
});

it('the archive’s search keys sort by domain, and its digests are SHA-1 in base32', () => {
  assert.equal(surtOf('http://www.Example.org:8080/A?b=C'), 'org,example:8080)/a?b=c');
  assert.equal(surtOf('https://127.0.0.1/'), '1,0,0,127)/');
  assert.equal(digestOf(Buffer.from('')), 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
  const line = cdxjLine(all[1]!.value, 'sha1:X', 'text/html', { file: 'f.warc.gz', offset: 7, length: 9 });
  assert.match(
    line,
    /^test,a1:8080\)\/page\/1\?q=1 20231114221320 \{"url":"http:\/\/www\.a1\.test:8080\/page\/1\?Q=1"/,
  );
});
