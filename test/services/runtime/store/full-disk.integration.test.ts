/** The stores on a disk without a free byte: a file system in memory, of a few MB. Needs the right to mount one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readdirSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { openLevelStore } from '../../../../services/runtime/store/level-store.ts';
import { openStateStore, storeNames } from '../../../../services/runtime/store/open-store.ts';
import { temporaryFolder } from './temporary-folder.ts';

const mounted: string[] = [];
function smallDisk(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const folder = temporaryFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  mounted.push(folder);
  return folder;
}
after(() => {
  for (const folder of mounted) execFileSync('umount', ['-l', folder]);
});

function fill(folder: string): void {
  for (const bytes of [1 << 16, 1]) {
    const file = openSync(join(folder, `ballast${bytes}`), 'w');
    try {
      for (;;) writeSync(file, Buffer.alloc(bytes));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    } finally {
      closeSync(file);
    }
  }
}

const skip = smallDisk() === undefined && 'needs Linux and the right to mount';

describe('a store on a full disk', { skip }, () => {
  for (const name of storeNames)
    for (const temporary of ['elsewhere', 'on the same disk'])
      it(`${name} can be read, with temporary files ${temporary}, and leaves no file`, async () => {
        const disk = smallDisk()!;
        const folder = join(disk, 'db');
        const before = { ...process.env };
        process.env['CRAWLSTREAM_STORE'] = name;
        mkdirSync(join(disk, 'tmp'));
        if (temporary !== 'elsewhere') process.env['TMPDIR'] = join(disk, 'tmp');
        try {
          const writer = await openStateStore(folder, { writeBufferBytes: 64 << 10, compression: false });
          for (let n = 0; n < 300; n++)
            await writer.write([{ key: Buffer.from(`k${n}`), value: Buffer.alloc(4000, n) }]);
          await writer.close();
          fill(disk);
          const files = readdirSync(folder).sort();
          const reader = await openStateStore(folder, { readOnly: true });
          for (let n = 0; n < 300; n++) assert.equal((await reader.get(Buffer.from(`k${n}`)))?.[0], n % 256);
          await reader.close();
          assert.deepEqual(readdirSync(folder).sort(), files);
          assert.deepEqual(readdirSync(join(disk, 'tmp')), []);
        } finally {
          for (const key of ['CRAWLSTREAM_STORE', 'TMPDIR'])
            if (before[key] === undefined) delete process.env[key];
            else process.env[key] = before[key];
        }
      });

  it('classic-level removes from the folder for temporary files what killed readers left, and nothing that is in use', async () => {
    const disk = smallDisk()!;
    const [folder, temporary] = [join(disk, 'db'), temporaryFolder()];
    const leftOf = (name: string) => join(temporary, `crawlstream-reader-${name}`);
    await (await openLevelStore(folder)).close();
    fill(disk);
    const inUse = await openLevelStore(leftOf('in-use'));
    await (await openLevelStore(leftOf('killed'))).close();
    await (await openLevelStore(leftOf('new'))).close();
    for (const name of ['in-use', 'killed']) utimesSync(leftOf(name), 0, 0);
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = temporary;
    try {
      await (await openLevelStore(folder, { readOnly: true })).close();
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
    assert.deepEqual(readdirSync(temporary).sort(), ['crawlstream-reader-in-use', 'crawlstream-reader-new']);
    await inUse.close();
  });
});
