/** A disk that is full under any command: one line that says so and names the place, exit code 1, and never "a bug". */
import assert from 'node:assert/strict';
import { statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runCommand } from '../../../lab/process/command.ts';
import { mountSmallDisk } from './full-disk.ts';

const disk = mountSmallDisk(2);
const skip = disk === undefined ? 'a full disk needs Linux and root: no tmpfs can be mounted here' : false;

/** Takes all room but this. */
function fill(folder: string, leaveBytes = 0): void {
  const { bavail, bsize } = statfsSync(folder);
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - leaveBytes)));
}

async function assertSaid(args: readonly string[], cwd?: string): Promise<void> {
  const ended = await runCommand([...args], cwd === undefined ? {} : { cwd });
  const said = `${args.join(' ')}: ${ended.code}\n${ended.stderr}`;
  assert.doesNotMatch(ended.stderr, /a bug|rollback|\n {4}at /, said);
  assert.equal(ended.code, 1, said);
  assert.match(ended.stderr, /full: (make room|free some disk space)/, said);
}

describe('a full disk', { skip, timeout: 600_000 }, () => {
  const root = disk?.folder ?? '';
  it('commands that write a file or a folder on a full disk name its place', async () => {
    fill(root);
    await assertSaid(['new', join(root, 'mine')]);
    await assertSaid(['config', 'init'], root);
  });
});
