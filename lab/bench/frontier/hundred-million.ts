/**
 * `npm run bench -- hundred-million [--urls N] [--hosts N] [--duplicates R] [--seen exact|drum] [--memory MB] [--hours
 * H] [--disk GB] [--data FOLDER] [--json]`
 *
 * One partition on one core until it knows a hundred million URLs on a million hosts; half of the links that it is
 * offered are known already. Prints a line of JSON for every million, and for each later step. Then its folder is
 * opened again, and must contain the known URLs; a snapshot is taken, and the partition is restored from the snapshot
 * and from its changelog.
 *
 * The run ends early, and says so, after `--hours` (2) or at `--disk` (30 GB). With `--data` its folder stays, and the
 * next run with the same options continues. With `--seen drum` the bench fails if the whole process ever used more
 * memory than the seen test's (`--memory`, 256 MB) plus `restMemoryBytes`.
 */
import { type BenchOptions, benchOptions } from '../bench-options.ts';
import { folderBytes } from '../process/folder-bytes.ts';
import { neverHere, onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { logFolder, stateFolder } from './bench-partition.ts';
import { type Growth, grow, type Stretch } from './growth.ts';
import { seenArguments } from './kept-partition.ts';
import type { Restart } from './restart.ts';
import { seenConfig } from './seen-memory.ts';
import type { Snapshotted } from './snapshot.ts';

const defaults = { urls: 100_000_000, hosts: 1_000_000, duplicates: 0.5 };
/**
 * Memory beside the seen test: Node and its young generation (200 MB), memtables and block caches of two stores (320
 * MB), the log's tail (64 MB), hosts at 64 B and their keys (100 MB), queues on their way to disk, and garbage that is
 * not collected yet.
 */
const restMemoryBytes = 1024 * 2 ** 20;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, defaults);
  if (options.data !== undefined) return measure(options.data, args, options);
  await inTemporaryFolder((folder) => measure(folder, args, options));
}

async function measure(folder: string, args: readonly string[], options: BenchOptions): Promise<void> {
  const { urls, hosts, duplicates, seen, hours, diskBytes, memoryBytes, json } = options;
  const growth = await onOneCore<Growth>('hundred-million', [...args, '--data', folder], () =>
    grow({
      ...{ folder, urls, hosts, duplicates, seen: seenConfig(options) },
      wallMsMax: hours * 3_600_000,
      diskBytesMax: diskBytes,
      onStretch: (stretch) => say('stretch', { seen, ...stretch }),
    }),
  );
  if (growth === undefined) return;
  const [stateBytes, logBytes] = [await folderBytes(stateFolder(folder)), await folderBytes(logFolder(folder))];
  say('grown', { seen, endedBy: growth.endedBy, known: growth.known, cpuSeconds: growth.cpuSeconds });
  const same = ['--data', folder, ...seenArguments(options)];
  const restart = (await onOneCore<Restart>('restart', same, neverHere))!;
  say('restart', restart);
  const snapshot = (await onOneCore<Snapshotted>('snapshot', same, neverHere))!;
  const { stretches, ...whole } = growth;
  const figures = {
    name: 'hundred-million',
    ...{ urls, hosts, duplicates, seen },
    ...whole,
    urlsPerSecond: Math.round(growth.links / growth.seconds),
    cpuMicrosPerUrl: Number(((1e6 * growth.cpuSeconds) / growth.links).toFixed(3)),
    ...costs(stretches),
    worstPauseMs: Math.max(...stretches.map((one) => one.worstPauseMs)),
    stateBytes,
    logBytes,
    restart,
    snapshot,
  };
  const { restart: _, snapshot: __, ...flat } = figures;
  console.table(flat);
  console.table({ restart, snapshot });
  if (json) process.stdout.write(`${JSON.stringify(figures)}\n`);
  if (restart.known !== growth.known)
    fail(`${growth.known} URLs were admitted, ${restart.known} are known after a restart`);
  const budgetBytes = memoryBytes + restMemoryBytes;
  if (seen === 'drum' && growth.rssBytes > budgetBytes)
    fail(`it uses ${growth.rssBytes} bytes, more than its ${budgetBytes}`);
}

/**
 * Cost of a link: over the first million URLs, over the last tenth, and the highest. Together they show the cost of
 * growth.
 */
function costs(stretches: readonly Stretch[]) {
  const ofTenth = stretches.slice(-Math.ceil(stretches.length / 10));
  const links = ofTenth.reduce((sum, one) => sum + one.links, 0);
  const micros = ofTenth.reduce((sum, one) => sum + one.links * one.cpuMicrosPerLink, 0);
  const first = stretches[0]?.cpuMicrosPerLink ?? Number.NaN;
  const lastTenth = Number((micros / links).toFixed(3));
  return {
    cpuMicrosFirstMillion: first,
    cpuMicrosLastTenth: lastTenth,
    cpuMicrosDearestMillion: Math.max(...stretches.map((one) => one.cpuMicrosPerLink)),
    lastOverFirst: Number((lastTenth / first).toFixed(2)),
  };
}

/** Keeps the results so far if a later step fails. */
function say(name: string, figures: object): void {
  process.stdout.write(`${JSON.stringify({ name, ...figures })}\n`);
}

function fail(message: string): void {
  process.stderr.write(`hundred-million: ${message}\n`);
  process.exitCode = 1;
}
