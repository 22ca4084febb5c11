/**
 * `npm run bench -- from-cc [--urls N] [--hosts N] [--json]`
 *
 * How fast `load --from-cc` loads a table in the columns of Common Crawl's index, from start to end: first all rows as
 * known URLs; then with a schedule, in halves, which show whether the load slows down as its state grows. For each, the
 * time that 100 million rows would take at that rate.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parquetFile } from '../../../services/runtime/table/parquet-writer.ts';
import { lastJson, startCommand } from '../../process/command.ts';
import { benchOptions } from '../bench-options.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';

interface Loaded {
  readonly rows: number;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  /**
   * CPU time of the process, start included; undefined if the system does not report it. The same holds for the next
   * field.
   */
  readonly cpuSeconds: number | undefined;
  /** Highest resident memory of the process. */
  readonly rssBytes: number | undefined;
  readonly stateBytes: number;
}

const rowsAimed = 100_000_000;
const names = { known: 'known', firstHalf: 'with a schedule, the first half', secondHalf: 'the second half' } as const;
/** A load that takes longer is stuck. */
const patienceMs = 6 * 3_600_000;

export async function run(args: readonly string[]): Promise<void> {
  const { urls, hosts, json } = benchOptions(args, { urls: 1_000_000, hosts: 50_000 });
  const figures = await inTemporaryFolder(async (folder) => {
    const halves = [join(folder, 'a.parquet'), join(folder, 'b.parquet')] as const;
    await writeTable(halves[0], 0, Math.ceil(urls / 2), urls, hosts);
    await writeTable(halves[1], Math.ceil(urls / 2), urls, urls, hosts);
    const known = await load(folder, 'known', halves, []);
    const schedule = ['--recrawl', 'optimal'];
    const firstHalf = await load(folder, 'scheduled', halves.slice(0, 1), schedule);
    const secondHalf = await load(folder, 'scheduled', halves.slice(1), schedule);
    return { known, firstHalf, secondHalf };
  });
  for (const [name, { rows, seconds, cpuSeconds, rssBytes, stateBytes }] of Object.entries(figures)) {
    const hours = (whole: number) => `${((whole / rows) * (rowsAimed / 3_600)).toFixed(1)} h`;
    const rate = Math.round(rows / seconds).toLocaleString('en-US');
    const ofProcessor = cpuSeconds === undefined ? '' : `, ${hours(cpuSeconds)} of them of a processor`;
    const memory = rssBytes === undefined ? '' : `, ${Math.round(rssBytes / 2 ** 20)} MiB of memory`;
    process.stdout.write(
      `${names[name as keyof typeof names]}: ${rows.toLocaleString('en-US')} rows in ${seconds.toFixed(1)} s, ${rate} a second${memory}, ` +
        `${Math.round(stateBytes / 2 ** 20)} MiB on disk; 100 million would take ${hours(seconds)}${ofProcessor}\n`,
    );
  }
  if (json) process.stdout.write(`${JSON.stringify({ urls, hosts, ...figures })}\n`);
}

/** Sorted by host, as Common Crawl's index is. */
async function writeTable(file: string, from: number, to: number, urls: number, hosts: number): Promise<void> {
  const out = parquetFile(file, [
    { name: 'url', type: 'string' },
    { name: 'fetch_time', type: 'timestamp' },
    { name: 'fetch_status', type: 'int32' },
    { name: 'content_digest', type: 'string' },
  ]);
  for (let n = from; n < to; n++) {
    const host = Math.floor((n * hosts) / urls);
    const url = `https://www.site-${host}.example/section-${n % 17}/page-of-some-length-${n}.html`;
    const digest = n.toString(32).toUpperCase().padStart(32, 'A');
    await out.write([url, Date.UTC(2026, 0, 1) + n * 10, n % 20 === 0 ? 404 : 200, digest]);
  }
  await out.end();
}

async function load(folder: string, name: string, tables: readonly string[], more: readonly string[]): Promise<Loaded> {
  const data = join(folder, name);
  const beganMs = performance.now();
  const running = startCommand(['load', '--from-cc', ...tables, ...more, '--data', data, '--json'], { patienceMs });
  let used: Used | undefined;
  const watch = setInterval(() => (used = usedBy(running.child.pid) ?? used), 50);
  const ended = await running.ended;
  clearInterval(watch);
  const seconds = (performance.now() - beganMs) / 1_000;
  if (ended.code !== 0) throw new Error(ended.stderr);
  const rows = lastJson(ended)['known'] as number;
  const { cpuSeconds, rssBytes } = used ?? {};
  return { rows, seconds, rowsPerSecond: rows / seconds, cpuSeconds, rssBytes, stateBytes: bytesBelow(data) };
}

/** Bytes of log and state. */
function bytesBelow(folder: string): number {
  const names = readdirSync(folder, { recursive: true }) as string[];
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

interface Used {
  readonly cpuSeconds: number;
  readonly rssBytes: number;
}

/** Ticks of proc(5), the unit in which Linux reports CPU time. */
const ticksPerSecond = 100;

/** Undefined if the system does not report it. */
function usedBy(pid: number | undefined): Used | undefined {
  try {
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    // The fields after the name, which may contain blanks: fields 3 to 13, then user and system time.
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .slice(11, 13);
    if (peak === undefined) return undefined;
    return { cpuSeconds: (Number(user) + Number(system)) / ticksPerSecond, rssBytes: Number(peak) * 1_024 };
  } catch {
    return undefined;
  }
}
