/**
 * Benches of a kept partition: a folder of log and state that an earlier bench kept (`--data`) or that is made first,
 * with every URL new and queued. Each run is measured in a separate process, and gets an empty folder to write into.
 */
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { type BenchDefaults, type BenchOptions, benchOptions } from '../bench-options.ts';
import { neverHere, onOneCore } from '../process/one-core.ts';
import { inTemporaryFolder } from '../process/temporary-folder.ts';
import type { Ingest } from './ingest.ts';
import { seenConfig } from './seen-memory.ts';

export interface KeptBench<T> {
  readonly name: string;
  readonly defaults: BenchDefaults;
  readonly measure: (data: string, into: string, seen: SeenConfig) => Promise<T>;
  /** Runs are sorted by it, to select the median. */
  readonly secondsOf: (one: T) => number;
}

export async function runOnKept<T extends object>(args: readonly string[], bench: KeptBench<T>): Promise<void> {
  const options = benchOptions(args, bench.defaults);
  if (options.data !== undefined) return measureAll(options.data, options, bench);
  await inTemporaryFolder(async (data) => {
    const making = ['--urls', `${options.urls}`, '--hosts', `${options.hosts}`, '--duplicates', '0', '--data', data];
    await onOneCore<Ingest>('frontier', making, neverHere);
    await measureAll(data, options, bench);
  });
}

async function measureAll<T extends object>(data: string, options: BenchOptions, bench: KeptBench<T>): Promise<void> {
  const { name, measure, secondsOf } = bench;
  const all: T[] = [];
  while (all.length < options.runs) {
    const one = await onOneCore(name, ['--data', data, ...seenArguments(options)], () =>
      inTemporaryFolder((into) => measure(data, into, seenConfig(options))),
    );
    if (one === undefined) return;
    all.push(one);
  }
  console.table(all);
  const middle = all.sort((a, b) => secondsOf(a) - secondsOf(b))[all.length >> 1]!;
  if (options.json) process.stdout.write(`${JSON.stringify({ name, ...middle, runs: options.runs })}\n`);
}

/** Arguments for another bench's process, with the same seen test. */
export function seenArguments({ urls, seen, memoryBytes, given }: BenchOptions): string[] {
  const memory = given.has('memory') ? ['--memory', `${memoryBytes / 2 ** 20}`] : [];
  return ['--urls', `${urls}`, '--seen', seen, ...memory];
}
