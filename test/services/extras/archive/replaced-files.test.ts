/** Files that are replaced together, and what the next start makes of a replacement that was interrupted. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { finishReplacing, replaceFiles } from '../../../../services/extras/archive/replaced-files.ts';
import { nodeDisk } from '../../../../services/runtime/disk/disk.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const names = ['a.cdxj', 'a.warc.gz'];
const [kept, gone] = [Buffer.from('kept'), Buffer.from([0, 255])];
const rows = [
  { key: kept, value: Buffer.from('new') },
  { key: gone, value: null },
];

/** Two files with their rewritten forms beside them, and the rows of both. */
async function rewritten() {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  await store.write([
    { key: kept, value: Buffer.from('old') },
    { key: gone, value: Buffer.from('old') },
  ]);
  for (const name of names) {
    writeFileSync(join(folder, name), 'old');
    writeFileSync(join(folder, `${name}.forget`), 'new');
  }
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  const read = async () => ({
    files: Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])),
    rows: [`${await store.get(kept)}`, `${await store.get(gone)}`],
  });
  return { folder, store, read };
}

const replaced = { files: { 'a.cdxj': 'new', 'a.warc.gz': 'new', 'notes.txt': 'mine' }, rows: ['new', 'undefined'] };
const unchanged = { files: { 'a.cdxj': 'old', 'a.warc.gz': 'old', 'notes.txt': 'mine' }, rows: ['old', 'old'] };

test('rewritten files take the places of the old ones, and rows are set and removed', async () => {
  const { folder, store, read } = await rewritten();
  await replaceFiles(folder, store, names, rows);
  assert.deepEqual(await read(), replaced);
});

test('a replacement that never began leaves the old files, and no rewritten ones', async () => {
  const { folder, store, read } = await rewritten();
  writeFileSync(join(folder, 'forget.json.new'), '{"files":');
  await finishReplacing(folder, store);
  assert.deepEqual(await read(), unchanged);
});

test('a replacement that was interrupted after it counted is completed, wherever that was', async () => {
  for (const killedAt of [2, 3, 4]) {
    const { folder, store, read } = await rewritten();
    let calls = 0;
    const dying =
      <A extends unknown[]>(act: (...given: A) => Promise<void>) =>
      async (...given: A) => {
        calls += 1;
        if (calls >= killedAt) throw new Error('killed');
        await act(...given);
      };
    const disk = { ...nodeDisk, rename: dying(nodeDisk.rename), rm: dying(nodeDisk.rm) };
    await assert.rejects(replaceFiles(folder, store, names, rows, disk), /killed/);
    await finishReplacing(folder, store);
    assert.deepEqual(await read(), replaced, `${killedAt}`);
    await store.write([{ key: gone, value: Buffer.from('later') }]);
    await finishReplacing(folder, store);
    assert.deepEqual((await read()).rows, ['new', 'later']);
  }
});
