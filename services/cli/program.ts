/**
 * The command tree: every command with its options, help and examples. Made again for each caller, so that the reference
 * (deploy/), shell completion and tests can walk it.
 */

import { Command } from 'commander';
import type { AddCommands } from '../application/extension/extension.ts';
import { nameCommand } from '../runtime/command-name.ts';
import { toStderr, toStdout } from '../runtime/logging/door.ts';
import { isJson, say, sayFrom, sayInJson } from '../runtime/logging/say.ts';
import { onStoreFallback } from '../runtime/store/open-store.ts';
import { productVersion } from '../runtime/version.ts';
import { loadCommands } from './command-modules.ts';
import { applyConfig } from './config/apply-config.ts';
import { fitHeap } from './config/fit-heap.ts';
import { serviceNames } from './config/settings.ts';
import { unknownVariablesNote } from './config/unknown-variables.ts';
import { recallOptions } from './crawl/remembered-options.ts';
import { addExamples, exitCodes } from './examples.ts';
import { addLogOptions } from './flags/log-flags.ts';
import { groupCommands } from './help-groups.ts';
import { groupOptions, showDefaultsAsTyped } from './help-options.ts';
import { mayNamePlugins, pluginCommands } from './plugin-commands.ts';
import { withRemedy } from './usage-remedy.ts';

/**
 * The program with the commands that a command line names, or, without words, with all commands. Commands of plugins are
 * there if the command line names none of ours, and options of plugins for policies if it names `crawl`.
 */
export async function createProgram(words: readonly string[] = []): Promise<Command> {
  const ours = await loadCommands(words, process.env);
  const theirs = mayNamePlugins(words, process.env) ? await pluginCommands(programOf(ours), words, process.env) : [];
  return programOf([...ours, ...theirs], words);
}

export function programOf(adding: readonly AddCommands[], words: readonly string[] = []): Command {
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
  showDefaultsAsTyped(program);
  for (const add of adding) add(program);
  groupCommands(program);
  addExamples(program);
  for (const command of leavesOf(program)) {
    command.option('--config <file>', 'settings file (YAML or JSON; default: CRAWLSTREAM_CONFIG)');
  }
  for (const command of program.commands.filter(isService)) {
    addLogOptions(command);
  }
  for (const command of leavesOf(program)) groupOptions(command, words);
  program.hook('preAction', async (_, command) => {
    // These commands look at a configuration, and do not run with one.
    if (command.parent?.name() !== 'config') applyConfig(program, command, process.env);
    await recallOptions(createProgram, command, process.env);
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

/** The commands that do something: those without subcommands, in the order of the help. */
export function leavesOf(program: Command): readonly Command[] {
  return program.commands.flatMap((command) => (command.commands.length === 0 ? [command] : leavesOf(command)));
}

/** A command's words after `crawlstream`. */
export function pathOf(command: Command): readonly string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
