/**
 * Loaded before a test (`--import`), after tsx: the file that `CRAWLSTREAM_TEST_MUTANT` names has the mutant's text, in this
 * process, its workers and its children. The checkout is not touched, so any number of mutants can be tried at once.
 */
import { readFileSync } from 'node:fs';
import { register } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compiled } from './coverage/compile.ts';
import { type Edit, edited } from './edit.ts';

const mutant = process.env['CRAWLSTREAM_TEST_MUTANT'];
if (mutant !== undefined) {
  const edit = JSON.parse(mutant) as Edit;
  const file = fileURLToPath(new URL(`../../${edit.file}`, import.meta.url));
  const { code } = compiled(edited(readFileSync(file, 'utf8'), edit), file);
  register('./hook.mjs', import.meta.url, { data: { target: pathToFileURL(file).href, code } });
}
