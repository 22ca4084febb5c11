/** The compiled product: what benches measure, as users run it. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** This bench itself runs compiled. */
const isCompiled = import.meta.url.endsWith('.js');

export const projectRoot = fileURLToPath(new URL(isCompiled ? '../../../..' : '../../..', import.meta.url));
/** Runs a bench by its name. */
export const compiledMain = join(projectRoot, 'dist/lab/bench/main.js');

/** Set for benches that were started by one that has compiled already. */
export const builtMark = 'CRAWLSTREAM_BENCH_BUILT';
let isBuilt = isCompiled || process.env[builtMark] !== undefined;

/** Compiles once, with the command's bundle, so that the present sources are measured. */
export function build(): void {
  if (isBuilt) return;
  isBuilt = true;
  const { status } = spawnSync(process.execPath, [join(projectRoot, 'services/cli/compile.mjs')], { stdio: 'inherit' });
  if (status !== 0) throw new Error('what is to be measured does not compile: npm run -s prepare says why');
}
