/**
 * Commands of plugins. They are loaded for a command line with none of our commands, from the plugins that the command
 * line, the environment or a settings file names.
 */
import { Command } from 'commander';
import { invalid } from '../../topology/errors.ts';
import { takenNames } from '../application/chosen-processors.ts';
import type { AddCommands, GroupedCommands } from '../application/extension/extension.ts';
import { loadPlugins } from '../application/plugin/load-plugins.ts';
import { toStderr } from '../runtime/logging/door.ts';
import { commandNames } from './command-modules.ts';
import { applyConfig } from './config/apply-config.ts';
import { addPluginOption } from './flags/plugin-flags.ts';

/** False if the command line names one of our commands, or asks for help without naming a plugin. */
export function mayNamePlugins(words: readonly string[]): boolean {
  const [first] = words;
  if (first === undefined || commandNames.has(first)) return false;
  return !first.startsWith('-') || words.some((word) => /^--plugin(?:=|$)/.test(word));
}

/** `program`: all of our commands. Throws INVALID_ARGUMENT for a file that is not a plugin, and for a name that is taken. */
export async function pluginCommands(
  program: Command,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<readonly AddCommands[]> {
  const reader = addPluginOption(new Command(words[0])).option('--config <file>').helpOption(false);
  reader.exitOverride().configureOutput({ writeErr: toStderr }).allowUnknownOption().allowExcessArguments();
  reader.parse([...words], { from: 'user' });
  applyConfig(program, reader, env);
  const { plugin: paths = [] } = reader.opts<{ readonly plugin?: readonly string[] }>();
  const loaded = await loadPlugins(paths, takenNames);
  const given = loaded.flatMap(({ path, plugin: { commands = [] } }) => commands.map((one) => ({ ...one, path })));
  return Promise.all(given.map(checked));
}

async function checked({
  path,
  names,
  group,
  load,
}: GroupedCommands & { readonly path: string }): Promise<AddCommands> {
  const taken = names.find((name) => commandNames.has(name));
  if (taken !== undefined)
    throw invalid(`--plugin ${path}: commands: ${taken} is a command of the program; choose another name`);
  const add = await load();
  return (program) => {
    add(program);
    for (const name of names) {
      const command = program.commands.find((one) => one.name() === name);
      if (command === undefined)
        throw invalid(`--plugin ${path}: commands: load() adds no command ${name}; add it, or remove it from names`);
      command.helpGroup(group);
      for (const leaf of command.commands.length === 0 ? [command] : command.commands) addPluginOption(leaf);
    }
  };
}
