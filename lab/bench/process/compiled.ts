/** The compiled product: what benches measure, as users run it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This bench itself runs compiled. */
const isCompiled = import.meta.url.endsWith('.js');

export const projectRoot = fileURLToPath(new URL(isCompiled ? '../../../..' : '../../..', import.meta.url));
/** Runs a bench by its name. */
export const compiledMain = join(projectRoot, 'dist/lab/bench/main.js');

/** Set for benches that one has started which compiled already. */
export const builtMark = 'CRAWLSTREAM_BENCH_BUILT';
let isBuilt = isCompiled || process.env[builtMark] !== undefined;

/** Compiles once, so that what is measured is what is there. Type errors are for `npm run verify` to tell. */
export function build(): void {
  if (isBuilt) return;
  isBuilt = true;
  const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc');
  spawnSync(process.execPath, [compiler, '-p', projectRoot], { stdio: 'ignore' });
}
