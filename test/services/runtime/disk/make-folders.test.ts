import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeFolders } from '../../../../services/runtime/disk/make-folders.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('folders are created with their parents, and the topmost new one is returned', async () => {
  const folder = temporaryFolder();
  const deep = join(folder, 'a', 'b', 'c');
  assert.equal(await makeFolders(deep, { recursive: true, mode: 0o700 }), join(folder, 'a'));
  assert.equal(statSync(join(folder, 'a')).mode & 0o777, 0o700);
  assert.equal(await makeFolders(deep, { recursive: true }), undefined);
});

test('a folder that cannot be created is an error, not an endless wait', { timeout: 5_000 }, async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  await assert.rejects(makeFolders('/proc/nope/x/y', { recursive: true }), { code: 'ENOENT' });
  await assert.rejects(makeFolders(join(file, 'x'), { recursive: true }), { code: 'ENOTDIR' });
  await assert.rejects(makeFolders(file, { recursive: true }), { code: 'EEXIST' });
});
