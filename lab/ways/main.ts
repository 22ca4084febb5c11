/**
 * `npm run ways -- [--only TEXT] [--ways LIST] [--port N] [--verbose] [--curl]`
 *
 * Crawls every situation of a fetch over every way (HTTP/1.1 and HTTP/2, without and through proxies, on new and on
 * kept connections) by the built command, and compares each outcome with the table in lab/ways/situations/. `--only`:
 * situations with TEXT in their name. `--ways`: labels, comma-separated. `--curl`: curl makes the requests instead of
 * the crawler. Exit code 1: an outcome differs.
 */
import { parseArgs } from 'node:util';
import { compareWithCurl } from './compare-curl.ts';
import { runWays } from './run.ts';
import { situations } from './situations/table.ts';
import { columns } from './ways.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    ways: { type: 'string' },
    port: { type: 'string', default: '22000' },
    verbose: { type: 'boolean', default: false },
    curl: { type: 'boolean', default: false },
  },
});
const wanted = values.ways?.split(',');
const chosen = situations.filter(({ group, name }) => `${group}: ${name}`.includes(values.only));
const over = columns.filter(({ way }) => wanted === undefined || wanted.includes(way.label));
const port = Number(values.port);
process.exitCode = await (values.curl ? runCurl() : runCrawler());

async function runCrawler(): Promise<number> {
  const { cases, mismatches } = await runWays({
    ...{ situations: chosen, columns: over, port },
    program: new URL('../../dist/bundle/crawlstream.js', import.meta.url).pathname,
    ...(values.verbose && { note: (text: string) => process.stderr.write(`${text}\n`) }),
  });
  printGroups(
    mismatches,
    ({ situation, expects, found }) => `${situation}\n  expected ${expects}\n  found    ${found}`,
  );
  process.stdout.write(`${cases} cases, ${mismatches.length} differ from the table\n`);
  return mismatches.length === 0 ? 0 : 1;
}

async function runCurl(): Promise<number> {
  const { cases, differing, mismatches } = await compareWithCurl(chosen, over, port);
  printGroups(
    mismatches,
    ({ situation, ours, expects, found }) =>
      `${situation}\n  crawler  ${ours}\n  expected ${expects}\n  found    ${found}`,
  );
  process.stdout.write(
    `${cases} cases, curl differs from the crawler in ${differing}, and from the table in ${mismatches.length}\n`,
  );
  return mismatches.length === 0 ? 0 : 1;
}

function printGroups<One extends { readonly column: string }>(all: readonly One[], textOf: (one: One) => string): void {
  const groups = new Map<string, string[]>();
  for (const one of all) groups.set(textOf(one), [...(groups.get(textOf(one)) ?? []), one.column]);
  for (const [text, where] of groups) process.stdout.write(`${text}\n           ${where.join(' ')}\n`);
}
