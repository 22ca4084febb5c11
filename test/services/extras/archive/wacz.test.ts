/** A WACZ file, read by the specifications of ZIP (PKWARE's APPNOTE), of WACZ 1.1.1 and of ZipNum. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gunzipSync, inflateRawSync } from 'node:zlib';
import { pageTitle } from '../../../../services/extras/archive/command/archived-page.ts';
import { writeWacz } from '../../../../services/extras/archive/wacz/write-wacz.ts';
import { indexedFiles } from '../../../../services/extras/archive/warc-files.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';
import { type Written, writeWarc } from './replay/warc-file.ts';

const nowMs = Date.UTC(2026, 1, 3, 4, 5, 6);
const time = '20260102030405';
const page = (path: string, body: string, more: Partial<Written> = {}): Written => ({
  ...{ url: `http://a.test/${path}`, time, body },
  ...more,
});

interface Entry {
  /** 0: stored, 8: deflated. */
  readonly method: number;
  readonly bytes: Buffer;
}

/** Entries by name, as the central directory has them. */
function entriesOf(zip: Buffer): Map<string, Entry> {
  const end = zip.lastIndexOf('PK\u0005\u0006');
  assert.ok(end >= 0, 'no end of a central directory');
  const entries = new Map<string, Entry>();
  let at = zip.readUInt32LE(end + 16);
  for (let n = zip.readUInt16LE(end + 10); n > 0; n--) {
    assert.equal(zip.toString('latin1', at, at + 4), 'PK\u0001\u0002');
    const [method, length, nameLength] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
    ];
    const name = zip.toString('utf8', at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const stored = zip.subarray(from, from + length);
    entries.set(name, { method, bytes: method === 0 ? stored : inflateRawSync(stored) });
    at += 46 + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

const sha256 = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const linesOf = ({ bytes }: Entry) => bytes.toString().trimEnd().split('\n');

async function packed(files: readonly string[], more: { readonly title?: string; readonly mainPage?: string } = {}) {
  const out = join(temporaryFolder(), 'a.wacz');
  const counts = await writeWacz({ files, out, titleOf: pageTitle, software: 'test/1', nowMs, ...more });
  const zip = readFileSync(out);
  const entries = entriesOf(zip);
  const get = (name: string) => entries.get(name) ?? assert.fail(`no ${name}`);
  return { counts, zip, entries, get };
}

test('a WACZ file has the WARC files as they are, and a description with the digests of its parts', async () => {
  const folder = temporaryFolder();
  const files = [writeWarc(folder, 'one', [page('b', 'b')]), writeWarc(folder, 'two', [page('a', 'a')])];
  const { counts, zip, entries, get } = await packed(files, { title: 'Ponds', mainPage: 'http://a.test/b' });
  assert.deepEqual(counts, { pages: 2, responses: 2, bytes: zip.length });
  assert.deepEqual(
    [...entries].map(([name, { method }]) => [name, method]),
    [
      ['archive/one.warc.gz', 0],
      ['archive/two.warc.gz', 0],
      ['indexes/index.cdx.gz', 0],
      ['indexes/index.idx', 0],
      ['pages/pages.jsonl', 8],
      ['datapackage.json', 0],
      ['datapackage-digest.json', 0],
    ],
  );
  for (const file of files) assert.deepEqual(get(`archive/${file.split('/').at(-1)}`).bytes, readFileSync(file));
  const { resources, ...description } = JSON.parse(`${get('datapackage.json').bytes}`);
  assert.deepEqual(description, {
    ...{ profile: 'data-package', wacz_version: '1.1.1', title: 'Ponds', software: 'test/1' },
    ...{ created: '2026-02-03T04:05:06.000Z', mainPageUrl: 'http://a.test/b' },
  });
  assert.deepEqual(
    resources,
    [...entries.keys()].slice(0, 5).map((path) => ({
      ...{ name: path.split('/').at(-1), path },
      ...{ hash: sha256(get(path).bytes), bytes: get(path).bytes.length },
    })),
  );
  assert.deepEqual(JSON.parse(`${get('datapackage-digest.json').bytes}`), {
    path: 'datapackage.json',
    hash: sha256(get('datapackage.json').bytes),
  });
  const bare = JSON.parse(`${(await packed(files)).get('datapackage.json').bytes}`);
  assert.ok(!('title' in bare) && !('mainPageUrl' in bare));
});

test('the index of a WACZ is sorted over all files, and its second index leads to each block of 3,000 lines', async () => {
  const folder = temporaryFolder();
  const names = Array.from({ length: 3_500 }, (_, n) => `${n}`.padStart(4, '0'));
  const records = (every: number) =>
    names.filter((_, n) => n % 2 === every).map((name) => page(name, '', { mime: 'image/png' }));
  const { counts, get } = await packed([writeWarc(folder, 'one', records(0)), writeWarc(folder, 'two', records(1))]);
  assert.deepEqual([counts.pages, counts.responses], [0, 3_500]);
  const index = get('indexes/index.cdx.gz').bytes;
  const [meta, ...places] = linesOf(get('indexes/index.idx'));
  assert.equal(meta, '!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}');
  const lines = places.flatMap((place) => {
    const [key, at] = place.split(' ', 2);
    const { offset, length, digest, filename } = JSON.parse(place.slice(place.indexOf('{')));
    assert.equal(filename, 'index.cdx.gz');
    const block = index.subarray(offset, offset + length);
    assert.equal(digest, sha256(block));
    const within = gunzipSync(block).toString().trimEnd().split('\n');
    assert.deepEqual(within[0]!.split(' ', 2), [key, at]);
    return [within];
  });
  assert.deepEqual(
    lines.map(({ length }) => length),
    [3_000, 500],
  );
  assert.deepEqual(
    lines.flat().map((line) => line.split(' ', 1)[0]),
    names.map((name) => `test,a)/${name}`),
  );
});

test('the pages of a WACZ are the HTML with status 200, each with its title if it has one', async () => {
  const html = 'HTTP/1.1 200 OK\r\nContent-Type: text/html';
  const file = writeWarc(temporaryFolder(), 'one', [
    page('br', brotliCompressSync('<title>Packed</title>') as never, { head: `${html}\r\nContent-Encoding: br` }),
    page('broken', 'no brotli', { head: `${html}\r\nContent-Encoding: br` }),
    page('css', 'p{}', { head: 'HTTP/1.1 200 OK\r\nContent-Type: text/css', mime: 'text/css' }),
    page('gone', '<title>No</title>', { head: 'HTTP/1.1 404 Not Found\r\nContent-Type: text/html' }),
    page('html', '<title>Größe &amp; Maß</title>', { head: `${html}; charset=utf-8` }),
    page('latin', Buffer.from('<title>Gr\xf6\xdfe</title>', 'latin1') as never, { head: `${html}; charset=latin1` }),
    page('unknown', 'png', { head: 'HTTP/1.1 200 OK\r\nContent-Type: image/png', mime: 'unk' }),
    page('void', ''),
    page('xhtml', '<title>X</title>', { head: 'HTTP/1.1 200 OK\r\nContent-Type: application/xhtml+xml' }),
  ]);
  const { counts, get } = await packed([file]);
  const [head, ...pages] = linesOf(get('pages/pages.jsonl')).map((line) => JSON.parse(line));
  assert.deepEqual(head, { format: 'json-pages-1.0', id: 'pages', title: 'All Pages' });
  assert.equal(counts.pages, pages.length);
  assert.deepEqual(
    pages.map(({ id: _, ...rest }) => rest),
    [['br', 'Packed'], ['broken'], ['html', 'Größe & Maß'], ['latin', 'Größe'], ['void'], ['xhtml', 'X']].map(
      ([path, title]) => ({
        ...{ url: `http://a.test/${path}`, ts: '2026-01-02T03:04:05Z' },
        ...(title !== undefined && { title }),
      }),
    ),
  );
  assert.equal(new Set(pages.map(({ id }) => id)).size, pages.length);
});

test('a WACZ file that cannot be completed leaves the file before it, and nothing else', async () => {
  const folder = temporaryFolder();
  const out = join(folder, 'a.wacz');
  writeFileSync(out, 'the one before');
  const file = writeWarc(temporaryFolder(), 'one', [page('b', 'b'), page('c', 'c')]);
  const index = file.replace('.warc.gz', '.cdxj');
  const broken = async (message: RegExp) => {
    await assert.rejects(writeWacz({ files: [file], out, titleOf: pageTitle, software: 'test/1', nowMs }), {
      code: 'INVALID_RECORD',
      message,
    });
    assert.deepEqual(readdirSync(folder), ['a.wacz']);
    assert.equal(readFileSync(out, 'utf8'), 'the one before');
  };
  const line = readFileSync(index, 'utf8');
  writeFileSync(index, line.replace('"offset":"0"', '"offset":"7"'));
  await broken(/the index has http:\/\/a\.test\/b at 7, but no record is there; rebuild the index$/);
  writeFileSync(index, line.replace('"offset":"0"', '"offset":"9999"'));
  await broken(/but the file ends before; rebuild/);
  writeFileSync(index, `${line}no line\n`);
  await broken(/one\.cdxj, line 3: not a CDXJ line of one\.warc\.gz; recreate the index/);
});

test('WARC files are taken with their indexes, of files and folders, in the order of their names', async () => {
  const folder = temporaryFolder();
  const files = ['b', 'a'].map((name) => writeWarc(folder, name, [page('b', 'b')]));
  writeFileSync(join(folder, 'notes.txt'), '');
  writeFileSync(join(folder, 'c.warc.gz.open'), '');
  assert.deepEqual(await indexedFiles([folder]), [...files].reverse());
  assert.deepEqual(await indexedFiles(files), files);
  const refused = (path: string, message: RegExp) =>
    assert.rejects(indexedFiles([path]), { code: 'INVALID_ARGUMENT', message });
  await refused(join(folder, 'none.warc.gz'), /none\.warc\.gz cannot be read: /);
  await refused(join(folder, 'notes.txt'), /complete WARC files are named \.warc or \.warc\.gz/);
  await refused(
    writeWarc(folder, 'd', [], false),
    /d\.warc\.gz has no index .*d\.cdxj beside it: create it, as in: cdx/,
  );
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  await refused(empty, /empty has no complete WARC file: crawl with --with archive/);
});
