/**
 * `npm run bench -- storm [--original CHECKOUT] [--seconds N] [--runs N] [--hosts N] [--pages N] [--json]`
 *
 * Pages a minute that a client with the shape of a StormCrawler topology (lab/urlfrontier/spout-client.ts) fetches with
 * our server, and its failures; in turns, the same with URLFrontier's own server on RocksDB, built from a checkout of
 * crawler-commons/url-frontier. Each run has an empty folder; minimum, median and maximum of runs.
 */
import { parseArgs } from 'node:util';
import { CrawlstreamError } from '../../../topology/errors.ts';
import { startServed } from '../../urlfrontier/served.ts';
import { crawlAsStorm, type SpoutFigures } from '../../urlfrontier/spout-client.ts';
import { buildUpstream, startUpstream } from '../../urlfrontier/upstream.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';

interface Row {
  readonly server: string;
  readonly pagesMin: number;
  readonly pagesMedian: number;
  readonly pagesMax: number;
  /** Over all runs together. */
  readonly failed: number;
  readonly errors: number;
  readonly twice: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const { original, seconds, runs, web, json } = optionsOf(args);
  const upstream = original === undefined ? undefined : await buildUpstream(original);
  const figures = new Map<string, SpoutFigures[]>();
  for (let turn = 0; turn < runs; turn++) {
    const servers = [{ name: 'crawlstream', start: (folder: string) => startServed(folder) }];
    if (upstream !== undefined)
      servers.push({ name: `URLFrontier ${upstream.version}`, start: (folder) => startUpstream(upstream, folder) });
    // Each goes first in turn, so that a machine that slows down affects both alike.
    if (turn % 2 === 1) servers.reverse();
    for (const { name, start } of servers) {
      const one = await inTemporaryFolder(async (folder) => {
        const server = await start(folder);
        try {
          return await crawlAsStorm(server.port, web, 1_000 * seconds);
        } finally {
          await server.stop();
        }
      });
      process.stdout.write(`${name}: ${JSON.stringify(one)}\n`);
      figures.set(name, [...(figures.get(name) ?? []), one]);
    }
  }
  const rows = [...figures].map(([server, all]) => rowOf(server, all, seconds));
  console.table(rows);
  if (json) process.stdout.write(`${JSON.stringify({ name: 'storm', seconds, runs, ...web, rows })}\n`);
}

function rowOf(server: string, all: readonly SpoutFigures[], seconds: number): Row {
  const pages = all.map(({ pages }) => Math.round((60 * pages) / seconds)).sort((a, b) => a - b);
  const sum = (of: (one: SpoutFigures) => number) => all.reduce((total, one) => total + of(one), 0);
  return {
    server,
    pagesMin: pages[0]!,
    pagesMedian: pages[pages.length >> 1]!,
    pagesMax: pages.at(-1)!,
    failed: sum(({ failed }) => failed),
    errors: sum(({ errors }) => errors),
    twice: sum(({ twice }) => twice),
  };
}

function optionsOf(args: readonly string[]) {
  const option = { type: 'string' } as const;
  const options = { original: option, seconds: option, runs: option, hosts: option, pages: option } as const;
  const { values } = parseArgs({ args: [...args], options: { ...options, json: { type: 'boolean' } } });
  const count = (name: 'seconds' | 'runs' | 'hosts' | 'pages', byDefault: number) => {
    const number = Number(values[name] ?? byDefault);
    if (Number.isSafeInteger(number) && number > 0) return number;
    throw new CrawlstreamError('INVALID_ARGUMENT', `--${name} ${values[name]}: give a whole number above 0`);
  };
  return {
    original: values.original,
    seconds: count('seconds', 60),
    runs: count('runs', 3),
    web: { hosts: count('hosts', 40), pagesPerHost: count('pages', 500) },
    json: values.json === true,
  };
}
