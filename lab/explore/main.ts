/**
 * `npm run explore -- [--world NAME] [--depth N] [--minutes M] [--ends-every N]`
 *
 * Explores every order of the events of a small world, up to a depth. Prints a line for each depth, and for a violation
 * its shortest history. Exit code 1: a rule is broken.
 */
import { parseArgs } from 'node:util';
import { explore } from './engine/explore.ts';
import { worlds } from './worlds.ts';

const { values } = parseArgs({
  options: {
    world: { type: 'string', default: 'claims' },
    depth: { type: 'string' },
    minutes: { type: 'string' },
    'ends-every': { type: 'string', default: '64' },
  },
});
const named = worlds[values.world];
if (named === undefined) fail(`--world must be one of ${Object.keys(worlds).join(', ')}, not ${values.world}`);
const depth = values.depth === undefined ? named.depth : whole('depth', values.depth);
const untilMs = values.minutes === undefined ? Infinity : Date.now() + 60_000 * whole('minutes', values.minutes);

const cpuSeconds = () => process.cpuUsage().user / 1e6;
const began = cpuSeconds();
const rate = (states: number) =>
  `${Math.round(states / Math.max(0.001, cpuSeconds() - began))} states/s of processor time`;
process.stdout.write(`${values.world}: ${named.about}\n`);
const { states, actions, isWhole, violation, ...reached } = explore(named.create(), {
  depth,
  endsEvery: whole('ends-every', values['ends-every']),
  isOver: () => Date.now() > untilMs,
  onLevel: (level) =>
    process.stdout.write(
      `depth ${level.depth}: ${level.states} new states, ${level.total} in all, ${rate(level.total)}\n`,
    ),
});
if (violation !== null) {
  process.stdout.write(`${violation.rule}\nThe shortest history that leads there:\n`);
  for (const [at, event] of violation.history.entries()) process.stdout.write(`${`${at + 1}`.padStart(4)}  ${event}\n`);
  process.exit(1);
}
const end = isWhole ? 'no state is beyond' : `all orders up to depth ${reached.depth}`;
process.stdout.write(`${states} states, ${actions} actions, ${end}: every rule holds (${rate(states)})\n`);

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && value.trim() !== '') return number;
  return fail(`--${name} must be a whole number above 0, not ${value}`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
