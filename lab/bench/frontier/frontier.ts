/**
 * `npm run bench -- frontier [--urls N] [--hosts N] [--duplicates R] [--seen exact|drum|bloom] [--memory MB] [--runs N]
 * [--no-stages] [--profile FOLDER] [--data FOLDER] [--json]`
 *
 * Ingest on one core: links are offered to a partition's owner as `crawl` runs it. Each link is normalised, filtered,
 * tested and queued, each commit is durable in the embedded log, and at the end the checkpoint is on disk with its
 * position. The figures are those of the median run. One shorter run under the CPU profiler shows where the time goes;
 * its shares are put on the unprofiled cost. `--data` keeps the folder of the run, for `restart`.
 */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { type BenchOptions, benchOptions } from '../bench-options.ts';
import { canPin, neverHere, onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import { showStages } from './frontier-stages.ts';
import { type Ingest, ingest } from './ingest.ts';
import { seenConfig } from './seen-memory.ts';

const profiledUrlsMax = 2_000_000;

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 5_000_000, hosts: 100_000 });
  const config = seenConfig(options);
  const runs: Ingest[] = [];
  while (runs.length < options.runs) {
    const one = await onOneCore('frontier', args, () => measure(options, config));
    if (one === undefined) return;
    process.stdout.write(`${summaryOf(one)}\n`);
    runs.push(one);
  }
  runs.sort((a, b) => a.wallMs - b.wallMs);
  const middle = runs[runs.length >> 1]!;
  showMillions(middle);
  const stages = options.stages ? await stagesOf(args, options, middle) : {};
  if (options.json) process.stdout.write(`${JSON.stringify({ ...figuresOf(options, middle), stages })}\n`);
}

async function measure(options: BenchOptions, config: SeenConfig): Promise<Ingest> {
  if (options.data !== undefined) return ingest({ ...options, config, folder: options.data });
  return inTemporaryFolder((folder) => ingest({ ...options, config, folder }));
}

/** A profiled run does not write to `--data`: a folder is filled once. */
async function stagesOf(args: readonly string[], options: BenchOptions, one: Ingest): Promise<Record<string, number>> {
  return inTemporaryFolder((data) => {
    const shorter = ['--urls', `${Math.min(options.urls, profiledUrlsMax)}`, '--data', data];
    return showStages(options.profile, micros(one.cpuMs, one.urls), (folder) =>
      onOneCore<Ingest>('frontier', [...args, ...shorter, '--profile', folder], neverHere),
    );
  });
}

function figuresOf({ hosts, duplicates, seen, runs }: BenchOptions, one: Ingest) {
  const [first, last] = [one.millions[0]!, one.millions.at(-1)!];
  return {
    name: 'frontier',
    urls: one.urls,
    hosts,
    duplicates,
    seen,
    urlsPerSecond: rate(one),
    urlsPerCpuSecond: Math.round((1000 * one.urls) / one.cpuMs),
    cpuMicrosPerUrl: micros(one.cpuMs, one.urls),
    rssBytes: one.rssBytes,
    diskBytesPerQueuedUrl: one.queued === 0 ? null : round(one.stateBytes / one.queued),
    worstPauseMs: round(one.worstTurnMs),
    firstMillionPerSecond: rate(first),
    lastMillionPerSecond: rate(last),
    queued: one.queued,
    runs,
    pinned: canPin,
  };
}

export function showMillions(one: Ingest): void {
  console.table(
    one.millions.map((stretch) => ({
      URLs: stretch.urls,
      'URLs/s': rate(stretch),
      'µs CPU/URL': micros(stretch.cpuMs, stretch.urls),
      'worst pause ms': round(stretch.worstTurnMs),
      'RSS MB': Math.round(stretch.rssBytes / 1e6),
    })),
  );
}

function summaryOf(one: Ingest): string {
  const perUrl = `${micros(one.cpuMs, one.urls)} µs of CPU a URL`;
  const disk = `${round(one.stateBytes / Math.max(1, one.queued))} B of state on disk per queued URL`;
  return `${one.urls} URLs, ${one.queued} queued: ${rate(one)} URLs/s, ${perUrl}, ${disk}`;
}

function rate({ urls, wallMs }: { readonly urls: number; readonly wallMs: number }): number {
  return Math.round((1000 * urls) / wallMs);
}

function micros(cpuMs: number, urls: number): number {
  return Number(((1000 * cpuMs) / urls).toFixed(3));
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
