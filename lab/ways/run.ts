/** One crawl of all situations over all ways, by the command that users have, and the differences from the table. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Case, serveWays } from './serve.ts';
import type { PageRow, Seen, Situation, UrlRow } from './situations/situation.ts';
import { type Column, expectedOf, isIn } from './ways.ts';

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

/** Situations with repeated requests have a separate crawl, and do not disturb the rest. */
export async function runWays(options: WaysOptions): Promise<WaysResult> {
  const results: WaysResult[] = [];
  for (const crawl of ['once', 'retries', 'visits'] as const) {
    const situations = options.situations.filter((one) => (one.crawl ?? 'once') === crawl);
    const columns = options.columns.filter((column) => situations.some((one) => isIn(one, column)));
    for (let at = 0; at < columns.length; at += columnsOf[crawl])
      results.push(
        await runRound({ ...options, situations, columns: columns.slice(at, at + columnsOf[crawl]) }, crawl),
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
    const run = async (name: string, ...args: string[]) => {
      const isOver = () => name === 'crawl' && crawl !== 'once' && isQuiet(web.cases, quietMs[crawl]);
      const { stdout, stderr } = await command(program, [name, ...args, '--data', data], isOver);
      note(`${name}\n${stderr}${name === 'crawl' ? stdout : ''}`);
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
  ...[
    '--max-time',
    '10m',
    '--delay',
    '0',
    '--address-delay',
    '0',
    '--allow-private',
    '--no-traps',
    '--outlinks',
    '--scope',
    'host',
  ],
  ...['--max-depth', '2', '--contact', 'ways@example.org', '--first-byte', '6s'],
  // A lease without time for a repetition reports the first failure. On a slow machine, the usual 16 s are not enough.
  ...['--lease-time', '1h'],
  // Hundreds of handshakes at once take a slow machine longer than a connection may take.
  ...['--concurrency', '24'],
];
/** Columns of one crawl: some hundred hosts. */
const columnsOf = { once: 1, retries: 20, visits: 20 } as const;
const flagsOf = {
  once: ['--retries', 'none'],
  retries: ['--retries', '100ms'],
  visits: ['--retries', 'none', '--recrawl', 'fixed', '--recrawl-every', '5s'],
} as const;
/** A crawl with repeated URLs ends after this time without a first or second request for a path. */
const quietMs = { retries: 15_000, visits: 25_000 } as const;

function isQuiet(cases: readonly Case[], quietMs: number): boolean {
  let newestMs = 0;
  for (const { asked } of cases) {
    const counts = new Map<string, number>();
    for (const { path, atMs } of asked) {
      const count = (counts.get(path) ?? 0) + 1;
      counts.set(path, count);
      if (count <= 2) newestMs = Math.max(newestMs, atMs);
    }
  }
  return newestMs > 0 && Date.now() - newestMs >= quietMs;
}

function seedsOf({ origin, situation: { seeds = ['/'] } }: Case): string[] {
  return seeds.map((path) => origin + path);
}

/**
 * The stdout of a crawl with failed URLs counts as well. `isOver`: asked now and then; true ends the command in good
 * order.
 */
function command(
  program: string,
  args: readonly string[],
  isOver: () => boolean,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, ...args], { maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      clearInterval(timer);
      if (error === null || stdout !== '') resolve({ stdout, stderr });
      else reject(new Error(`crawlstream ${args[0]}: ${stderr}`));
    });
    const timer = setInterval(() => {
      if (!isOver()) return;
      clearInterval(timer);
      child.kill('SIGINT');
    }, 500);
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
