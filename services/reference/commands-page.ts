/** The reference of the command line, from the command tree itself: deploy/COMMANDS.md. */
import type { Argument, Command, Option } from 'commander';
import { examples, exitCodes } from '../cli/examples.ts';
import { argumentDescription, optionDescription } from '../cli/flags/option-texts.ts';
import { leavesOf, pathOf } from '../cli/program.ts';

const head = `# Commands

- This page lists every command with its options. \`crawlstream COMMAND --help\` prints the same.
- Options that are settings can also come from a file or the environment: [CONFIGURATION.md](CONFIGURATION.md).
- With \`--json\`, a command writes one JSON object to stdout, or one per line if its help says so. All other output goes to stderr.
- \`crawlstream completion bash\` (zsh, fish) completes commands in a shell.
- \`npm run generate\` writes this page from the command tree.

`;

export function commandsPage(program: Command): string {
  const leaves = leavesOf(program);
  const list = leaves.map((command) => `- [${nameOf(command)}](#${anchorOf(command)}): ${command.description()}`);
  const codes = exitCodes.map(([code, means]) => `| ${code} | ${means} |`).join('\n');
  const table = `## Exit codes\n\n| code | means |\n| --- | --- |\n${codes}\n`;
  return `${head}${list.join('\n')}\n\n${table}\n${leaves.map(section).join('\n')}`;
}

function section(command: Command): string {
  const path = pathOf(command).join(' ');
  const usage = `crawlstream ${path} ${command.usage()}`;
  const rows = [...command.registeredArguments.map(argumentRow), ...command.options.map(optionRow)];
  const lines = (examples[path] ?? []).map((rest) => `crawlstream ${path} ${rest}`);
  const example = `\`\`\`sh\n${lines.join('\n')}\n\`\`\`\n`;
  return `## ${path}\n\n${sentence(command.description())}\n\n\`${usage}\`\n\n${table(rows)}\n${example}`;
}

function argumentRow(argument: Argument): string[] {
  const shown = `${argument.required ? `<${argument.name()}` : `[${argument.name()}`}${argument.variadic ? '...' : ''}`;
  return [`\`${shown}${argument.required ? '>' : ']'}\``, argumentDescription(argument)];
}

function optionRow(option: Option): string[] {
  const { flags, long, description, mandatory } = option;
  // The default sender of an operator's command is the user of this machine.
  const text = long === '--by' ? description : optionDescription(option);
  return [`\`${flags}\``, `${text}${mandatory ? ' (needed)' : ''}`];
}

function table(rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const lines = rows.map((row) => `| ${row.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`);
  return `| argument or option | |\n| --- | --- |\n${lines.join('\n')}\n`;
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}

function nameOf(command: Command): string {
  return `\`${pathOf(command).join(' ')}\``;
}

function anchorOf(command: Command): string {
  return pathOf(command).join('-');
}
