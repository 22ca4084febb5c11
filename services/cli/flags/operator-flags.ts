/** Options of commands that change a running crawl: the event records who sent it. */
import type { Command } from 'commander';
import { operatorName } from '../../hosting/options/operator.ts';
import { addCrawlOptions } from './kafka-flags.ts';

export const operatorsGroup = 'Operators (on a running crawl):';

export function addTargetOptions(command: Command): Command {
  return addOperatorOptions(command).option(
    '--force',
    'send the command even if the crawl may not know the host or URL',
  );
}

/** Adds the options that name the crawl, the sender of the command, and the output format. */
export function addOperatorOptions(command: Command): Command {
  return addCrawlOptions(command)
    .option('--by <name>', 'name recorded as the sender of the command', operatorName())
    .option('--json', 'print one line of JSON');
}
