import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
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
import { mountSmallDisk } from '../../cli/full-disk.ts';
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
  execFileSync('chown', ['65534:65533', file]);
  await writeNamedFile(file, 'after');
  const { uid, gid } = statSync(file);
  assert.deepEqual([uid, gid], [65534, 65533]);
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

test('a pipe passes everything to its reader and stays a pipe, also through a link', async () => {
  const folder = temporaryFolder();
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  symlinkSync(pipe, join(folder, 'link'));
  const text = 'x'.repeat(300_000);
  for (const name of ['pipe', 'link']) {
    const reader = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] });
    const got = reader.stdout.toArray();
    await writeNamedFile(join(folder, name), text);
    assert.equal(Buffer.concat(await got).toString(), text);
    assert.ok(lstatSync(pipe).isFIFO());
  }
  assert.deepEqual(readdirSync(folder).sort(), ['link', 'pipe']);
  assert.equal(await folderBeside(pipe), undefined);
});

const small = mountSmallDisk(1);

test('a full disk is named, and the previous file stays', {
  skip: small === undefined && 'needs to mount a small disk',
}, async () => {
  const name = join(small!.folder, 'file');
  writeFileSync(name, 'before');
  await assert.rejects(writeNamedFile(name, 'x'.repeat(2 << 20)), {
    code: 'DISK_FULL',
    message: `the disk holding ${name} is full: free some disk space, then run it again`,
  });
  assert.equal(readFileSync(name, 'utf8'), 'before');
  assert.deepEqual(readdirSync(small!.folder), ['file']);
});

test('standard output is recognised by all its names, and by links to it', async () => {
  const link = join(temporaryFolder(), 'link');
  symlinkSync('/dev/stdout', link);
  for (const name of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', `/proc/${process.pid}/fd/1`, link])
    assert.equal(await isStandardOutput(name), true, name);
  for (const name of ['/dev/stderr', '/dev/null', '/dev/fd/7', join(link, 'x'), '/nowhere/at/all'])
    assert.equal(await isStandardOutput(name), false, name);
});

test('text for standard output keeps its order with what a shell writes before and after', async () => {
  const folder = temporaryFolder();
  const script = `import { writeNamedFile } from '${join(process.cwd(), 'services/runtime/disk/named-file.ts')}';
    for (const name of ['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']) await writeNamedFile(name, name + '\\n');`;
  writeFileSync(join(folder, 'script.mts'), script);
  const node = `${process.execPath} --import tsx ${join(folder, 'script.mts')}`;
  const shell = `(echo before; ${node}; echo after) > ${join(folder, 'out')}`;
  execFileSync('sh', ['-c', shell], { cwd: process.cwd() });
  const said = readFileSync(join(folder, 'out'), 'utf8');
  assert.equal(said, 'before\n/dev/stdout\n/dev/fd/1\n/proc/self/fd/1\nafter\n');
  assert.equal(execFileSync('sh', ['-c', `${node} | cat`], { encoding: 'utf8' }).split('\n').length, 4);
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

/** Root may write everywhere, until it gives that up. */
const asOthers = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

test('an unwritable file is refused, and a file in an unwritable folder is written in place', {
  skip: isRoot && process.platform !== 'linux' && 'needs setpriv',
}, () => {
  const folder = temporaryFolder();
  const name = join(folder, 'file');
  const script = `import { writeNamedFile } from '${join(process.cwd(), 'services/runtime/disk/named-file.ts')}';
    await writeNamedFile(process.argv[2], 'after').catch((error) => console.log(error.code, error.message));`;
  writeFileSync(join(folder, 'script.mts'), script);
  const write = () => {
    const [command, ...args] = [...asOthers, process.execPath, '--import', 'tsx', join(folder, 'script.mts'), name];
    return execFileSync(command!, args, { cwd: process.cwd(), encoding: 'utf8' });
  };
  writeFileSync(name, 'before', { mode: 0o444 });
  assert.match(write(), /^INVALID_ARGUMENT .*permission denied/);
  chmodSync(name, 0o644);
  chmodSync(folder, 0o555);
  assert.equal(write(), '');
  chmodSync(folder, 0o755);
  assert.equal(readFileSync(name, 'utf8'), 'after');
});
