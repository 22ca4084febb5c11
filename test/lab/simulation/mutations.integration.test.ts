import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Mutation, mutations, seedsMax } from '../../../lab/simulation/mutations.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const parts = ['topology', 'services', 'schemas', 'lab', 'package.json', 'tsconfig.json'];

/** The product with the bug, in a folder of its own. */
async function plant({ bug, file, find, replace }: Mutation): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'crawlstream-mutation-'));
  await mkdir(join(folder, 'test'));
  for (const part of parts) await cp(join(root, part), join(folder, part), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const source = await readFile(join(root, file), 'utf8');
  assert.equal(source.split(find).length, 2, `"${bug}" can't be planted: ${file} must hold once: ${find}`);
  await writeFile(
    join(folder, file),
    source.replace(find, () => replace),
  );
  return folder;
}

describe('the simulator finds a planted bug:', { concurrency: 2 }, () => {
  for (const mutation of mutations) {
    it(mutation.bug, async (test) => {
      const folder = await plant(mutation);
      try {
        const seeds = [`${mutation.from ?? 1}`, `${seedsMax}`];
        const args = ['--import', 'tsx', 'lab/simulation/first-failure.ts', ...seeds];
        const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
        const failure = JSON.parse(stdout) as { readonly seed: number; readonly violation: string } | null;
        assert.ok(failure !== null, `none of ${seedsMax} seeds fails`);
        test.diagnostic(`seed ${failure.seed}, ${failure.violation}`);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  }
});
