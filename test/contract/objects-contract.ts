/** What every object store promises (services/runtime/objects/objects.ts), as tests. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import type { ObjectStore } from '../../services/runtime/objects/objects.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

/** `open`: a store that is empty. */
export function objectsContract(
  name: string,
  open: () => ObjectStore | Promise<ObjectStore>,
  skip: string | false = false,
): void {
  describe(`object store: ${name}`, { skip, timeout: 60_000 }, () => {
    it('an object store returns what was put, and the newest version', async () => {
      const objects = await open();
      assert.equal(await objects.get('a/one'), undefined);
      await objects.put('a/one', Buffer.from('first'));
      await objects.put('a/one', Buffer.from('second'));
      assert.equal((await objects.get('a/one'))?.toString(), 'second');
      await objects.put('a/empty', Buffer.alloc(0));
      assert.equal((await objects.get('a/empty'))?.length, 0);
      objects.close();
    });

    it('an object store takes a file, and bytes of every value', async () => {
      const objects = await open();
      const bytes = Buffer.alloc(3 << 20, Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)));
      const path = join(temporaryFolder(), 'file');
      await writeFile(path, bytes);
      await objects.putFile('file.warc.gz', path);
      await objects.put('bytes', bytes);
      assert.ok((await objects.get('file.warc.gz'))?.equals(bytes));
      assert.ok((await objects.get('bytes'))?.equals(bytes));
      objects.close();
    });

    it('an object store lists a folder, however deep, in order, and nothing beside it', async () => {
      const objects = await open();
      for (const one of ['a/2/x', 'a/10/x', 'a/1', 'ab/1', 'b/1']) await objects.put(one, Buffer.from(one));
      assert.deepEqual(await objects.list('a/'), ['a/1', 'a/10/x', 'a/2/x']);
      assert.deepEqual(await objects.list('none/'), []);
      objects.close();
    });

    it('an object store removes objects, and ignores missing ones', async () => {
      const objects = await open();
      await objects.put('a/1', Buffer.from('1'));
      await objects.put('a/2', Buffer.from('2'));
      await objects.remove(['a/1', 'a/none']);
      await objects.remove(['a/1']);
      assert.deepEqual(await objects.list('a/'), ['a/2']);
      objects.close();
    });
  });
}
