/**
 * `npm run bench -- starts [--runs N] [--json]`
 *
 * CPU of whole short commands beside that of `node -e 0`, in turns: the version, the help, a crawl of three pages. Minimum,
 * median and maximum, in ms; a shell's `times` counts each command ten times to a hundredth of a second.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { build, projectRoot } from './compiled.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const startsAtOnce = 10;
const command = join(projectRoot, 'dist/bundle/crawlstream.js');

interface Row {
  readonly command: string;
  /** CPU of one start, ms: minimum, median, maximum. */
  readonly cpuMs: readonly number[];
  /** Medians. */
  readonly ofNode: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const options = { runs: { type: 'string', default: '5' }, json: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args: [...args], options });
  build();
  const site = await startSite();
  try {
    const rows = await inTemporaryFolder((folder) => measure(commandsOn(site.url, folder), Number(values.runs)));
    for (const { command, cpuMs, ofNode } of rows) {
      process.stdout.write(`${command.padEnd(16)} ${cpuMs.join(' ')} ms of CPU, ${ofNode} × node -e 0\n`);
    }
    if (values.json) process.stdout.write(`${JSON.stringify({ rows })}\n`);
  } finally {
    site.close();
  }
}

/** Name → words after `node`. Each crawl has a new folder, since a number is appended to its name. */
function commandsOn(url: string, folder: string): ReadonlyMap<string, readonly string[]> {
  const crawl = [command, 'crawl', url, '--allow-private', '--delay', '0', '--contact', 'bench@example.org'];
  return new Map([
    ['node -e 0', ['-e', '0']],
    ['--version', [command, '--version']],
    ['--help', [command, '--help']],
    ['crawl --help', [command, 'crawl', '--help']],
    ['three pages', [...crawl, '--data', join(folder, 'crawl-')]],
  ]);
}

async function measure(commands: ReadonlyMap<string, readonly string[]>, runs: number): Promise<readonly Row[]> {
  const taken = new Map<string, number[]>([...commands.keys()].map((name) => [name, []]));
  for (let turn = 0; turn < runs; turn++) {
    for (const [name, words] of commands) taken.get(name)!.push(await cpuMsOf(words, `${turn}`));
  }
  const sorted = [...taken].map(([name, all]) => [name, all.sort((a, b) => a - b)] as const);
  const nodeMs = middle(sorted[0]![1]);
  return sorted.map(([name, all]) => ({
    command: name,
    cpuMs: [all[0]!, middle(all), all.at(-1)!].map(Math.round),
    ofNode: Number((middle(all) / nodeMs).toFixed(2)),
  }));
}

const middle = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length / 2)]!;

/** The last word ends with the numbers of turn and start where it is a folder. */
async function cpuMsOf(words: readonly string[], turn: string): Promise<number> {
  const last = words.at(-1)!.endsWith('crawl-') ? `"${words.at(-1)}${turn}-$n"` : '';
  const fixed = last === '' ? words : words.slice(0, -1);
  const script = `n=0; while [ $n -lt ${startsAtOnce} ]; do "$@" ${last} >/dev/null 2>&1 || exit 1; n=$((n+1)); done; times`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script, 'sh', process.execPath, ...fixed], {
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  // The second line: user and system time of what the shell started.
  const times = [...stdout.split('\n')[1]!.matchAll(/(\d+)m([\d.]+)s/g)];
  return (
    (times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds), 0) * 1000) / startsAtOnce
  );
}

async function startSite(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer(({ url }, response) => {
    if (url === '/robots.txt') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html');
    return response.end(`<title>${url}</title><p>Some words.</p><a href="/b">b</a><a href="/c">c</a>`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
