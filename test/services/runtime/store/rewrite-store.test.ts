import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStateStore } from '../../../../services/runtime/store/open-store.ts';
import { rewriteStore } from '../../../../services/runtime/store/rewrite-store.ts';
import type { StateStore, StoreOptions } from '../../../../services/runtime/store/store.ts';
import { storesOnDisk } from './stores-on-disk.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Random: a compressed block holds it as it is. */
const mark = (name: string) => Buffer.from(`${name}${randomBytes(40).toString('base64')}`);
const row = (n: number) => Buffer.from(`row ${String(n).padStart(6, '0')}`);

async function filesWith(folder: string, marks: readonly Buffer[]): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(join(entry.parentPath, entry.name));
    for (const one of marks) if (bytes.includes(one)) found.push(`${entry.name}: ${one.toString('utf8', 0, 12)}`);
  }
  return found;
}

type Case = (store: StateStore, key: Buffer, value: Buffer) => Promise<void>;

async function fill(store: StateStore, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 20) {
    const ops = Array.from({ length: Math.min(20, to - n) }, (_, i) => ({ key: row(n + i), value: randomBytes(300) }));
    await store.write(ops);
  }
}

const cases: Readonly<Record<string, Case>> = {
  'in memory with the row': async (store, key, value) => {
    await fill(store, 0, 10);
    await store.write([{ key, value }]);
    await store.write([{ key, value: null }], { sync: true });
  },
  'after many rows, when tables are full of them': async (store, key, value) => {
    await fill(store, 0, 1_000);
    await store.write([{ key, value }]);
    await fill(store, 1_000, 2_000);
    await store.write([{ key, value: null }]);
    await fill(store, 2_000, 2_010);
  },
  'while a scan still sees it': async (store, key, value) => {
    await fill(store, 0, 500);
    await store.write([{ key, value }]);
    const scan = store.scan({ gte: row(0), lt: row(999_999) })[Symbol.asyncIterator]();
    await scan.next();
    await store.write([{ key, value: null }]);
    await fill(store, 500, 2_000);
    await scan.return?.(undefined);
  },
  'by another value in its place': async (store, key, value) => {
    await fill(store, 0, 500);
    await store.write([{ key, value }]);
    await store.write([{ key, value: Buffer.from('bare') }]);
    await fill(store, 500, 1_000);
    await store.write([{ key, value: null }]);
  },
  'as the last row of a store': async (store, key, value) => {
    await store.write([{ key, value }], { sync: true });
    await store.write([{ key, value: null }], { sync: true });
  },
};

const settings: readonly StoreOptions[] = [
  // Many tables, in several levels.
  { writeBufferBytes: 20_000 },
  // All is in memory until the store closes.
  { compression: false },
];

for (const { name } of storesOnDisk) {
  for (const [how, act] of Object.entries(cases)) {
    test(`${name}: a row that was deleted ${how} is in no file of a rewritten store`, async () => {
      for (const options of settings) {
        const folder = temporaryFolder();
        process.env['CRAWLSTREAM_STORE'] = name;
        // As deep in the order as rows of logs are, and before and behind all others.
        const keys = [mark('row 000250 '), mark('a'), mark('zz')];
        const values = keys.map(() => mark('value'));
        const store = await openStateStore(folder, options);
        for (const [i, key] of keys.entries()) await act(store, key, values[i]!);
        const before: string[] = [];
        const all = { gte: Buffer.alloc(0), lt: Buffer.alloc(40, 0xff) };
        for await (const [key, value] of store.scan(all)) before.push(`${key}=${value.toString('base64')}`);
        await store.close();
        await rewriteStore(folder);
        assert.deepEqual(await filesWith(folder, [...keys, ...values]), [], JSON.stringify(options));
        const after: string[] = [];
        const again = await openStateStore(folder, options);
        for await (const [key, value] of again.scan(all)) after.push(`${key}=${value.toString('base64')}`);
        await again.close();
        assert.deepEqual(after, before);
      }
    });
  }

  test(`${name}: rows at both ends of the key range stay unchanged`, async () => {
    const folder = temporaryFolder();
    process.env['CRAWLSTREAM_STORE'] = name;
    const store = await openStateStore(folder);
    const rows = [Buffer.from([0]), Buffer.alloc(31, 0xff)].map((key) => ({ key, value: Buffer.from('kept') }));
    await store.write(rows, { sync: true });
    await store.close();
    await rewriteStore(folder);
    const again = await openStateStore(folder);
    assert.deepEqual(await again.getMany(rows.map(({ key }) => key)), [Buffer.from('kept'), Buffer.from('kept')]);
    await again.close();
  });
}
