/** Options of commands that change a running crawl: the event records who sent it. */
import { hostname, userInfo } from 'node:os';
import type { Command } from 'commander';
import type { KafkaFlags } from './kafka-flags.ts';
import { addCrawlOptions } from './kafka-flags.ts';

export interface OperatorFlags extends KafkaFlags {
  readonly by: string;
  readonly json?: boolean;
}

/** Options of commands about a host or a URL that the crawl should know. */
export interface TargetFlags extends OperatorFlags {
  readonly force?: boolean;
}

export const operatorsGroup = 'Operators (on a running crawl):';

/** The sender, if no other is named. */
export function operatorName(): string {
  return `${userInfo().username}@${hostname()}`;
}

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
