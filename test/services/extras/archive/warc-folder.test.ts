/** The folder of WARC files: what each call leaves on disk, and what the next start makes of it. */
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openWarcFolder } from '../../../../services/extras/archive/warc-folder.ts';
import { type Disk, nodeDisk } from '../../../../services/runtime/disk/disk.ts';
import { createMemoryStore } from '../../../../services/runtime/store/memory-store.ts';
import { temporaryFolder } from '../../runtime/store/temporary-folder.ts';

const [warc, cdxj] = ['f1.warc.gz', 'f1.cdxj'];

/** A folder with an open file: ten bytes and two lines of its index are acknowledged. */
async function begun() {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  const warcs = await openWarcFolder(folder, store);
  warcs.begin('f1');
  warcs.append(Buffer.from('hello'));
  warcs.index('b {}');
  warcs.append(Buffer.from('world'));
  warcs.index('a {}');
  await warcs.checkpoint([]);
  return { folder, store, warcs };
}

const textOf = (folder: string, name: string) => readFileSync(join(folder, name), 'utf8');

test('an open file has its records in order, and gets its name and a sorted index once it is whole', async () => {
  const { folder, warcs } = await begun();
  assert.deepEqual(readdirSync(folder).sort(), [`${cdxj}.open`, `${warc}.open`]);
  assert.deepEqual([warcs.file, warcs.bytes], [warc, 10]);
  assert.deepEqual(await warcs.files(), []);
  warcs.append(Buffer.from('!'));
  await warcs.finish([]);
  assert.deepEqual(readdirSync(folder).sort(), [cdxj, warc]);
  assert.deepEqual([textOf(folder, warc), textOf(folder, cdxj)], ['helloworld!', 'a {}\nb {}\n']);
  assert.deepEqual([warcs.file, await warcs.files()], [null, ['f1']]);
});

test('a body that is appended in parts stands behind the records before it, and its length is returned', async () => {
  const { folder, warcs } = await begun();
  warcs.append(Buffer.from('head '));
  const body = async function* () {
    for (const part of ['a long', ' body']) yield Buffer.from(part);
  };
  assert.equal(await warcs.appendAll(body()), 11);
  assert.equal(warcs.bytes, 26);
  warcs.append(Buffer.from(' end'));
  await warcs.checkpoint([]);
  assert.equal(textOf(folder, `${warc}.open`), 'helloworldhead a long body end');
});

test('whole files are listed oldest first, without the open one', async () => {
  const { warcs } = await begun();
  for (const name of ['f3', 'f2']) {
    await warcs.finish([]);
    warcs.begin(name);
    warcs.append(Buffer.from('x'));
  }
  await warcs.checkpoint([]);
  assert.deepEqual(await warcs.files(), ['f1', 'f3']);
});

test('what came after the checkpoint is cut off at the next start, and the file goes on there', async () => {
  const { folder, store } = await begun();
  appendFileSync(join(folder, `${warc}.open`), 'half a rec');
  appendFileSync(join(folder, `${cdxj}.open`), 'half a li');
  const warcs = await openWarcFolder(folder, store);
  assert.deepEqual([warcs.file, warcs.bytes], [warc, 10]);
  warcs.append(Buffer.from('!'));
  warcs.index('c {}');
  await warcs.finish([]);
  assert.deepEqual([textOf(folder, warc), textOf(folder, cdxj)], ['helloworld!', 'a {}\nb {}\nc {}\n']);
});

test('an open file that lost acknowledged bytes stops the start, with both lengths', async () => {
  for (const [about, damage, message] of [
    ['short', (at: string) => truncateSync(at, 9), /f1\.warc\.gz\.open has only 9 bytes, but 10 bytes of it were ack/],
    ['empty', (at: string) => truncateSync(at, 0), /has only 0 bytes, but 10 bytes/],
    [
      'gone',
      (at: string) => rmSync(at),
      /f1\.warc\.gz\.open is missing, but 10 bytes of it were acknowledged: restore/,
    ],
  ] as const) {
    const { folder, store } = await begun();
    damage(join(folder, `${warc}.open`));
    const left = readdirSync(folder);
    await assert.rejects(openWarcFolder(folder, store), { code: 'STORE_FAILED', message }, about);
    assert.deepEqual(readdirSync(folder), left);
  }
  const { folder, store } = await begun();
  truncateSync(join(folder, `${cdxj}.open`), 3);
  const message = /f1\.cdxj\.open has only 3 bytes, but 10 bytes of it were acknowledged/;
  await assert.rejects(openWarcFolder(folder, store), { code: 'STORE_FAILED', message });
});

test('a file that was begun after the checkpoint is removed at the next start, and others stay', async () => {
  const { folder, store } = await begun();
  const foreign = ['notes.txt', 'f0.warc.gz', 'f0.cdxj', 'x.open'];
  for (const name of [...foreign, 'f2.warc.gz.open', 'f2.cdxj.open', 'f2.cdxj.new'])
    writeFileSync(join(folder, name), '');
  await openWarcFolder(folder, store);
  assert.deepEqual(readdirSync(folder).sort(), [...foreign, `${cdxj}.open`, `${warc}.open`].sort());
});

test('a close that a kill interrupted is completed at the next start, wherever it was', async () => {
  for (const call of [1, 2, 3]) {
    const { folder, store } = await begun();
    const dying = await openWarcFolder(folder, store, dyingAt(call));
    await assert.rejects(dying.finish([]), /killed/);
    if (call < 3) appendFileSync(join(folder, `${warc}.open`), 'half a rec');
    appendFileSync(join(folder, `${cdxj}.open`), 'half a li');
    const again = await openWarcFolder(folder, store);
    assert.deepEqual([again.file, await again.files()], [null, ['f1']]);
    assert.deepEqual([textOf(folder, warc), textOf(folder, cdxj)], ['helloworld', 'a {}\nb {}\n'], `${call}`);
    assert.deepEqual(readdirSync(folder).sort(), [cdxj, warc]);
    again.begin('f2');
    again.append(Buffer.from('x'));
    await again.finish([]);
    assert.deepEqual(await (await openWarcFolder(folder, store)).files(), ['f1', 'f2']);
  }
});

test('a whole file whose names a power cut took back gets them again, though the next file has begun', async () => {
  for (const lost of [[warc], [warc, cdxj]]) {
    const { folder, store, warcs } = await begun();
    await warcs.finish([]);
    warcs.begin('f2');
    warcs.append(Buffer.from('next'));
    warcs.index('c {}');
    await warcs.checkpoint([]);
    await warcs.checkpoint([]);
    const index = textOf(folder, cdxj);
    for (const name of lost) renameSync(join(folder, name), join(folder, `${name}.open`));
    appendFileSync(join(folder, `${warc}.open`), 'half a rec');
    const again = await openWarcFolder(folder, store);
    assert.deepEqual([again.file, again.bytes, await again.files()], ['f2.warc.gz', 4, ['f1']]);
    assert.deepEqual([textOf(folder, warc), textOf(folder, cdxj)], ['helloworld', index]);
    assert.equal(textOf(folder, 'f2.warc.gz.open'), 'next');
  }
});

/** A disk whose process is killed at this change of a name. */
function dyingAt(call: number): Disk {
  let calls = 0;
  const dying =
    <A extends unknown[]>(act: (...given: A) => Promise<void>) =>
    async (...given: A) => {
      calls += 1;
      if (calls >= call) throw new Error('killed');
      await act(...given);
    };
  return { ...nodeDisk, rename: dying(nodeDisk.rename), rm: dying(nodeDisk.rm) };
}

test('after a failed write every later one fails in the same way, and the next start is right', async () => {
  const { folder, store } = await begun();
  let isFull = false;
  const disk: Disk = {
    ...nodeDisk,
    open: async (path, flags, mode) => {
      if (isFull && flags === 'a') throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return nodeDisk.open(path, flags, mode);
    },
  };
  const warcs = await openWarcFolder(folder, store, disk);
  warcs.append(Buffer.from('!'));
  isFull = true;
  await assert.rejects(warcs.checkpoint([]), /no space/);
  isFull = false;
  for (const act of [
    () => warcs.checkpoint([]),
    () => warcs.finish([]),
    () => warcs.appendAll((async function* () {})()),
  ])
    await assert.rejects(act(), /no space/);
  const again = await openWarcFolder(folder, store);
  assert.deepEqual([again.bytes, textOf(folder, `${warc}.open`)], [10, 'helloworld']);
});

test('rows are stored with the checkpoint that they belong to, also if no file is open', async () => {
  const folder = temporaryFolder();
  const store = createMemoryStore();
  const warcs = await openWarcFolder(join(folder, 'new'), store);
  const row = { key: Buffer.from('P'), value: Buffer.from('1') };
  await warcs.checkpoint([row]);
  assert.equal(`${await store.get(row.key)}`, '1');
  await warcs.finish([{ ...row, value: Buffer.from('2') }]);
  assert.equal(`${await store.get(row.key)}`, '2');
  assert.deepEqual(readdirSync(join(folder, 'new')), []);
  const again = await openWarcFolder(join(folder, 'new'), store);
  assert.equal(again.file, null);
});
