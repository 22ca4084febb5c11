/** `--workers N`: how many processes fetch for a crawl in a data folder. */
import type { Command } from 'commander';
import { workerLimits } from '../../application/workers/worker-limits.ts';
import { usefulMax } from '../../hosting/options/workers.ts';
import { wholeNumber } from './arguments.ts';
import { setting } from './setting.ts';

export function addWorkersOption(command: Command): Command {
  return command.addOption(
    setting(
      '--workers <n>',
      `fetching processes (default: one less than the cores, 1 to ${usefulMax})`,
      'the frontier and the log need one core, and the other cores fetch. One core can feed at most 7 fetchers. With 1, one process does everything',
      wholeNumber('--workers', 1, workerLimits.workersMax),
    ),
  );
}
