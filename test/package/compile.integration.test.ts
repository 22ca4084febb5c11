/** What compiling the sources leaves of an earlier `dist`. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { it } from 'node:test';
import { root } from '../run/files.ts';
import { temporaryFolder } from '../services/runtime/store/temporary-folder.ts';

it('nothing stays of sources that were deleted or moved, and the command stays if the compiler fails', () => {
  const folder = temporaryFolder();
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  write('tsconfig.json', '{}');
  write('services/extras/README.md', '');
  write('node_modules/esbuild/lib/main.js', '');
  write('node_modules/typescript/package.json', '{ "bin": { "tsc": "tsc.js" } }');
  write('node_modules/typescript/tsc.js', 'process.exit(3);');
  write('dist/services/dashboard/page.js', '');
  write('dist/bundle/crawlstream.js', '');
  cpSync(join(root, 'services/cli/compile.mjs'), join(folder, 'services/cli/compile.mjs'), { recursive: true });
  const { status, stderr } = spawnSync(process.execPath, ['services/cli/compile.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });
  assert.equal(status, 3, stderr);
  assert.deepEqual(
    ['dist/services/dashboard/page.js', 'dist/bundle/crawlstream.js'].map((file) => existsSync(join(folder, file))),
    [false, true],
  );
});
