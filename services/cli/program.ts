/**
 * The command tree: every command with its options, help and examples. Made anew for each caller, so that the reference
 * (deploy/), shell completion and tests can walk it.
 */

import { Command } from 'commander';
import { onStoreFallback } from '../runtime/store/open-store.ts';
import { productVersion } from '../runtime/version.ts';
import { addCheckCommand } from './check/check-command.ts';
import { addFetchCommand } from './check/fetch-command.ts';
import { addIdentityCommand } from './check/identity-command.ts';
import { addCompletionCommand } from './completion-command.ts';
import { applyConfig } from './config/apply-config.ts';
import { addConfigCommand } from './config/config-command.ts';
import { fitHeap } from './config/fit-heap.ts';
import { serviceNames } from './config/settings.ts';
import { unknownVariablesNote } from './config/unknown-variables.ts';
import { nameCommand } from './connect/command-name.ts';
import { addCrawlCommand } from './crawl/crawl-command.ts';
import { recallOptions } from './crawl/remembered-options.ts';
import { addExamples, exitCodes } from './examples.ts';
import { addLogOptions } from './flags/log-flags.ts';
import { addFleetCommand } from './fleet/fleet-command.ts';
import { addMcpCommand } from './fleet/mcp-command.ts';
import { groupCommands, orderCrawlOptions } from './help-groups.ts';
import { addAuditCommand } from './inspect/audit-command.ts';
import { addDashboardCommand } from './inspect/dashboard-command.ts';
import { addExplainCommand } from './inspect/explain-command.ts';
import { addHostsCommand } from './inspect/hosts-command.ts';
import { addReadCommands } from './inspect/read-commands.ts';
import { addRecheckCommand } from './inspect/recheck-command.ts';
import { addReplayCommand } from './inspect/replay-command.ts';
import { addSearchCommand } from './inspect/search-command.ts';
import { addStoryCommand } from './inspect/story-command.ts';
import { addNewCommand } from './new-command.ts';
import { addDlqCommand } from './operate/dlq-command.ts';
import { addForgetCommand } from './operate/forget-command.ts';
import { addInjectCommand } from './operate/inject-command.ts';
import { addOperatorCommands } from './operate/operator-commands.ts';
import { addPurgeCommand } from './operate/purge-command.ts';
import { addResetCommand } from './operate/reset-command.ts';
import { addSchemasCommand } from './operate/schemas-command.ts';
import { addSeekCommand } from './operate/seek-command.ts';
import { addAclsCommand } from './plan/acls-command.ts';
import { addSizeCommand } from './plan/size-command.ts';
import { addTopicsCommand } from './plan/topics-command.ts';
import { addTopologyCommand } from './plan/topology-command.ts';
import { addPauseCommands } from './policy/pause-commands.ts';
import { addPolicyCommands } from './policy/policy-commands.ts';
import { addTraceCommand } from './policy/trace-command.ts';
import { addWhatIfCommand } from './policy/what-if-command.ts';
import { addJudgeCommand } from './prove/judge-command.ts';
import { addProofCommands } from './prove/proof-commands.ts';
import { addConsumeCommand } from './roles/consume-command.ts';
import { addConsumerCommands } from './roles/consumer-commands.ts';
import { addRoleCommands } from './roles/role-commands.ts';
import { addStateCommand } from './state/state-command.ts';
import { toStderr, toStdout } from './terminal/door.ts';
import { isJson, say, sayFrom, sayInJson } from './terminal/say.ts';
import { addDumpCommand } from './transfer/dump-command.ts';
import { addExportCommand } from './transfer/export-command.ts';
import { addLoadCommand } from './transfer/load-command.ts';
import { addRepartitionCommand } from './transfer/repartition-command.ts';
import { addWarcCommand } from './transfer/warc-command.ts';
import { addUrlfrontierCommand } from './urlfrontier/urlfrontier-command.ts';
import { withRemedy } from './usage-remedy.ts';

export function createProgram(): Command {
  const program: Command = new Command('crawlstream')
    .description('A web-crawl frontier and crawler as a stream-processing topology')
    .version(productVersion)
    .exitOverride()
    .configureOutput({
      outputError: (text) => toStderr(withRemedy(text, program, process.argv.slice(2))),
      writeErr: toStderr,
      writeOut: toStdout,
    })
    .addHelpText(
      'after',
      `\nExit codes:\n${exitCodes.map(([code, means]) => `  ${`${code}`.padEnd(5)}${means}`).join('\n')}`,
    );
  addCrawlCommand(program);
  orderCrawlOptions(program.commands[0]!);
  addFleetCommand(program);
  addMcpCommand(program);
  addRoleCommands(program);
  addConsumerCommands(program);
  addConsumeCommand(program);
  addExportCommand(program);
  addInjectCommand(program);
  addReadCommands(program);
  addHostsCommand(program);
  addSearchCommand(program);
  addDashboardCommand(program);
  addReplayCommand(program);
  addDlqCommand(program);
  addExplainCommand(program);
  addStoryCommand(program);
  addAuditCommand(program);
  addRecheckCommand(program);
  addWhatIfCommand(program);
  addJudgeCommand(program);
  addPolicyCommands(program);
  addOperatorCommands(program);
  addPurgeCommand(program);
  addForgetCommand(program);
  addSchemasCommand(program);
  addPauseCommands(program);
  addTraceCommand(program);
  addCheckCommand(program);
  addIdentityCommand(program);
  addFetchCommand(program);
  addNewCommand(program);
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
  groupCommands(program);
  addExamples(program);
  for (const command of leavesOf(program)) {
    command.option('--config <file>', 'read settings from a YAML or JSON file (default: CRAWLSTREAM_CONFIG)');
  }
  for (const command of program.commands.filter(isService)) {
    addLogOptions(command);
  }
  program.hook('preAction', async (_, command) => {
    // These commands look at a configuration, and do not run with one.
    if (command.parent?.name() !== 'config') applyConfig(program, command, process.env);
    await recallOptions(program, command, process.env);
    fitHeap(command);
    nameCommand(pathOf(command));
    if (isService(command)) {
      const { log, logLevel, crawl } = command.opts();
      if (logLevel !== undefined) sayFrom(logLevel);
      if (isJson(log, process.stderr.isTTY)) await sayInJson(command.name(), productVersion, crawl);
    }
    const unknown = unknownVariablesNote(program, process.env);
    if (unknown !== undefined) say(unknown, 'warn');
    onStoreFallback(say);
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
