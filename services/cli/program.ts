/**
 * The command tree: every command with its options, help and examples. Made anew for each caller, so that the reference
 * (deploy/), shell completion and tests can walk it.
 */
import { Command, Option } from 'commander';
import { addAclsCommand } from './acls-command.ts';
import { oneOf } from './arguments.ts';
import { addAuditCommand } from './audit-command.ts';
import { addCheckCommand } from './check-command.ts';
import { addCompletionCommand } from './completion-command.ts';
import { applyConfig } from './config/apply-config.ts';
import { addConfigCommand } from './config/config-command.ts';
import { serviceNames } from './config/settings.ts';
import { addConsumerCommands } from './consumer-commands.ts';
import { addCrawlCommand } from './crawl-command.ts';
import { addDashboardCommand } from './dashboard-command.ts';
import { addDlqCommand } from './dlq-command.ts';
import { addDumpCommand } from './dump-command.ts';
import { addExamples, exitCodes } from './examples.ts';
import { addExplainCommand } from './explain-command.ts';
import { addExportCommand } from './export-command.ts';
import { addHostsCommand } from './hosts-command.ts';
import { addInjectCommand } from './inject-command.ts';
import { addJudgeCommand } from './judge-command.ts';
import { addLoadCommand } from './load-command.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addPauseCommands } from './pause-commands.ts';
import { addPolicyCommands } from './policy-commands.ts';
import { addProofCommands } from './proof-commands.ts';
import { addPurgeCommand } from './purge-command.ts';
import { addReadCommands } from './read-commands.ts';
import { addRepartitionCommand } from './repartition-command.ts';
import { addResetCommand } from './reset-command.ts';
import { addRoleCommands } from './role-commands.ts';
import { logFormats, sayInJson } from './say.ts';
import { addSearchCommand } from './search-command.ts';
import { addSeekCommand } from './seek-command.ts';
import { addSizeCommand } from './size-command.ts';
import { addStateCommand } from './state-command.ts';
import { addStoryCommand } from './story-command.ts';
import { addTopicsCommand } from './topics-command.ts';
import { addTopologyCommand } from './topology-command.ts';
import { addTraceCommand } from './trace-command.ts';
import { addUrlfrontierCommand } from './urlfrontier-command.ts';
import { productVersion } from './version.ts';
import { addWarcCommand } from './warc-command.ts';
import { addWhatIfCommand } from './what-if-command.ts';

export function createProgram(): Command {
  const program = new Command('crawlstream')
    .description('A web-crawl frontier and crawler as a stream-processing topology')
    .version(productVersion)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text) })
    .addHelpText(
      'after',
      `\nExit codes:\n${exitCodes.map(([code, means]) => `  ${`${code}`.padEnd(5)}${means}`).join('\n')}`,
    );
  addCrawlCommand(program);
  addRoleCommands(program);
  addConsumerCommands(program);
  addExportCommand(program);
  addInjectCommand(program);
  addReadCommands(program);
  addHostsCommand(program);
  addSearchCommand(program);
  addDashboardCommand(program);
  addDlqCommand(program);
  addExplainCommand(program);
  addStoryCommand(program);
  addAuditCommand(program);
  addWhatIfCommand(program);
  addJudgeCommand(program);
  addPolicyCommands(program);
  addOperatorCommands(program);
  addPurgeCommand(program);
  addPauseCommands(program);
  addTraceCommand(program);
  addCheckCommand(program);
  addWarcCommand(program);
  addStateCommand(program);
  addResetCommand(program);
  addSeekCommand(program);
  addDumpCommand(program);
  addLoadCommand(program);
  addRepartitionCommand(program);
  addSizeCommand(program);
  addTopologyCommand(program);
  addTopicsCommand(program);
  addAclsCommand(program);
  addUrlfrontierCommand(program);
  addProofCommands(program);
  addConfigCommand(program);
  addCompletionCommand(program);
  addExamples(program);
  for (const command of leavesOf(program)) {
    command.option('--config <file>', 'read settings from a YAML or JSON file (default: CRAWLSTREAM_CONFIG)');
  }
  for (const command of program.commands.filter(isService)) {
    const option = new Option(
      '--log <format>',
      'what is said on stderr: lines for people, or JSON lines with trace ids',
    );
    command.addOption(option.argParser(oneOf('--log', logFormats)).default('text'));
  }
  program.hook('preAction', async (_, command) => {
    // They look at a configuration, and run with none.
    if (command.parent?.name() !== 'config') applyConfig(program, command, process.env);
    if (isService(command) && command.opts()['log'] === 'json') await sayInJson(command.name(), productVersion);
  });
  return program;
}

function isService(command: Command): boolean {
  return serviceNames.some((name) => name === command.name());
}

/** The commands that do something: those without commands below them, in the order of the help. */
export function leavesOf(program: Command): readonly Command[] {
  return program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : leavesOf(command)));
}

/** A command's words after `crawlstream`. */
export function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
