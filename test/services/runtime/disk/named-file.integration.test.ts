/** Files that a user named for output: pipes, a full disk, standard output, and other users' files. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folderBeside, writeNamedFile } from '../../../../services/runtime/disk/named-file.ts';
import { mountSmallDisk } from '../../cli/full-disk.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

const isRoot = process.getuid?.() === 0;

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
