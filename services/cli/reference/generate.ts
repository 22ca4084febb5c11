/**
 * Writes what is made from sources: schemas/*.ts, and the pages of commands and settings in deploy/.
 *
 *   npm run generate               writes them
 *   npm run generate -- --check    fails, by name, where one differs
 */
import '../../../schemas/generate.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from '../config/describe-settings.ts';
import { sizingPage } from '../plan/sizing-page.ts';
import { createProgram } from '../program.ts';
import { commandsPage } from './commands-page.ts';

const program = createProgram();
const pages = {
  'CONFIGURATION.md': configurationPage(program),
  'COMMANDS.md': commandsPage(program),
  'SIZING.md': sizingPage(),
};
for (const [name, text] of Object.entries(pages)) {
  const target = new URL(`../../../deploy/${name}`, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(target, text);
  else if (textOf(target) !== text) {
    process.stderr.write(`deploy/${name} differs from its sources: run npm run generate and commit the result\n`);
    process.exitCode = 1;
  }
}

function textOf(file: URL): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
