/**
 * `npm run bench -- NAME …`: runs one benchmark by its name.
 *
 * A benchmark is a file of this folder that exports `run(args)`. What it prints is for people; with --json its last line
 * is one JSON object, for whoever keeps the numbers.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import { benchNames } from './bench-names.ts';

interface Bench {
  readonly run: (args: readonly string[]) => Promise<void>;
}

/** Compiled or not, this file runs with others of its kind. */
const extension = import.meta.url.slice(-2);
const [name = '', ...args] = process.argv.slice(2);
const bench = await load(name);
if (bench === undefined) {
  const out = name === '' ? process.stdout : process.stderr;
  out.write(`bench NAME [options]; NAME is one of ${benchNames().join(', ')}\n`);
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
  if (!benchNames().includes(wanted)) return undefined;
  return (await import(new URL(`./${wanted}.${extension}`, import.meta.url).href)) as Bench;
}
