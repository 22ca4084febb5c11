/** One crawl of all situations over all ways, by the command that users have, and what differs from the table. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, serveWays } from './serve.ts';
import type { PageRow, Seen, Situation, UrlRow } from './situations/situation.ts';
import { type Column, expectedOf } from './ways.ts';

export interface WaysOptions {
  readonly situations: readonly Situation[];
  readonly columns: readonly Column[];
  /** The first of 24 ports. */
  readonly port: number;
  /** The crawler's `crawlstream.js`. */
  readonly program: string;
  readonly note?: (text: string) => void;
}

export interface Mismatch {
  readonly situation: string;
  readonly column: string;
  readonly expects: string;
  readonly found: string;
}

export interface WaysResult {
  readonly cases: number;
  readonly mismatches: readonly Mismatch[];
}

/** What is asked for again has a crawl of its own, and does not disturb the rest. */
export async function runWays(options: WaysOptions): Promise<WaysResult> {
  const results: WaysResult[] = [];
  for (const crawl of ['once', 'retries', 'visits'] as const) {
    const situations = options.situations.filter((one) => (one.crawl ?? 'once') === crawl);
    for (let at = 0; at < options.columns.length && situations.length > 0; at += columnsOf[crawl])
      results.push(
        await runRound({ ...options, situations, columns: options.columns.slice(at, at + columnsOf[crawl]) }, crawl),
      );
  }
  return {
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    mismatches: results.flatMap(({ mismatches }) => mismatches),
  };
}

async function runRound(options: WaysOptions, crawl: keyof typeof flagsOf): Promise<WaysResult> {
  const { situations, columns, port, program, note = () => {} } = options;
  const web = await serveWays(situations, columns, port);
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-ways-'));
  try {
    const [seeds, rules, data] = ['seeds.txt', 'requests.json', 'data'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(seeds, `${web.cases.flatMap(seedsOf).join('\n')}\n`);
    writeFileSync(rules, JSON.stringify(web.rules));
    const resolves = web.resolves.flatMap((value) => ['--resolve', value]);
    const flags = [...crawlFlags, ...flagsOf[crawl], ...resolves, '--ca', web.certificateFile, '--requests', rules];
    const run = async (...args: string[]) => {
      const { stdout, stderr } = await command(program, [...args, '--data', data]);
      note(`${args[0]}\n${stderr}${args[0] === 'crawl' ? stdout : ''}`);
      return stdout;
    };
    await run('crawl', seeds, ...flags);
    const urls = linesOf<UrlRow & { readonly url: string }>(await run('export', 'urls'));
    const pages = linesOf<PageRow & { readonly url: string }>(await run('pages', '--json'));
    return { cases: web.cases.length, mismatches: web.cases.flatMap((one) => mismatchOf(one, urls, pages)) };
  } finally {
    web.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const crawlFlags = [
  ...['--delay', '0', '--address-delay', '0', '--allow-private', '--no-traps', '--outlinks', '--scope', 'host'],
  ...['--max-depth', '2', '--contact', 'ways@example.org', '--first-byte', '6s'],
];
/** Pages are due for a second visit after some seconds. */
/**
 * Columns of one crawl. A process that is busy with more hosts comes to some repeats of a request too late for their leases, and
 * reports the first failure.
 */
const columnsOf = { once: 1, retries: 20, visits: 20 } as const;
const flagsOf = {
  once: ['--retries', 'none', '--max-time', '120s'],
  retries: ['--retries', '100ms', '--max-time', '25s'],
  visits: ['--retries', 'none', '--recrawl', 'fixed', '--recrawl-every', '5s', '--max-time', '35s'],
} as const;

function seedsOf({ origin, situation: { seeds = ['/'] } }: Case): string[] {
  return seeds.map((path) => origin + path);
}

/** Stdout of a crawl that fails some URLs counts as well. */
function command(program: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], { maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      if (error === null || stdout !== '') resolve({ stdout, stderr });
      else reject(new Error(`crawlstream ${args[0]}: ${stderr}`));
    });
  });
}

function linesOf<Row extends { readonly url: string }>(text: string): ReadonlyMap<string, ReadonlyMap<string, Row>> {
  const byOrigin = new Map<string, Map<string, Row>>();
  for (const line of text.split('\n').filter((one) => one.startsWith('{'))) {
    const row = JSON.parse(line) as Row;
    const { origin } = new URL(row.url);
    const rows = byOrigin.get(origin) ?? new Map<string, Row>();
    byOrigin.set(origin, rows.set(row.url.slice(origin.length), row));
  }
  return byOrigin;
}

type Rows<Row> = ReadonlyMap<string, ReadonlyMap<string, Row>>;

function mismatchOf({ situation, column, origin, asked }: Case, urls: Rows<UrlRow>, pages: Rows<PageRow>): Mismatch[] {
  const seen: Seen = { origin, urls: urls.get(origin) ?? new Map(), pages: pages.get(origin) ?? new Map(), asked };
  const [expects, found] = [expectedOf(situation, column), situation.outcomeOf(seen)];
  if (expects === found) return [];
  const label = column.domain.replace(/\.test$/, '');
  return [{ situation: `${situation.group}: ${situation.name}`, column: label, expects, found }];
}
