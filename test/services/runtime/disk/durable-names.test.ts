/** Names that survive a power cut: what is synced before what, and file systems that cannot do a part of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PowerDisk } from '../../../../lab/crash/power-disk.ts';
import type { Disk } from '../../../../services/runtime/disk/disk.ts';
import { diskLimits } from '../../../../services/runtime/disk/disk-limits.ts';
import {
  makeFile,
  makeFolder,
  putFile,
  removeFile,
  renameWritten,
  syncFolder,
  writeSynced,
} from '../../../../services/runtime/disk/durable-names.ts';

/** A disk that notes the calls that change it, and fails those that a test names: `CALL PATH` → error code. */
function noting(failures: Readonly<Record<string, string>> = {}, folders: readonly string[] = ['/', '/d']) {
  const memory = new PowerDisk(folders.map((path) => [path, null]));
  const calls: string[] = [];
  const note = (call: string) => {
    calls.push(call);
    const code = failures[call];
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${call}`), { code });
  };
  const disk: Disk = {
    open: async (path, flags, mode) => {
      note(`open ${path} ${flags}${mode === undefined ? '' : ` ${mode.toString(8)}`}`);
      const file = await memory.open(path, flags);
      return {
        ...file,
        writev: async (parts) => {
          note(`write ${path}`);
          return file.writev(parts);
        },
        sync: async () => {
          note(`sync ${path}`);
          await file.sync();
        },
        chmod: async (to) => note(`chmod ${path} ${to.toString(8)}`),
        close: async () => {
          note(`close ${path}`);
          await file.close();
        },
      };
    },
    readFile: (path) => memory.readFile(path),
    readdir: (path) => memory.readdir(path),
    stat: (path) => memory.stat(path),
    mkdir: async (path, { mode }) => {
      note(`mkdir ${path}${mode === undefined ? '' : ` ${mode.toString(8)}`}`);
      return memory.mkdir(path);
    },
    rename: async (from, to) => {
      note(`rename ${from} ${to}`);
      await memory.rename(from, to);
    },
    link: async (from, to) => {
      note(`link ${from} ${to}`);
      await memory.link(from, to);
    },
    rm: async (path) => {
      note(`rm ${path}`);
      await memory.rm(path);
    },
  };
  return { disk, calls, textOf: async (path: string) => (await memory.readFile(path)).toString() };
}

const synced = (calls: readonly string[]) =>
  calls.filter((call) => call.startsWith('sync')).map((call) => call.slice('sync '.length));

test('a file is written aside and synced, then renamed, then its folder is synced', async () => {
  const { disk, calls, textOf } = noting();
  await putFile('/d/a', 'text', { mode: 0o600 }, disk);
  assert.deepEqual(calls, [
    ...['open /d/a.new w 600', 'chmod /d/a.new 600', 'write /d/a.new', 'sync /d/a.new', 'close /d/a.new'],
    ...['rename /d/a.new /d/a', 'open /d r', 'sync /d', 'close /d'],
  ]);
  assert.equal(await textOf('/d/a'), 'text');
  await putFile('/d/a', Buffer.from('bytes'), { aside: '.part' }, disk);
  assert.ok(calls.includes('rename /d/a.part /d/a'));
  assert.equal(await textOf('/d/a'), 'bytes');
});

test('a file written by other means is synced before it gets its name', async () => {
  const { disk, calls } = noting();
  await writeSynced('/d/a', 'text', undefined, disk);
  calls.length = 0;
  await renameWritten('/d/a', '/d/b', disk);
  assert.deepEqual(calls, [
    ...['open /d/a r', 'sync /d/a', 'close /d/a', 'rename /d/a /d/b', 'open /d r', 'sync /d', 'close /d'],
  ]);
});

test('a removal is durable once its folder is synced, also of a file that is not there', async () => {
  const { disk, calls } = noting();
  await removeFile('/d/none', disk);
  assert.deepEqual(calls, ['rm /d/none', 'open /d r', 'sync /d', 'close /d']);
});

test('a folder that cannot be synced is passed over on network shares, and no other error is', async () => {
  for (const code of ['EINVAL', 'ENOTSUP']) await syncFolder('/d', noting({ 'sync /d': code }).disk);
  for (const code of ['EIO', 'ENOSPC', 'EACCES']) {
    const { disk, calls } = noting({ 'sync /d': code });
    await assert.rejects(syncFolder('/d', disk), { code });
    assert.equal(calls.at(-1), 'close /d');
  }
});

test('a file is closed whatever fails', async () => {
  for (const call of ['chmod /d/a.new 600', 'write /d/a.new', 'sync /d/a.new']) {
    const { disk, calls } = noting({ [call]: 'EIO' });
    await assert.rejects(putFile('/d/a', 'text', { mode: 0o600 }, disk), { code: 'EIO' });
    assert.equal(calls.at(-1), 'close /d/a.new', call);
  }
});

test('a file is made once, by a link of one that is whole', async () => {
  const { disk, calls, textOf } = noting();
  assert.equal(await makeFile('/d/a', 'one', 'p1', {}, disk), true);
  assert.deepEqual(calls.slice(-6), [
    ...['close /d/a.p1.new', 'link /d/a.p1.new /d/a', 'rm /d/a.p1.new', 'open /d r', 'sync /d', 'close /d'],
  ]);
  assert.equal(await makeFile('/d/a', 'two', 'p2', {}, disk), false);
  assert.equal(await textOf('/d/a'), 'one');
  assert.deepEqual(await disk.readdir('/d'), ['a']);
});

test('a file is made without links where the file system has none, and at most once', async () => {
  for (const code of ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']) {
    const { disk, calls, textOf } = noting({ 'link /d/a.p1.new /d/a': code });
    assert.equal(await makeFile('/d/a', 'one', 'p1', { mode: 0o600 }, disk), true, code);
    assert.equal(await makeFile('/d/a', 'two', 'p1', { mode: 0o600 }, disk), false, code);
    assert.equal(await textOf('/d/a'), 'one');
    assert.deepEqual(await disk.readdir('/d'), ['a']);
    assert.ok(calls.includes('open /d/a wx 600') && calls.includes('sync /d/a'));
  }
  const { disk } = noting({ 'link /d/a.p1.new /d/a': 'EIO' });
  await assert.rejects(makeFile('/d/a', 'one', 'p1', {}, disk), { code: 'EIO' });
  assert.deepEqual(await disk.readdir('/d'), []);
});

test('half a file is removed again where the file system has no links', async () => {
  for (const call of ['write /d/a', 'sync /d/a']) {
    const { disk } = noting({ 'link /d/a.p1.new /d/a': 'EPERM', [call]: 'ENOSPC' });
    await assert.rejects(makeFile('/d/a', 'one', 'p1', {}, disk), { code: 'ENOSPC' });
    assert.deepEqual(await disk.readdir('/d'), [], call);
  }
  const { disk } = noting({ 'link /d/a.p1.new /d/a': 'EPERM', 'open /d/a wx': 'EACCES' });
  await assert.rejects(makeFile('/d/a', 'one', 'p1', {}, disk), { code: 'EACCES' });
});

test('a new folder is durable once every folder above it is synced, and is synced once', async () => {
  const { disk, calls } = noting();
  await makeFolder('/d/x/y', 0o700, disk);
  assert.deepEqual(calls[0], 'mkdir /d/x/y 700');
  assert.deepEqual(synced(calls), ['/d/x', '/d', '/']);
  calls.length = 0;
  await makeFolder('/d/x/y', undefined, disk);
  assert.deepEqual(calls, ['mkdir /d/x/y']);
  await makeFolder('/d/x/z', undefined, disk);
  assert.deepEqual(synced(calls), ['/d/x']);
});

test('a folder that was there is synced all the way, since nobody knows who made it', async () => {
  const { disk, calls } = noting({}, ['/', '/d', '/d/x']);
  await makeFolder('/d/x', undefined, disk);
  assert.deepEqual(synced(calls), ['/d', '/']);
});

test('folders of others above ours need no right to be synced, those of ours do', async () => {
  for (const code of ['EACCES', 'EPERM']) {
    await makeFolder('/d/x', undefined, noting({ 'open / r': code }).disk);
    await assert.rejects(makeFolder('/d/x', undefined, noting({ 'open /d r': code }).disk), { code });
  }
  await assert.rejects(makeFolder('/d/x', undefined, noting({ 'open / r': 'EIO' }).disk), { code: 'EIO' });
});

test('a folder that failed to become durable is synced again by the next call', async () => {
  const failures: Record<string, string> = { 'sync /d': 'EIO' };
  const { disk, calls } = noting(failures);
  await assert.rejects(makeFolder('/d/x', undefined, disk), { code: 'EIO' });
  delete failures['sync /d'];
  calls.length = 0;
  await makeFolder('/d/x', undefined, disk);
  assert.deepEqual(synced(calls), ['/d', '/']);
});

test('folders beyond those that a process notes are synced once more', async () => {
  const { disk, calls } = noting();
  await makeFolder('/d/x', undefined, disk);
  for (let n = 0; n < diskLimits.durableFoldersMax; n++) await makeFolder(`/d/${n}`, undefined, disk);
  calls.length = 0;
  await makeFolder('/d/x', undefined, disk);
  const again = synced(calls);
  assert.ok(again.length > 0);
  await makeFolder('/d/x', undefined, disk);
  assert.deepEqual(synced(calls), again);
});
