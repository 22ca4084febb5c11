import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { temporaryFolder } from '../runtime/store/temporary-folder.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const script = 'services/cli/from-dist.mjs';

async function started(
  folder: string,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number }> {
  const words = [join(folder, script), 'dist/bundle/crawlstream.js', '--version'];
  return promisify(execFile)(process.execPath, words).then(
    (ended) => ({ ...ended, code: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => error,
  );
}

test('a checkout that is not compiled, or only half, says what is missing in one line', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'services/cli'), { recursive: true });
  cpSync(join(root, script), join(folder, script));
  const bare = await started(folder);
  assert.deepEqual([bare.code, bare.stdout], [1, '']);
  assert.match(
    bare.stderr,
    /^crawlstream: nothing is compiled yet: run npm ci, which compiles it \(with the dev[^\n]*\n$/,
  );
  mkdirSync(join(folder, 'node_modules/typescript'), { recursive: true });
  assert.match((await started(folder)).stderr, /^crawlstream: nothing is compiled yet: run npm run prepare\n$/);
  mkdirSync(join(folder, 'dist/bundle'), { recursive: true });
  writeFileSync(join(folder, 'dist/bundle/crawlstream.js'), '');
  mkdirSync(join(folder, 'services/extras/dashboard/page'), { recursive: true });
  assert.match(
    (await started(folder)).stderr,
    /the dashboard’s page is not compiled \(tsc alone leaves it out\): run npm run prepare/,
  );
});

test('a compiled checkout runs the command with its arguments', async () => {
  const { code, stdout } = await started(root);
  assert.equal(code, 0);
  assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
});
