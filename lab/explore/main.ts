/**
 * `npm run explore -- [--world NAME] [--depth N] [--minutes M] [--ends-every N] [--keep FILE]`
 *
 * Explores every order of the events of a small world, up to a depth. Prints a line for each depth, and for a violation
 * its shortest history. With `--keep`, its progress is in a file, every ten minutes and at the end, and the next run with
 * the same options goes on from there. Exit code 1: a rule is broken.
 */
import { parseArgs } from 'node:util';
import { type Explored, Explorer } from './engine/explore.ts';
import { keepProgress, readProgress } from './engine/kept-file.ts';
import { worlds } from './worlds.ts';

const keptEveryMs = 600_000;

const { values } = parseArgs({
  options: {
    world: { type: 'string', default: 'claims' },
    depth: { type: 'string' },
    minutes: { type: 'string' },
    'ends-every': { type: 'string', default: '64' },
    keep: { type: 'string' },
  },
});
const named = worlds[values.world];
if (named === undefined) fail(`--world must be one of ${Object.keys(worlds).join(', ')}, not ${values.world}`);
const depth = values.depth === undefined ? named.depth : whole('depth', values.depth);
const endsEvery = whole('ends-every', values['ends-every']);
const untilMs = values.minutes === undefined ? Infinity : Date.now() + 60_000 * whole('minutes', values.minutes);
const of = `${values.world}, depth ${depth}, ends-every ${endsEvery}`;

const beganMs = Date.now();
const cpuSeconds = () => process.cpuUsage().user / 1e6;
const from = values.keep === undefined ? undefined : await readProgress(values.keep, of);
const before = from?.visited.low.length ?? 0;
const began = cpuSeconds();
const rate = (states: number) =>
  `${Math.round((states - before) / Math.max(0.001, cpuSeconds() - began))} states/s of processor time`;
process.stdout.write(`${values.world}: ${named.about}\n`);
const explorer = new Explorer(
  named.create(),
  {
    depth,
    endsEvery,
    onLevel: (level) =>
      process.stdout.write(
        `depth ${level.depth}: ${level.states} new states, ${level.total} in all, ${rate(level.total)}\n`,
      ),
  },
  from,
);
if (from !== undefined) process.stdout.write(`goes on at depth ${from.depth} with ${before} states\n`);
const { states, actions, isWhole, violation, ...reached } = await explored();
if (violation !== null) {
  process.stdout.write(`${violation.rule}\nThe shortest history that leads there:\n`);
  for (const [at, event] of violation.history.entries()) process.stdout.write(`${`${at + 1}`.padStart(4)}  ${event}\n`);
  process.exit(1);
}
const end = isWhole ? 'no state is beyond' : `all orders up to depth ${reached.depth}`;
const seconds = Math.round((Date.now() - beganMs) / 1000);
process.stdout.write(
  `${states} states, ${actions} actions in ${seconds} s, ${end}: every rule holds (${rate(states)})\n`,
);

/** Runs until the end or the time limit, and keeps its progress meanwhile. */
async function explored(): Promise<Explored> {
  for (;;) {
    const pauseMs = Math.min(untilMs, Date.now() + keptEveryMs);
    const result = explorer.run(() => Date.now() > pauseMs);
    if (values.keep !== undefined && result.violation === null) await keepProgress(values.keep, of, explorer.progress);
    if (result.isOver || Date.now() > untilMs) return result;
    if (result.violation !== null) process.stdout.write(`${result.violation.rule}; looks for fewer actions\n`);
  }
}

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number > 0 && value.trim() !== '') return number;
  return fail(`--${name} must be a whole number above 0, not ${value}`);
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}
