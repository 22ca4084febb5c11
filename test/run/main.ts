/**
 * Runs the tests of one speed: `node --import tsx test/run/main.ts unit|integration|long [FILE ...]`, some processes at a time.
 *
 * Unit tests are dealt out to a few processes, the others have one each, two at a time and two more where the processors
 * are idle. A long file that is named runs as an integration test, too. Prints failures as they come, what was skipped and why, the slowest files, what was left out and the
 * command that has it. Up to three files that failed in a whole run are run again, alone (`--again=N`; 0 where files are
 * named). Exit code 1 where a test failed then as well, a process did not end well, or, under `CI`, one was skipped.
 */
import { availableParallelism } from 'node:os';
import { dealOut, type Speed, speedOf, testFiles } from './files.ts';
import { runInTurn } from './in-turn.ts';
import { longFiles } from './long-files.ts';
import { watchProcessors } from './processors.ts';
import type { TestResult } from './reporter.ts';
import { runGroup } from './run-group.ts';
import { type FirstRun, lookAgain } from './second-look.ts';

const minute = 60_000;
const speeds = {
  unit: {
    deadlineMs: 20 * minute,
    afterFailureMs: 2 * minute,
    more: 'Left out: tests with brokers, browsers, other programs and kills (npm run test:integration), all of it as CI runs it (npm run verify), and what takes long (npm run verify:full).',
  },
  integration: {
    deadlineMs: 30 * minute,
    afterFailureMs: 5 * minute,
    more: `Left out: ${longFiles.size} files that take minutes (npm run test:long), and what takes longer: 1,000 simulated crawls, other Nodes, 20 minutes of chaos (npm run verify:full).`,
  },
  long: {
    deadlineMs: 30 * minute,
    afterFailureMs: 5 * minute,
    more: 'Left out: what takes longer: 1,000 simulated crawls, other Nodes, 20 minutes of chaos (npm run verify:full).',
  },
} as const;

const [speed, ...rest] = process.argv.slice(2) as [Speed, ...string[]];
const named = rest.filter((argument) => !argument.startsWith('--again='));
const again = rest.find((argument) => argument.startsWith('--again='))?.slice('--again='.length);
/** Of some 590 files: more than these fail for a reason of their own. */
const filesAgainMax = again === undefined ? (named.length > 0 ? 0 : 3) : Number(again);
if (!(speed in speeds)) throw new Error(`test/run/main.ts takes unit, integration or long, not ${speed}`);
const cores = Math.max(1, Math.min(4, availableParallelism()));
const files =
  named.length > 0 ? named.filter((file) => (speedOf(file) === 'unit') === (speed === 'unit')) : testFiles(speed);
// More than there are cores: on a busy machine, the scheduler shares by process. Each loads the sources anew, which takes seconds.
const atOnce = speed === 'unit' ? 3 * cores : Math.max(2, cores);
// Many integration tests wait: for an outage to end, for a host's delay.
const atMost = speed === 'unit' ? atOnce : 2 * atOnce;
const groups = speed === 'unit' ? dealOut(files, atOnce) : files.map((file) => [file]);

const startMs = Date.now();
const runs: FirstRun[] = [];
const durations = new Map<string, number>();

function onStatus(reported: TestResult): void {
  durations.set(reported.file, (durations.get(reported.file) ?? 0) + reported.ms);
  if (reported.kind === 'fail') console.log(`\nFAILED ${reported.file}\n  ${reported.name}\n${indented(reported.why)}`);
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}

async function run(files: readonly string[]): Promise<FirstRun> {
  const beganMs = Date.now();
  const { fault, output, reported, cpuMs } = await runGroup(files, speeds[speed], onStatus);
  if (fault !== '') console.log(`\nFAILED ${files.join(' ')}\n  ${fault}\n${indented(output.slice(-8_000))}`);
  else if (output !== '' && reported.some(({ kind }) => kind === 'fail')) console.log(indented(output.slice(-8_000)));
  if (speed !== 'unit') {
    const [own, sinceStart] = [beganMs, startMs].map((sinceMs) => Math.round((Date.now() - sinceMs) / 1000));
    const tests = `${reported.length} tests in ${own} s, ${Math.round(cpuMs / 1000)} s of the processor`;
    console.log(`${files[0]}: ${tests}, ${sinceStart} s since the start`);
  }
  return { files, reported, fault };
}

const sinceBefore = watchProcessors();
const overall = watchProcessors();
const turns = { atOnce, atMost, idle: () => sinceBefore().idle, everyMs: 5_000 };
await runInTurn(groups, turns, async (group) => void runs.push(await run(group)));
const idle = Math.round(100 * overall().idle);
const { reported: all, faults, unsteady } = await lookAgain(runs, filesAgainMax, run);

const count = (kind: TestResult['kind']) => all.filter((reported) => reported.kind === kind).length;
const reasons = new Map<string, string[]>();
for (const { kind, why, name } of all) if (kind === 'skip') reasons.set(why, [...(reasons.get(why) ?? []), name]);
for (const [why, names] of reasons)
  console.log(`\nSkipped, ${names.length}: ${why || 'no reason given'} (${names[0]}${names.length > 1 ? ', …' : ''})`);
const slowest = [...durations].sort((a, b) => b[1] - a[1]).slice(0, 5);
console.log(`\nSlowest: ${slowest.map(([file, ms]) => `${file} ${(ms / 1000).toFixed(1)} s`).join(', ')}`);
for (const fault of faults) console.log(`FAILED ${fault}`);
for (const one of unsteady) console.log(`UNSTEADY ${one} (failed beside others, passed alone: to be mended)`);
if (named.length === 0) console.log(speeds[speed].more);
console.log(`${files.length} files in ${Math.round((Date.now() - startMs) / 1000)} s, processors idle ${idle} %`);
const failed = count('fail') + faults.length;
const steady = unsteady.length === 0 ? '' : `, ${unsteady.length} unsteady`;
console.log(`${count('pass')} passed, ${failed} failed, ${count('skip')} skipped${steady}`);
process.exitCode = failed > 0 || all.length === 0 || (process.env['CI'] && count('skip') > 0) ? 1 : 0;
