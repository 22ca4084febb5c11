/**
 * `npm run bench -- restore [--urls N] [--hosts N] [--runs N] [--data FOLDER] [--json]`
 *
 * How long a partition whose state is lost takes to be built anew from its changelog, view on disk included, in a new
 * process whose start is not counted. Every URL is new and queued. Without `--data` (a folder that `frontier --data`
 * left) the changelog is made first.
 */
import { join } from 'node:path';
import { rebuild } from '../../services/frontier/rebuild.ts';
import { changelogTopic } from '../../services/frontier/restore.ts';
import { SystemClock } from '../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../services/runtime/log/embedded-log.ts';
import { openRocksdbStore } from '../../services/runtime/store/rocksdb-store.ts';
import { benchOptions } from './bench-options.ts';
import { benchCrawl, benchKey } from './bench-partition.ts';
import type { Ingest } from './ingest.ts';
import { neverHere, onOneCore } from './one-core.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

interface Restored {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly urls: number;
  readonly records: number;
  readonly urlsPerSecond: number;
  readonly recordsPerSecond: number;
  readonly rssBytes: number;
}

export async function run(args: readonly string[]): Promise<void> {
  const options = benchOptions(args, { urls: 10_000_000, hosts: 100_000 });
  if (options.data !== undefined) return measureAll(options.data, options);
  await inTemporaryFolder(async (folder) => {
    const making = ['--urls', `${options.urls}`, '--hosts', `${options.hosts}`, '--duplicates', '0', '--data', folder];
    await onOneCore<Ingest>('frontier', making, neverHere);
    await measureAll(folder, options);
  });
}

async function measureAll(data: string, { runs, json }: { readonly runs: number; readonly json: boolean }) {
  const all: Restored[] = [];
  while (all.length < runs) {
    const one = await onOneCore('restore', ['--data', data], () => inTemporaryFolder((into) => measure(data, into)));
    if (one === undefined) return;
    all.push(one);
  }
  console.table(all);
  const middle = all.sort((a, b) => a.seconds - b.seconds)[all.length >> 1]!;
  if (json) process.stdout.write(`${JSON.stringify({ name: 'restore', ...middle, runs })}\n`);
}

async function measure(data: string, into: string): Promise<Restored> {
  const clock = new SystemClock();
  const logStore = await openRocksdbStore(join(data, 'log'));
  const log = await openEmbeddedLog(logStore, clock);
  const store = await openRocksdbStore(into);
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  const identity = { crawl: benchCrawl, partition: 0, partitions: 1 };
  const { counters } = await rebuild({ log, identity, key: benchKey, store, clock });
  const seconds = (performance.now() - beganMs) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const { end: records } = await log.offsets(changelogTopic(benchCrawl), 0);
  await log.close();
  await Promise.all([logStore.close(), store.close()]);
  return {
    seconds: Number(seconds.toFixed(2)),
    cpuSeconds: Number(((user + system) / 1e6).toFixed(2)),
    urls: counters.admitted,
    records,
    urlsPerSecond: Math.round(counters.admitted / seconds),
    recordsPerSecond: Math.round(records / seconds),
    rssBytes: process.resourceUsage().maxRSS * 1024,
  };
}
