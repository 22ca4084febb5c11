/**
 * Writes what is made from sources: schemas/*.ts, and in deploy/ the pages of commands and settings and the Helm chart.
 *
 *   npm run generate               writes them
 *   npm run generate -- --check    fails, by name, where one differs
 */
import '../../../schemas/generate.ts';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { configurationPage } from '../config/describe-settings.ts';
import { sizingPage } from '../plan/sizing-page.ts';
import { createProgram } from '../program.ts';
import { productVersion } from '../terminal/version.ts';
import { commandsPage } from './commands-page.ts';
import { helmChart } from './helm-chart.ts';

const deploy = new URL('../../../deploy/', import.meta.url);
const program = createProgram();
const chart = helmChart(productVersion, (file) => readFileSync(new URL(file, deploy), 'utf8'));
const pages = {
  'CONFIGURATION.md': configurationPage(program),
  'COMMANDS.md': commandsPage(program),
  'SIZING.md': sizingPage(),
  ...Object.fromEntries(Object.entries(chart).map(([name, text]) => [`helm/crawlstream/${name}`, text])),
};
for (const [name, text] of Object.entries(pages)) {
  const target = new URL(name, deploy);
  if (!process.argv.includes('--check')) {
    mkdirSync(new URL('.', target), { recursive: true });
    writeFileSync(target, text);
  } else if (textOf(target) !== text) {
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
