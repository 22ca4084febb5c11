/** Options of commands that change a running crawl: the event records who sent it. */
import type { Command } from 'commander';
import { operatorName } from '../../hosting/options/operator.ts';
import { addCrawlOptions } from './kafka-flags.ts';

export const operatorsGroup = 'Operators (on a running crawl):';

export function addTargetOptions(command: Command): Command {
  return addOperatorOptions(command).option(
    '--force',
    'give the order even for a host or URL that the crawl may not know',
  );
}

/** Adds the options that name the crawl, the sender of the command, and the output format. */
export function addOperatorOptions(command: Command): Command {
  return addCrawlOptions(command)
    .option('--by <name>', 'who says so', operatorName())
    .option('--json', 'as one line of JSON');
}
