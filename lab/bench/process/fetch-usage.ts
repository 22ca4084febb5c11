/**
 * Loaded into the measured process, and into those that it starts. At its exit each reports its resource use on file
 * descriptor 3, and in a file of `CRAWLSTREAM_BENCH_USAGE_FOLDER` if that is given.
 */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMillis: number;
  readonly peakRssBytes: number;
}

if (process.env['CRAWLSTREAM_BENCH_USAGE'] === '1') {
  // An error at the end, when nobody listens any more, must not lose the figures.
  process.on('SIGINT', () => {});
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: Usage = { cpuMillis: (userCPUTime + systemCPUTime) / 1000, peakRssBytes: maxRSS * 1024 };
    const folder = process.env['CRAWLSTREAM_BENCH_USAGE_FOLDER'];
    if (folder !== undefined) writeFileSync(join(folder, `${process.pid}`), JSON.stringify(usage));
    // A fetch worker has no such descriptor.
    if (!/(?:fetch|consumer)-worker/.test(process.argv[1] ?? '')) writeSync(3, JSON.stringify(usage));
  });
}
