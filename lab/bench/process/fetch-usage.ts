/** Loaded into the process that is measured: on its way out it says what it used, on file descriptor 3. */
import { writeSync } from 'node:fs';

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
    writeSync(3, JSON.stringify(usage));
  });
}
