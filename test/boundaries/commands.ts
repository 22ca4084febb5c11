/** Limits that a command line meets: the options of the real commands. */
import type { Command } from 'commander';
import { createProgram } from '../../services/cli/program.ts';

const program = await createProgram();

/** Does the option of the command take the value? */
export function isTaken(commandName: string, option: string, value: string): boolean {
  let command: Command = program;
  for (const word of commandName.split(' ')) {
    const found = command.commands.find((one) => one.name() === word);
    if (found === undefined) throw new Error(`there is no command ${commandName}`);
    command = found;
  }
  const found = command.options.find(({ long }) => long === option);
  if (found?.parseArg === undefined) throw new Error(`${commandName} has no ${option} that is checked`);
  try {
    found.parseArg(value, undefined);
    return true;
  } catch {
    return false;
  }
}
