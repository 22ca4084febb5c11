/**
 * `npm run verify:full [-- PART …] [-- --anew] [-- --list]`: what takes hours, part by part.
 *
 * A part that fails is told, and the next begins: hours shall not end at their first minute. Started again on the same sources, it
 * goes on with the parts that have not passed; `--anew` runs all. Parts that are named run whatever has passed. At the end, all
 * parts with their times. Exit code 1 where one has not passed.
 */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { root } from '../files.ts';
import { type Part, parts } from './parts.ts';
import { readPassed } from './passed-parts.ts';

const { values, positionals } = parseArgs({
  options: { anew: { type: 'boolean', default: false }, list: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
if (unknown !== undefined) {
  console.error(`verify:full has no part ${unknown}: it has ${parts.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const { seconds: passed, note } = readPassed(root, values.anew);
const wanted = parts.filter(({ name }) => (positionals.length > 0 ? positionals.includes(name) : !passed.has(name)));
const failed = new Map<string, number>();

function run({ command: [program, ...args], env }: Part): Promise<boolean> {
  const path = program === 'node' ? process.execPath : program;
  const child = spawn(path, args, { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' });
  return new Promise((resolve) => {
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });
}

function commandOf({ command, env = {} }: Part): string {
  return [...Object.entries(env).map(([name, value]) => `${name}=${value}`), ...command].join(' ');
}

const minutes = (seconds: number) => `${(seconds / 60).toFixed(1)} min`;

if (!values.list) {
  for (const part of wanted) {
    console.log(`\n== ${part.name}: ${commandOf(part)}`);
    const beganMs = Date.now();
    const isPassed = await run(part);
    const took = (Date.now() - beganMs) / 1000;
    note(part.name, isPassed ? took : null);
    if (!isPassed) failed.set(part.name, took);
    console.log(`== ${part.name}: ${isPassed ? 'passed' : 'FAILED'} in ${minutes(took)}`);
  }
}
console.log('');
for (const part of parts) {
  const { name } = part;
  const [took, isFailed] = [failed.get(name) ?? passed.get(name), failed.has(name)];
  const state = isFailed ? 'FAILED' : took === undefined ? 'to run' : 'passed';
  console.log(
    `${name.padEnd(13)} ${state}  ${(took === undefined ? '' : minutes(took)).padStart(9)}  ${commandOf(part)}`,
  );
}
const left = parts.filter(({ name }) => !passed.has(name)).length;
console.log(left === 0 ? 'all parts have passed on these sources' : `${left} of ${parts.length} parts have not passed`);
process.exitCode = left > 0 && !values.list ? 1 : 0;
