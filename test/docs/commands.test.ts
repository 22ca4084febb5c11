/** Every command that the documentation names is there, with those options and arguments, and such values. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Command } from 'commander';
import { loadCommands } from '../../services/cli/command-modules.ts';
import { programOf } from '../../services/cli/program.ts';
import { pages, type WrittenCommand, writtenCommands } from './written-commands.ts';

const all = await loadCommands();
const createProgram = () => programOf(all);

/** Options that read their file when they are parsed, and what the text leaves to the reader. */
const files = new Set(['--requests', '--extract', '--ca', '--policy', '--config', '--plugin', '--overlays']);
const stands: Readonly<Record<string, string>> = {
  HOST: 'example.org',
  URL: 'https://example.org/',
  DIR: 'dir',
  N: '1',
  ID: '0:1',
  NAME: 'news',
  COMMAND: 'crawl',
  $BROKERS: 'localhost:9092',
};

function problemOf({ words, inBlock }: WrittenCommand): string | null {
  let command: Command = createProgram();
  const isHelp = words.includes('--help');
  const rest = words.filter((word) => word !== '--help').map((word) => stands[word] ?? word);
  while (command.commands.length > 0 && rest.length > 0 && !rest[0]!.startsWith('-')) {
    const name = rest.shift()!;
    const child = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
    if (child === undefined) {
      const hasDefault = command.parent !== null;
      return hasDefault ? null : `there is no command ${name}`;
    }
    command = child;
  }
  if (command.commands.length > 0) return null;
  const given = rest.filter((word, at) => !files.has(word) && !files.has(rest[at - 1] ?? ''));
  const { operands, unknown } = command.parseOptions(given);
  if (unknown.length > 0) return `${command.name()} does not know ${unknown.join(' ')}`;
  const needed = command.registeredArguments.filter(({ required }) => required).length;
  // In text, `crawlstream explain` names a command; in a block it is to be typed.
  if (!isHelp && (inBlock || operands.length > 0) && operands.length < needed)
    return `${command.name()} needs ${needed} arguments`;
  const most = command.registeredArguments.some(({ variadic }) => variadic)
    ? Number.POSITIVE_INFINITY
    : command.registeredArguments.length;
  return operands.length > most ? `${command.name()} takes ${most} arguments` : null;
}

for (const page of pages()) {
  test(`commands of ${page} can be typed as they are written`, () => {
    const problems: string[] = [];
    for (const command of writtenCommands(page)) {
      let problem: string | null;
      try {
        problem = problemOf(command);
      } catch (error) {
        problem = (error as Error).message;
      }
      if (problem !== null) problems.push(`${command.place}: crawlstream ${command.words.join(' ')}: ${problem}`);
    }
    assert.deepEqual(problems, []);
  });
}
