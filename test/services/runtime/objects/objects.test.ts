import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { createFaultObjects } from '../../../../services/runtime/objects/fault-objects.ts';
import { createFolderObjects } from '../../../../services/runtime/objects/folder-objects.ts';
import { createMemoryObjects } from '../../../../services/runtime/objects/memory-objects.ts';
import { objectsContract } from '../../../contract/objects-contract.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

objectsContract('memory', () => createMemoryObjects());
objectsContract('fault-injecting, with nothing planned', () => createFaultObjects(createMemoryObjects()));
objectsContract('folder', () => createFolderObjects(join(temporaryFolder(), 'objects')));

it('a folder of objects hides half-written files of a crash, and removes them with their neighbours', async () => {
  const folder = temporaryFolder();
  const objects = createFolderObjects(folder);
  await objects.put('a/b/one', Buffer.from('1'));
  await writeFile(join(folder, 'a/b/two.part'), 'hal');
  assert.deepEqual(await objects.list('a/'), ['a/b/one']);
  await objects.remove(['a/b/one']);
  assert.deepEqual(await readdir(join(folder, 'a')), []);
});

it('an unusable folder of objects is named', async () => {
  const folder = temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  const objects = createFolderObjects(join(folder, 'file'));
  await assert.rejects(objects.put('one', Buffer.from('1')), {
    code: 'DESTINATION_REFUSED',
    message: /file cannot be/,
  });
});
