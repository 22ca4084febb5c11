/** Files that a user named for output: what stands under the name before, meanwhile and afterwards. */
import assert from 'node:assert/strict';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  folderBeside,
  isStandardOutput,
  openNamedFile,
  streamInto,
  writeNamedFile,
} from '../../../../services/runtime/disk/named-file.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;

test('a new file appears once it is whole, with the process’s mode for new files', async () => {
  const folder = temporaryFolder();
  const [named, usual] = [join(folder, 'named'), join(folder, 'usual')];
  const file = await openNamedFile(named);
  await file.write('one ');
  await file.write(Buffer.from('two'));
  assert.equal(readdirSync(folder).includes('named'), false);
  await file.finish();
  writeFileSync(usual, '');
  assert.equal(readFileSync(named, 'utf8'), 'one two');
  assert.equal(statSync(named).mode, statSync(usual).mode);
  assert.deepEqual(readdirSync(folder).sort(), ['named', 'usual']);
});

test('an existing file keeps its mode, tight or wide', async () => {
  const file = join(temporaryFolder(), 'file');
  for (const mode of [0o600, 0o640, 0o666, 0o755, 0o4711]) {
    writeFileSync(file, 'before');
    chmodSync(file, mode);
    await writeNamedFile(file, 'after');
    assert.equal((statSync(file).mode & 0o7777).toString(8), mode.toString(8));
    assert.equal(readFileSync(file, 'utf8'), 'after');
  }
});

test('the temporary file beside a file of mode 600 is readable by nobody else', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '', { mode: 0o600 });
  const file = await openNamedFile(join(folder, 'file'));
  for (const name of readdirSync(folder)) assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  await file.abandon();
});

test('a rewritten file keeps its owner', { skip: isRoot ? false : 'only root may give files away' }, async () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, '');
  chownSync(file, 65_534, 65_533);
  await writeNamedFile(file, 'after');
  const { uid, gid } = statSync(file);
  assert.deepEqual([uid, gid], [65_534, 65_533]);
});

test('symbolic links are followed, one or several, relative or not, even to a file that does not exist yet', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'there'), 'before');
  symlinkSync('elsewhere/there', join(folder, 'one'));
  symlinkSync(join(folder, 'one'), join(folder, 'two'));
  symlinkSync('elsewhere/later', join(folder, 'dangling'));
  symlinkSync('elsewhere', join(folder, 'folder'));
  for (const [name, target] of [
    ['one', 'there'],
    ['two', 'there'],
    ['dangling', 'later'],
    ['folder/inner', 'inner'],
  ] as const) {
    await writeNamedFile(join(folder, name), `through ${name}`);
    assert.equal(readFileSync(join(folder, 'elsewhere', target), 'utf8'), `through ${name}`);
  }
  assert.equal(readlinkSync(join(folder, 'one')), 'elsewhere/there');
  assert.ok(['one', 'two', 'dangling', 'folder'].every((name) => lstatSync(join(folder, name)).isSymbolicLink()));
  assert.deepEqual(readdirSync(join(folder, 'elsewhere')).sort(), ['inner', 'later', 'there'], 'nothing is left over');
});

test('other hard links of a file get the new content', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a'), 'a long text before');
  linkSync(join(folder, 'a'), join(folder, 'b'));
  await writeNamedFile(join(folder, 'a'), 'after');
  assert.equal(readFileSync(join(folder, 'b'), 'utf8'), 'after');
  assert.equal(statSync(join(folder, 'b')).nlink, 2);
});

test('standard output is recognised by all its names, and by links to it', async () => {
  const link = join(temporaryFolder(), 'link');
  symlinkSync('/dev/stdout', link);
  for (const name of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', `/proc/${process.pid}/fd/1`, link])
    assert.equal(await isStandardOutput(name), true, name);
  for (const name of ['/dev/stderr', '/dev/null', '/dev/fd/7', join(link, 'x'), '/nowhere/at/all'])
    assert.equal(await isStandardOutput(name), false, name);
});

test('two writers of one file do not mix: the file is what the last one wrote, whole', async () => {
  const folder = temporaryFolder();
  const name = join(folder, 'file');
  const [a, b] = [await openNamedFile(name), await openNamedFile(name)];
  await a.write('aaa');
  await b.write('bbb');
  await a.write('aaa');
  await b.write('bbb');
  await a.finish();
  assert.equal(readFileSync(name, 'utf8'), 'aaaaaa');
  await b.finish();
  assert.equal(readFileSync(name, 'utf8'), 'bbbbbb');
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('an abandoned write leaves the previous file, and nothing beside it', async () => {
  const folder = temporaryFolder();
  const name = join(folder, 'file');
  writeFileSync(name, 'before');
  const file = await openNamedFile(name);
  await file.write('half of it');
  await file.abandon();
  assert.equal(readFileSync(name, 'utf8'), 'before');
  assert.deepEqual(readdirSync(folder), ['file']);
});

test('a stream into a file waits for a slow disk, and reports errors', async () => {
  const got: string[] = [];
  const stream = streamInto({ write: async (bytes) => void got.push(`${bytes}`) });
  for (const part of ['a', 'b', 'c']) stream.write(part);
  await new Promise((done) => stream.end(done));
  assert.equal(got.join(''), 'abc');
  const failing = streamInto({ write: () => Promise.reject(new Error('no room')) });
  const failed = new Promise((done) => failing.on('error', done));
  failing.write('a');
  assert.match(String(await failed), /no room/);
});

test('a folder, a missing folder and circular links are refused by name, with the remedy', async () => {
  const folder = temporaryFolder();
  symlinkSync('two', join(folder, 'one'));
  symlinkSync('one', join(folder, 'two'));
  symlinkSync('.', join(folder, 'folder'));
  for (const [name, why] of [
    [folder, 'it is a folder'],
    [join(folder, 'folder'), 'it is a folder'],
    [join(folder, 'missing', 'x'), 'ENOENT: no such file or directory.*'],
    [join(folder, 'one'), '.*form a loop.*|ELOOP.*'],
  ] as const)
    await assert.rejects(openNamedFile(name), {
      code: 'INVALID_ARGUMENT',
      message: new RegExp(`^${name} can't be written: (${why}); choose another file$`),
    });
});

test('temporary files have the folder of a file, and none beside a device or standard output', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'file'), join(folder, 'link'));
  mkdirSync(join(folder, 'inner'));
  for (const name of ['file', 'later', 'link']) assert.equal(await folderBeside(join(folder, name)), folder, name);
  for (const name of ['/dev/null', '/dev/stdout', join(folder, 'inner'), join(folder, 'missing/x')])
    assert.equal(await folderBeside(name), undefined, name);
});

test('a device is written through, and stays a device', async () => {
  await writeNamedFile('/dev/null', 'nobody reads it');
  assert.ok(lstatSync('/dev/null').isCharacterDevice());
  assert.equal(await isStandardOutput('/dev/null'), false);
});

test('a chain of forty links is followed, and a longer one counts as a loop', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '0'), 'before');
  for (let n = 1; n <= 41; n++) symlinkSync(`${n - 1}`, join(folder, `${n}`));
  await writeNamedFile(join(folder, '40'), 'after');
  assert.equal(readFileSync(join(folder, '0'), 'utf8'), 'after');
  await assert.rejects(writeNamedFile(join(folder, '41'), 'x'), { code: 'INVALID_ARGUMENT' });
  assert.equal(readFileSync(join(folder, '0'), 'utf8'), 'after');
});

test('a file on a full disk is an error with the file and what to do', {
  skip: !existsSync('/dev/full') && 'no such device',
}, async () => {
  const full = {
    code: 'DISK_FULL',
    message: 'the disk holding /dev/full is full: free some disk space, then run it again',
  };
  await assert.rejects(writeNamedFile('/dev/full', 'x'), full);
  const file = await openNamedFile('/dev/full');
  await assert.rejects(file.write(Buffer.from('x')), full);
  await file.abandon();
});
