/** Writes `installed.ts`, the list of extras: one for each folder here that has an `extension.ts`. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';

const here = new URL('./', import.meta.url);

export function listOfExtras(): string {
  const names = readdirSync(here)
    .filter((name) => existsSync(new URL(`${name}/extension.ts`, here)))
    .sort();
  const quoted = (name: string) => `'./${name}/extension.ts'`;
  const variable = (name: string) => `${name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())}Extra`;
  const imports = names.map((name) => `import { extension as ${variable(name)} } from ${quoted(name)};\n`);
  const type = "import type { Extension } from '../application/extension/extension.ts';\n";
  const lines = names.map((name) => `  ${variable(name)},\n`);
  const list = `\nexport const installed: readonly Extension[] = [\n${lines.join('')}];\n`;
  return `/** Made by \`npm run generate\` from the folders beside it. */\n${type}${imports.join('')}${list}`;
}

const target = new URL('installed.ts', here);
const isThere = existsSync(target) && readFileSync(target, 'utf8') === listOfExtras();
if (!isThere && process.argv.includes('--check')) {
  process.stderr.write('services/extras/installed.ts differs from its folders: run npm run generate\n');
  process.exitCode = 1;
} else if (!isThere) writeFileSync(target, listOfExtras());
