import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, it } from 'node:test';
import { onStoreFallback, openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { rocksdbLoads } from '../../../../services/runtime/store/rocksdb-binding.ts';
import { CrawlstreamError, type ErrorCode } from '../../../../topology/errors.ts';
import { temporaryFolder } from './temporary-folder.ts';

const root = temporaryFolder();
const row = [{ key: Buffer.from('k'), value: Buffer.from('v') }];
let count = 0;
const newFolder = () => join(root, String(count++));

function refused(code: ErrorCode, ...says: readonly RegExp[]) {
  return (error: unknown) => {
    assert.ok(error instanceof CrawlstreamError, String(error));
    assert.equal(error.code, code);
    for (const text of says) assert.match(error.message, text);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };
}

async function open(folder: string, wanted: string | undefined, options = {}) {
  if (wanted === undefined) delete process.env['CRAWLSTREAM_STORE'];
  else process.env['CRAWLSTREAM_STORE'] = wanted;
  return openStateStore(folder, options);
}

/** A folder with one row. */
async function written(wanted: string | undefined): Promise<string> {
  const folder = newFolder();
  const store = await open(folder, wanted);
  await store.write(row);
  await store.close();
  return folder;
}

const nameOf = (folder: string) => readFileSync(join(folder, 'STORE'), 'utf8').trim();

describe('the store of a folder', () => {
  const before = process.env['CRAWLSTREAM_STORE'];
  afterEach(() => {
    if (before === undefined) delete process.env['CRAWLSTREAM_STORE'];
    else process.env['CRAWLSTREAM_STORE'] = before;
  });

  it('the store of a folder is the requested one, and the folder names it', async () => {
    assert.equal(nameOf(await written('classic-level')), 'classic-level');
    await assert.rejects(open(newFolder(), 'sqlite'), refused('INVALID_ARGUMENT', /CRAWLSTREAM_STORE is sqlite/));
  });

  it('the store of a folder is the one named there if none is requested', async () => {
    const folder = await written('classic-level');
    const store = await open(folder, undefined);
    assert.equal(String(await store.get(row[0]!.key)), 'v');
    await store.close();
    assert.ok(existsSync(join(folder, 'CURRENT')));
  });

  it('the store of a folder is named again after a kill between the name and the first row', async () => {
    const folder = newFolder();
    mkdirSync(folder);
    writeFileSync(join(folder, 'STORE'), 'rocksdb\n');
    await (await open(folder, 'classic-level')).close();
    assert.equal(nameOf(folder), 'classic-level');
  });

  it('the store of a folder from a later version is refused by name', async () => {
    const folder = await written('classic-level');
    writeFileSync(join(folder, 'STORE'), 'future\n');
    await assert.rejects(open(folder, undefined), refused('DATA_FOLDER_NEWER', /future/, new RegExp(folder)));
  });

  it('the store of a folder drops the copies of killed readers, but not those of running ones', async () => {
    const folder = await written('classic-level');
    const killed = join(folder, 'reader-killed');
    mkdirSync(killed);
    writeFileSync(join(killed, '000001.ldb'), 'x');
    utimesSync(killed, 0, 0);
    const reader = await open(folder, undefined, { readOnly: true });
    const copies = () => readdirSync(folder).filter((name) => name.startsWith('reader-'));
    const [own] = copies();
    assert.equal(copies().length, 1, 'the copy of the killed one is gone');
    utimesSync(join(folder, own!), 0, 0);
    const writer = await open(folder, undefined);
    assert.deepEqual(copies(), [own]);
    assert.equal(String(await reader.get(row[0]!.key)), 'v');
    await reader.close();
    assert.deepEqual(copies(), []);
    await writer.close();
  });

  const skip = rocksdbLoads() ? false : 'rocksdb has no binary for this machine';

  it('the store of a folder is RocksDB by default and in a folder without a name', { skip }, async () => {
    const folder = await written(undefined);
    assert.equal(nameOf(folder), 'rocksdb');
    rmSync(join(folder, 'STORE'));
    const store = await open(folder, undefined);
    assert.equal(String(await store.get(row[0]!.key)), 'v');
    await store.close();
    await assert.rejects(open(folder, 'classic-level'), refused('STORE_MISMATCH', /by rocksdb/));
  });

  it('the store of a folder is not written by the other engine, which says what to do, and read by its own', {
    skip,
  }, async () => {
    for (const [name, other] of [
      ['rocksdb', 'classic-level'],
      ['classic-level', 'rocksdb'],
    ] as const) {
      const folder = await written(name);
      const says = [
        new RegExp(folder),
        new RegExp(`by ${name}`),
        /CRAWLSTREAM_STORE.*unset it/,
        /crawlstream state move --data DIR --into NEW/,
      ];
      await assert.rejects(open(folder, other), refused('STORE_MISMATCH', ...says));
      const reader = await open(folder, other, { readOnly: true });
      assert.equal(String(await reader.get(row[0]!.key)), 'v');
      await reader.close();
    }
  });

  it('the store of a folder is not mentioned if the user chose it', async () => {
    const lines: string[] = [];
    onStoreFallback((line) => lines.push(line));
    await written('classic-level');
    assert.deepEqual(lines, []);
  });
});
