/**
 * Loaded before a test (`--import`), after tsx: the file that `CRAWLSTREAM_TEST_MUTANT` names has the mutant's text, in this
 * process, its workers and its children. The checkout is not touched, so any number of mutants can be tried at once.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { type Edit, edited } from './edit.ts';

const mutant = process.env['CRAWLSTREAM_TEST_MUTANT'];
if (mutant !== undefined) {
  const edit = JSON.parse(mutant) as Edit;
  const file = fileURLToPath(new URL(`../../${edit.file}`, import.meta.url));
  const { code } = transformSync(edited(readFileSync(file, 'utf8'), edit), {
    loader: 'ts',
    format: 'esm',
    target: 'node20',
    sourcefile: file,
    sourcemap: 'inline',
  });
  register('./hook.mjs', import.meta.url, { data: { target: pathToFileURL(file).href, code } });
}
