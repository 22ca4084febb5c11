/**
 * `npm run hostile -- [--hosts 1000] [--seconds 600] [--pages 400] [--delay 250]`: a quarter of the hosts attack in all ways
 * at once, for so long at full speed, and the figures beside those of the same crawl without them. Exit code 1 where a
 * process ended, memory passed its bound, something private was reached, or the honest got less than four fifths,
 * for the time of a core that the crawl had, or were slower alone. With `--fleet`: hostile owners of a fleet (fleet/main.ts).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { crawlFaults, keptShare } from './crawl-faults.ts';
import { runFleet } from './fleet/main.ts';
import { crawlBeside, figuresText } from './hostile-run.ts';

if (process.argv.includes('--fleet')) await runFleet();
else await runCrawl();

async function runCrawl(): Promise<void> {
  const { values } = parseArgs({
    options: {
      hosts: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '600' },
      pages: { type: 'string', default: '400' },
      delay: { type: 'string', default: '250' },
    },
  });
  const hosts = Number(values.hosts);
  const seconds = Number(values.seconds);
  const hostile = Math.round(hosts / 4);
  const folder = mkdtempSync(join(tmpdir(), 'crawlstream-hostile-'));
  const memoryMibMax = 1_024;
  const options = {
    ...{ honest: hosts - hostile, hostile, pagesPerHost: Number(values.pages), delayMs: Number(values.delay), folder },
    // As long with as without: what both get in the same time is compared.
    ...{ seconds, secondsMax: seconds },
  };
  try {
    const alone = await crawlBeside(options, 0);
    console.log(figuresText(`${options.honest} honest hosts alone`, alone));
    const beside = await crawlBeside(options, hostile);
    console.log(figuresText(`beside ${hostile} hostile ones`, beside));
    // Other work on the machine is not the same during both.
    const share = keptShare(alone, beside);
    const asTimed = `${((100 * beside.rate) / alone.rate).toFixed(0)} % by the clock`;
    console.log(
      `honest hosts keep ${(100 * share).toFixed(0)} % of their rate for the core that the crawl had (${asTimed})`,
    );
    const faults = crawlFaults(alone, beside, memoryMibMax);
    for (const fault of faults) console.log(`FAILED: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
