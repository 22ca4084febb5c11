/**
 * `npm run bench -- NAME …`: runs one benchmark by its name.
 *
 * A benchmark is a file of this folder that exports `run(args)`. What it prints is for people; with --json its last line
 * is one JSON object, for whoever keeps the numbers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CrawlstreamError } from '../../topology/errors.ts';

interface Bench {
  readonly run: (args: readonly string[]) => Promise<void>;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
/** Compiled or not, this file runs with others of its kind. */
const extension = import.meta.url.slice(-2);
const [name = '', ...args] = process.argv.slice(2);
const bench = await load(name);
if (bench === undefined) {
  const out = name === '' ? process.stdout : process.stderr;
  out.write(`bench NAME [options]; NAME is one of ${names().join(', ')}\n`);
  process.exitCode = name === '' ? 0 : 2;
} else {
  try {
    await bench.run(args);
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) throw error;
    process.stderr.write(`bench ${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function load(wanted: string): Promise<Bench | undefined> {
  if (!/^[a-z][a-z-]*$/.test(wanted) || wanted === 'main' || !files().includes(wanted)) return undefined;
  const module = (await import(new URL(`./${wanted}.${extension}`, import.meta.url).href)) as Partial<Bench>;
  return module.run === undefined ? undefined : { run: module.run };
}

function files(): string[] {
  return readdirSync(folder).flatMap((file) => {
    const [name = '', ending] = file.split('.');
    return ending === extension && /^[a-z-]+$/.test(name) ? [name] : [];
  });
}

/** By their text: what all of them load would take seconds. */
function names(): string[] {
  const isBench = (file: string) =>
    /^export (?:async function|const) run\b|^export \{[^}]*\brun\b/m.test(
      readFileSync(`${folder}${file}.${extension}`, 'utf8'),
    );
  return files().filter(isBench).sort();
}
