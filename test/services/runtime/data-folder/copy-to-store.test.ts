/** A data folder copied onto another storage engine: rows, files and modes, and what is refused. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { copyToStore } from '../../../../services/runtime/data-folder/copy-to-store.ts';
import { openDataFolder } from '../../../../services/runtime/data-folder/data-folder.ts';
import { markName } from '../../../../services/runtime/data-folder/run-mark.ts';
import { openStoreAs, storeOf } from '../../../../services/runtime/store/open-store.ts';
import { storesOnDisk } from '../store/stores-on-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const clock = { nowMs: () => 1, sleepUntil: async () => {} };
const defaults = {
  ...({ crawl: 'c', partitions: 1, keyMode: 'host' } as const),
  ...{ pslHash: 'x', seenKeyVersion: 1, fingerprintVersion: 1 },
};
const other = storesOnDisk[0]!.name;
const rowsOf = (name: string) =>
  Array.from({ length: 40 }, (_, n) => ({ key: Buffer.from(`${name} ${n}`), value: Buffer.alloc(60_000, n) }));

async function crawl() {
  const root = temporaryFolder();
  const folder = await openDataFolder(join(root, 'from'), {}, { defaults, createdBy: '0', clock });
  for (const name of ['log', 'state']) {
    const store = await openStoreAs('classic-level', folder.part(name));
    await store.write(rowsOf(name), { sync: true });
    await store.close();
  }
  mkdirSync(folder.part('archive/deep'), { recursive: true });
  writeFileSync(folder.part('archive/deep/file'), 'bytes');
  writeFileSync(folder.part(markName), 'a process');
  return { folder, into: join(root, 'into') };
}

async function readRows(path: string) {
  const store = await openStoreAs(other, path);
  const rows = [];
  for await (const [key, value] of store.scan({ gte: Buffer.from([0]), lt: Buffer.from([255]) }))
    rows.push([`${key}`, value]);
  await store.close();
  return rows;
}

test('a copy has all rows on the other engine, all files, and the manifest with its mode', async () => {
  const { folder, into } = await crawl();
  chmodSync(folder.part('manifest.json'), 0o640);
  assert.deepEqual(await copyToStore(folder, into, other), { stores: 2, rows: 80 });
  for (const name of ['log', 'state']) {
    assert.equal(await storeOf(join(into, name)), other);
    const rows = rowsOf(name).map(({ key, value }) => [`${key}`, value] as const);
    assert.deepEqual(
      await readRows(join(into, name)),
      rows.sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  }
  assert.equal(readFileSync(join(into, 'archive/deep/file'), 'utf8'), 'bytes');
  const manifest = (at: string) => [
    readFileSync(join(at, 'manifest.json'), 'utf8'),
    statSync(join(at, 'manifest.json')).mode,
  ];
  assert.deepEqual(manifest(into), manifest(folder.path));
  assert.equal(existsSync(join(into, markName)), false, 'no process runs there');
  assert.deepEqual(readdirSync(into).sort(), ['archive', 'log', 'manifest.json', 'state']);
});

test('a copy into the folder, into one that is not empty, or of a fleet’s crawl is refused, and writes nothing', async () => {
  const { folder, into } = await crawl();
  const refused = (to: string, message: RegExp) =>
    assert.rejects(copyToStore(folder, to, other), { code: 'INVALID_ARGUMENT', message });
  await refused(folder.part('copy'), /is in the copied folder: choose another one/);
  mkdirSync(into);
  writeFileSync(join(into, 'x'), '');
  await refused(into, /is not empty: choose a new folder/);
  writeFileSync(folder.part('fleet.json'), '{}');
  await refused(`${into}2`, /is a crawl of a fleet/);
  assert.deepEqual([existsSync(folder.part('copy')), readdirSync(into), existsSync(`${into}2`)], [false, ['x'], false]);
});

test('a copy that fails leaves no manifest, and releases the folder', async () => {
  const { folder, into } = await crawl();
  symlinkSync('/nowhere', folder.part('zz'));
  await assert.rejects(copyToStore(folder, into, other), {
    code: 'UNSUPPORTED',
    message: /zz is neither a file nor a folder: move it elsewhere$/,
  });
  assert.equal(existsSync(join(into, 'manifest.json')), false);
  const log = await openStoreAs('classic-level', folder.part('log'));
  await assert.rejects(copyToStore(folder, `${into}2`, other), { code: 'DATA_FOLDER_LOCKED' });
  await log.close();
});
