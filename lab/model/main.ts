/**
 * `npm run model -- [--games N] [--seed S] [--minutes M]`
 *
 * Plays the frontier against the naive one in random games, with seeds S to S+N−1, or until the time is up. A game with
 * a difference is played again with fewer and fewer turns, and its history is printed. Exit code 1: a game differed.
 */
import { parseArgs } from 'node:util';
import { playGames } from './frontier-game.ts';

const { values } = parseArgs({
  options: {
    games: { type: 'string', default: '200' },
    seed: { type: 'string', default: '0' },
    minutes: { type: 'string' },
  },
});
const [games, first] = [whole('games', values.games), whole('seed', values.seed)];
const untilMs = values.minutes === undefined ? Infinity : Date.now() + 60_000 * whole('minutes', values.minutes);
let [played, grants] = [0, 0];
for (; played < games && Date.now() < untilMs; played++) {
  const { grants: more, fault } = playGames(first + played, 1);
  grants += more;
  if (fault === null) continue;
  process.stdout.write(`game ${fault.seed}: ${fault.message}\nturns ${fault.turns.join(' ')}:\n`);
  for (const line of fault.history) process.stdout.write(`  ${line}\n`);
  process.stdout.write(`again: npm run model -- --games 1 --seed ${fault.seed}\n`);
  process.exit(1);
}
process.stdout.write(`${played} games, ${grants} grants: each was predicted\n`);

function whole(name: string, value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 0 && value.trim() !== '') return number;
  process.stderr.write(`--${name} must be a whole number, not ${value}\n`);
  process.exit(2);
}
