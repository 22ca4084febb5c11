#!/usr/bin/env -S node --max-semi-space-size=32
// A larger young generation (MB): pages and links live just long enough to be copied by a small one. 7 % less CPU.
/** The `crawlstream` command. Errors a user can mend are one line on stderr and exit code 1 (2: the command line). */
import { Command, CommanderError } from 'commander';
import { CrawlstreamError } from '../../topology/errors.ts';
import { addCheckCommand } from './check-command.ts';
import { addConsumerCommands } from './consumer-commands.ts';
import { addCrawlCommand } from './crawl-command.ts';
import { addDlqCommand } from './dlq-command.ts';
import { addDumpCommand } from './dump-command.ts';
import { addExplainCommand } from './explain-command.ts';
import { addExportCommand } from './export-command.ts';
import { addInjectCommand } from './inject-command.ts';
import { addLoadCommand } from './load-command.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { addReadCommands } from './read-commands.ts';
import { addRepartitionCommand } from './repartition-command.ts';
import { addRoleCommands } from './role-commands.ts';
import { addSearchCommand } from './search-command.ts';
import { addSeekCommand } from './seek-command.ts';
import { addStateCommand } from './state-command.ts';
import { addTopologyCommand } from './topology-command.ts';
import { addUrlfrontierCommand } from './urlfrontier-command.ts';
import { productVersion } from './version.ts';
import { addWarcCommand } from './warc-command.ts';

const program = new Command('crawlstream')
  .description('A web-crawl frontier and crawler as a stream-processing topology')
  .version(productVersion)
  .exitOverride()
  .configureOutput({ outputError: (text, write) => write(text) });
addCrawlCommand(program);
addRoleCommands(program);
addConsumerCommands(program);
addExportCommand(program);
addInjectCommand(program);
addReadCommands(program);
addSearchCommand(program);
addDlqCommand(program);
addExplainCommand(program);
addPolicyCommands(program);
addOperatorCommands(program);
addCheckCommand(program);
addWarcCommand(program);
addStateCommand(program);
addSeekCommand(program);
addDumpCommand(program);
addLoadCommand(program);
addRepartitionCommand(program);
addTopologyCommand(program);
addUrlfrontierCommand(program);

// A reader of our output that goes away (head, less) is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  } else if (error instanceof CrawlstreamError) {
    process.stderr.write(`crawlstream: ${error.message}\n`);
    process.exitCode = error.code === 'INVALID_ARGUMENT' || error.code === 'INVALID_SEED' ? 2 : 1;
  } else {
    process.stderr.write(`crawlstream: a bug, please report it: ${(error as Error).stack}\n`);
    process.exitCode = 70;
  }
}
