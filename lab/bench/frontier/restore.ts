/**
 * `npm run bench -- restore [--urls N] [--hosts N] [--seen exact|drum] [--memory MB] [--runs N] [--data FOLDER]
 * [--json]`
 *
 * How long it takes to rebuild a partition with a lost state from its changelog, checkpoint on disk included, in a new
 * process; the start of the process is not counted. Every URL is new and queued. Without `--data` (a folder that
 * `frontier --data` kept) the changelog is made first.
 */
import { join } from 'node:path';
import { rebuild } from '../../../services/frontier/open/rebuild.ts';
import { changelogTopic } from '../../../services/frontier/restore/restore.ts';
import { SystemClock } from '../../../services/runtime/clock.ts';
import { openEmbeddedLog } from '../../../services/runtime/log/embedded-log.ts';
import { openStateStore } from '../../../services/runtime/store/open-store.ts';
import type { SeenConfig } from '../../../topology/frontier/seen/seen-config.ts';
import { costOf, peakRssBytes } from '../process/process-cost.ts';
import { benchCrawl, benchKey, logFolder } from './bench-partition.ts';
import { runOnKept } from './kept-partition.ts';

interface Restored {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly urls: number;
  readonly records: number;
  readonly urlsPerSecond: number;
  readonly recordsPerSecond: number;
  readonly rssBytes: number;
}

export function run(args: readonly string[]): Promise<void> {
  return runOnKept(args, {
    name: 'restore',
    defaults: { urls: 10_000_000, hosts: 100_000 },
    measure,
    secondsOf: ({ seconds }) => seconds,
  });
}

async function measure(data: string, into: string, seen: SeenConfig): Promise<Restored> {
  const clock = new SystemClock();
  const logStore = await openStateStore(logFolder(data));
  const log = await openEmbeddedLog(logStore, clock);
  const store = await openStateStore(join(into, 'state'));
  const identity = { crawl: benchCrawl, partition: 0, partitions: 1 };
  const { value, seconds, cpuSeconds } = await costOf(() =>
    rebuild({ log, identity, key: benchKey, seen, store, clock }),
  );
  const { admitted } = value.counters;
  const { end: records } = await log.offsets(changelogTopic(benchCrawl), 0);
  await log.close();
  await Promise.all([logStore.close(), store.close()]);
  return {
    seconds,
    cpuSeconds,
    urls: admitted,
    records,
    urlsPerSecond: Math.round(admitted / seconds),
    recordsPerSecond: Math.round(records / seconds),
    rssBytes: peakRssBytes(),
  };
}
