/**
 * What `npm ci` runs after it (`prepare`): compiles the sources and the dashboard's page into `dist`. Without the
 * development dependencies (`--omit=dev`) there is no compiler: that is said in a line, and is no failure of the install.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
// What is published is compiled already, and holds no sources.
const hasSources = existsSync(join(root, 'tsconfig.json'));
const manifest = join(root, 'node_modules/typescript/package.json');
if (hasSources && existsSync(manifest)) {
  const { bin } = createRequire(import.meta.url)(manifest);
  const tsc = join(dirname(manifest), bin.tsc);
  for (const project of ['.', 'services/dashboard/page']) {
    const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
} else if (hasSources) {
  process.stderr.write(
    'crawlstream: not compiled, as the development dependencies were left out: npm ci, with them, compiles it\n',
  );
}
