/**
 * What `npm run crawlstream` and `npm start` run: a program of `dist`, or, where nothing has been compiled (after
 * `npm ci --ignore-scripts`, `npm ci --omit=dev` or `tsc` alone), one line that says what is missing.
 *
 *   node services/cli/from-dist.mjs dist/bundle/crawlstream.js …
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, process.argv[2] ?? '');
const page = 'services/extras/dashboard/page';
const missing = [
  [program, 'nothing is compiled yet'],
  ...(existsSync(join(root, page))
    ? [[join(root, 'dist', page, 'main.js'), 'the dashboard’s page is not compiled (tsc alone leaves it out)']]
    : []),
].find(([file]) => !existsSync(file));

if (missing === undefined) {
  process.argv.splice(1, 2, program);
  await import(pathToFileURL(program).href);
} else {
  const needsTools = !existsSync(join(root, 'node_modules/typescript'));
  const remedy = needsTools
    ? 'npm ci, which compiles it (with the development dependencies and scripts)'
    : 'npm run prepare';
  process.stderr.write(`crawlstream: ${missing[1]}: run ${remedy}\n`);
  process.exitCode = 1;
}
