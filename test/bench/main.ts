/**
 * `npm run bench -- NAME …`: runs one benchmark by its name.
 *
 * A benchmark is a file of this folder that exports `run(args)`. What it prints is for people; with --json its last line
 * is one JSON object, for whoever keeps the numbers.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

interface Bench {
  readonly run: (args: readonly string[]) => Promise<void>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const [name = '', ...args] = process.argv.slice(2);
const bench = await load(name);
if (bench === undefined) {
  process.stderr.write(`npm run bench -- NAME [options]; NAME is one of ${(await names()).join(', ')}\n`);
  process.exitCode = 2;
} else {
  await bench.run(args);
}

async function load(wanted: string): Promise<Bench | undefined> {
  if (!/^[a-z][a-z-]*$/.test(wanted) || wanted === 'main' || !files().includes(wanted)) return undefined;
  const module = (await import(new URL(`./${wanted}.ts`, import.meta.url).href)) as Partial<Bench>;
  return module.run === undefined ? undefined : { run: module.run };
}

function files(): string[] {
  return readdirSync(folder).flatMap((file) => /^([a-z-]+)\.ts$/.exec(file)?.[1] ?? []);
}

async function names(): Promise<string[]> {
  const found: string[] = [];
  for (const file of files()) if ((await load(file)) !== undefined) found.push(file);
  return found.sort();
}
