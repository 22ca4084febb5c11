/**
 * Loaded into the process that is measured, and into those that it starts: on its way out it says what it used on file
 * descriptor 3, and each of them in a file of `CRAWLSTREAM_BENCH_USAGE_FOLDER` where that is given.
 */
import { writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Usage {
  /** User and system time of all threads. */
  readonly cpuMillis: number;
  readonly peakRssBytes: number;
}

if (process.env['CRAWLSTREAM_BENCH_USAGE'] === '1') {
  // One that comes when all is done, and nobody listens any more, must not take the figures along.
  process.on('SIGINT', () => {});
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const usage: Usage = { cpuMillis: (userCPUTime + systemCPUTime) / 1000, peakRssBytes: maxRSS * 1024 };
    const folder = process.env['CRAWLSTREAM_BENCH_USAGE_FOLDER'];
    if (folder !== undefined) writeFileSync(join(folder, `${process.pid}`), JSON.stringify(usage));
    // A fetch worker has no such descriptor of ours.
    if (!/(?:fetch|consumer)-worker/.test(process.argv[1] ?? '')) writeSync(3, JSON.stringify(usage));
  });
}
