/**
 * `npm run bench -- NAME …`: runs one benchmark by its name.
 *
 * A benchmark is a file below this folder, in the folder of its subject, that exports `run(args)`. It prints for
 * people; with --json its last line is one JSON object, for programs.
 */
import { CrawlstreamError } from '../../topology/errors.ts';
import { benchModule, benchNames } from './bench-names.ts';
import { goals } from './goals.ts';
import { isOnOneCore } from './process/one-core.ts';

interface Bench {
  readonly run: (args: readonly string[]) => Promise<void>;
}

const [name = '', ...args] = process.argv.slice(2);
const bench = await load(name);
if (bench === undefined) {
  const out = name === '' ? process.stdout : process.stderr;
  out.write(`bench NAME [options]; NAME is one of ${benchNames().join(', ')}\n`);
  process.exitCode = name === '' ? 0 : 2;
} else {
  try {
    await bench.run(args);
    const goal = goals.get(name);
    // Printed beside the figures, which programs may read from the output.
    if (goal !== undefined && !isOnOneCore) process.stderr.write(`${goal}\n`);
  } catch (error) {
    if (!(error instanceof CrawlstreamError)) throw error;
    process.stderr.write(`bench ${name}: ${error.message}\n`);
    process.exitCode = 1;
  }
}

async function load(wanted: string): Promise<Bench | undefined> {
  const module = benchModule(wanted);
  return module === undefined ? undefined : ((await import(module)) as Bench);
}
