import assert from 'node:assert/strict';
import { it } from 'node:test';
import { loadCommands } from '../../../../services/cli/command-modules.ts';
import { leavesOf, pathOf, programOf } from '../../../../services/cli/program.ts';
import { commandsPage } from '../../../../services/reference/commands-page.ts';

const program = programOf(await loadCommands());
const textsOf = (path: string) =>
  leavesOf(program)
    .find((command) => pathOf(command).join(' ') === path)!
    .helpInformation();

it('help and reference name every value that an option or argument accepts', () => {
  const page = commandsPage(program);
  for (const command of leavesOf(program)) {
    const help = command.helpInformation().replaceAll(/\s+/g, ' ');
    const choices = [...command.options, ...command.registeredArguments].flatMap(({ argChoices = [] }) => argChoices);
    for (const choice of choices) assert.ok(help.includes(choice), `${command.name()} --help lacks ${choice}`);
  }
  assert.match(page, /`--format <format>` \| output format \(one of text, dot, mermaid; default: text\)/);
});

it('help shows no default if it is an empty text', () => {
  assert.doesNotMatch(textsOf('trap').replaceAll(/\s+/g, ' '), /default: \)/);
});
