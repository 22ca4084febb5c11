/**
 * What `npm ci` runs after it (`prepare`): compiles the sources and the dashboard's page into `dist`, and joins what the
 * command, its workers and the package's entries load into few files there: Node opens, reads and links each module by
 * itself, and 900 of them take as long as all else that a start does. Without the development dependencies
 * (`--omit=dev`) there is no compiler: that is said in a line, and is no failure of the install.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
// What is published is compiled already, and holds no sources.
const hasSources = existsSync(join(root, 'tsconfig.json'));
const manifest = join(root, 'node_modules/typescript/package.json');
const bundler = join(root, 'node_modules/esbuild/lib/main.js');
if (hasSources && existsSync(manifest) && existsSync(bundler)) {
  const { bin } = createRequire(import.meta.url)(manifest);
  const tsc = join(dirname(manifest), bin.tsc);
  for (const project of ['.', 'services/dashboard/page']) {
    const { status } = spawnSync(process.execPath, [tsc, '-p', project], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  const { build } = (await import(pathToFileURL(bundler).href)).default;
  const outdir = join(root, 'dist/bundle');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    absWorkingDir: root,
    outdir,
    // A worker is found beside the file that starts it, so all lie in one folder.
    entryPoints: {
      crawlstream: 'services/cli/main.ts',
      library: 'services/library/index.ts',
      consumer: 'services/consumer/consume-pages.ts',
      plugin: 'services/application/plugin/plugin.ts',
      'lease-client': 'clients/typescript/lease-client.ts',
      crawlee: 'clients/crawlee/index.ts',
      'parse-worker': 'services/fetcher/pages/parse-worker.ts',
      'fetch-worker': 'services/application/workers/fetch-worker.ts',
    },
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
} else if (hasSources) {
  process.stderr.write(
    'crawlstream: not compiled, as the development dependencies were left out: npm ci, with them, compiles it\n',
  );
}
