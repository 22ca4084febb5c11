/**
 * `npm run ways -- [--only TEXT] [--ways LIST] [--port N] [--verbose]`
 *
 * Crawls every situation of a fetch over every way (HTTP/1.1 and HTTP/2, without and through proxies, on new and on kept
 * connections) by the built command, and compares each outcome with the table in lab/ways/situations/. `--only`: situations
 * whose name holds TEXT. `--ways`: labels, comma-separated. Exit code 1: an outcome differs.
 */
import { parseArgs } from 'node:util';
import { runWays } from './run.ts';
import { situations } from './situations/table.ts';
import { columns } from './ways.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    ways: { type: 'string' },
    port: { type: 'string', default: '22000' },
    verbose: { type: 'boolean', default: false },
  },
});
const wanted = values.ways?.split(',');
const { cases, mismatches } = await runWays({
  situations: situations.filter(({ group, name }) => `${group}: ${name}`.includes(values.only)),
  columns: columns.filter(({ way }) => wanted === undefined || wanted.includes(way.label)),
  port: Number(values.port),
  program: new URL('../../dist/bundle/crawlstream.js', import.meta.url).pathname,
  ...(values.verbose && { note: (text: string) => process.stderr.write(`${text}\n`) }),
});
const groups = new Map<string, string[]>();
for (const { situation, column, expects, found } of mismatches) {
  const key = `${situation}\n  expected ${expects}\n  found    ${found}`;
  groups.set(key, [...(groups.get(key) ?? []), column]);
}
for (const [key, where] of groups) process.stdout.write(`${key}\n           ${where.join(' ')}\n`);
process.stdout.write(`${cases} cases, ${mismatches.length} differ from the table\n`);
process.exitCode = mismatches.length === 0 ? 0 : 1;
