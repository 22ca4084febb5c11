/** `crawlstream extras`: lists the optional parts of the program. */
import type { Command } from 'commander';
import { installed } from '../extras/installed.ts';
import { rows } from '../runtime/rows-text.ts';
import { print } from './terminal/print.ts';

export function addExtrasCommand(program: Command): void {
  program
    .command('extras')
    .description('list the extras of this program: its optional commands and consumers')
    .option('--json', 'print one JSON object')
    .action(({ json }: { readonly json?: boolean }) =>
      print({ json: { extras }, text: rows(extras.map(lineOf)) }, json),
    );
}

interface Extra {
  readonly name: string;
  readonly about: string;
  readonly uses: readonly string[];
  readonly commands: readonly string[];
  readonly consumers: readonly string[];
}

const extras = installed.map(
  ({ name, about, uses = [], commands = [], consumers = [] }): Extra => ({
    name,
    about,
    uses,
    commands: commands.flatMap((one) => one.names),
    consumers: consumers.map((one) => one.name),
  }),
);

function lineOf({ name, about }: Extra): [string, string] {
  return [name, about];
}
