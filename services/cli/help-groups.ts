/** The order of `--help`: first the commands that a person needs first, then the others by purpose. */
import type { Command } from 'commander';
import { consumers } from '../application/topology.ts';
import { installed } from '../extras/installed.ts';
import { operatorsGroup } from './flags/operator-flags.ts';

/** Commands of the core. Those of extras come after the others of their group. */
const ofCore: readonly (readonly [title: string, names: readonly string[]])[] = [
  ['First:', ['crawl', 'pages', 'stats', 'explain', 'hosts', 'fetch']],
  ['Ask a crawl:', ['links', 'dlq', 'state', 'topology']],
  [
    operatorsGroup,
    ['pause', 'resume', 'block', 'unblock', 'delay', 'limit', 'parallel', 'budget', 'bandwidth', 'policy', 'inject'],
  ],
  ['Try without a crawl:', ['check', 'doctor', 'identity', 'size', 'new']],
  ['Many crawls at once:', []],
  ['Consumers of its pages:', [...consumers.map(({ name }) => name), 'consume']],
  ['On Kafka:', ['frontier', 'fetcher', 'topics', 'acls', 'schemas', 'seek', 'reset']],
  ['Move and keep:', ['dump', 'load', 'repartition']],
  ['Prove:', ['judge', 'simulate', 'bench']],
  ['Set up:', ['config', 'completion', 'extras']],
];

const ofExtras = installed.flatMap(({ commands = [] }) => commands);
const titles = new Set([...ofCore.map(([title]) => title), ...ofExtras.map(({ group }) => group)]);
const groups = [...titles].map((title): readonly [string, readonly string[]] => [
  title,
  [
    ...ofCore.filter(([of]) => of === title).flatMap(([, names]) => names),
    ...ofExtras.filter(({ group }) => group === title).flatMap(({ names }) => names),
  ],
]);

/** Operators' commands that no group names stay in the operators' group; others come last. */
export function groupCommands(program: Command): void {
  // `help` itself is one of them.
  program.commandsGroup('Set up:').helpCommand(true);
  const order = groups.flatMap(([, names]) => names);
  const rank = (command: Command) => {
    const at = order.indexOf(command.name());
    if (at >= 0) return at;
    return command.helpGroup() === operatorsGroup ? order.indexOf('inject') + 0.5 : order.length;
  };
  for (const [title, names] of groups)
    for (const command of program.commands) if (names.includes(command.name())) command.helpGroup(title);
  (program.commands as Command[]).sort((a, b) => rank(a) - rank(b));
}
