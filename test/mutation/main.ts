/**
 * Mutation testing: `npm run mutate [-- --sample 300] [--seed 1] [--folder topology/robots] [--planted]`; or
 * `-- --file topology/frontier/wake.ts`, `-- --file topology/frontier/wake.ts:29`: every mutant of a file, or of its line.
 *
 * Small edits of the sources, drawn at random but the same for the same seed, each tried against the unit tests that were
 * measured to execute it, the cheapest first, up to `--budget` seconds of processor time. What no test notices is printed:
 * a gap in the tests, or a mutant that equals the original (accepted.ts). `--planted` tries the mistakes that tests once
 * missed (planted.ts); one that survives, or that fits no longer, makes the exit code 1.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, testFiles } from '../run/files.ts';
import { accepted } from './accepted.ts';
import { recordingsOf } from './coverage/recordings.ts';
import { drawn, mutantsAt, mutantsIn } from './draw.ts';
import { edited } from './edit.ts';
import { inParallel } from './in-parallel.ts';
import type { Mutant } from './mutants.ts';
import { planted } from './planted.ts';
import { type Score, scoreText } from './score.ts';
import { tryEdit } from './try-edit.ts';
import { isNoticed, type Outcome, tryMutant } from './try-mutant.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    parallel: { type: 'string', default: '2' },
    budget: { type: 'string', default: '120' },
    planted: { type: 'boolean', default: false },
  },
});
const folders = values.folder ?? ['topology', 'services/fetcher'];
const parallel = Number(values.parallel);
/** For tests that are named, and so few: far beyond what they take beside other work. */
const plantedBounds = { cpuSeconds: 120, deadlineMs: 300_000 };

async function tryPlanted(): Promise<number> {
  let survived = 0;
  await inParallel(planted, parallel, async (one) => {
    edited(readFileSync(join(root, one.file), 'utf8'), one);
    const { end } = await tryEdit(one, one.tests, plantedBounds);
    if (!isNoticed(end)) survived += 1;
    console.log(`${isNoticed(end) ? 'noticed ' : end.toUpperCase()}  ${one.mistake} (${one.file})`);
  });
  console.log(`${planted.length - survived} of ${planted.length} planted mistakes noticed`);
  return survived;
}

function lineOf({ file, line }: Mutant): string {
  return readFileSync(join(root, file), 'utf8').split('\n')[line - 1]!.trim();
}

function isAccepted(mutant: Mutant): boolean {
  const text = lineOf(mutant);
  // A private field's declaration, and no assignment to it.
  const fits = (line: string) => (line.startsWith('#') ? text.startsWith(line) : text.includes(line));
  return accepted.some(
    ({ file, find, replace, line }) =>
      file === mutant.file && find === mutant.find && replace === mutant.replace && fits(line),
  );
}

/** Those of the files that `--file` names, each perhaps with a line; without it a draw of all. */
function chosen(): { readonly mutants: readonly Mutant[]; readonly of: string } {
  if (values.file !== undefined)
    return { mutants: values.file.flatMap(mutantsAt), of: `all of ${values.file.join(', ')}` };
  const all = mutantsIn(folders);
  const mutants = drawn(all, Number(values.sample), Number(values.seed));
  return { mutants, of: `drawn from ${all.length} with seed ${values.seed}` };
}

/** What a score is told for: `topology/robots`, `topology/frontier/decide`, `services/fetcher`. */
function partOf({ file }: Mutant): string {
  return file.split('/').slice(0, -1).slice(0, 3).join('/');
}

function reported({ file, line, mutator, find, replace }: Mutant, { end, leftOut }: Outcome): string {
  const more = leftOut.length > 0 ? ` (not tried: ${leftOut.length} dear tests, ${leftOut[0]} …)` : '';
  const edit = `${JSON.stringify(find.slice(0, 60))} -> ${JSON.stringify(replace)}`;
  return `${end.toUpperCase().padEnd(10)} ${file}:${line}  ${mutator}: ${edit}${more}`;
}

async function trySample(): Promise<void> {
  const { mutants, of } = chosen();
  const startMs = Date.now();
  const seconds = () => Math.round((Date.now() - startMs) / 1000);
  const tests = testFiles('unit');
  const { recordings, failing } = await recordingsOf(tests, parallel, (done, all) => {
    if (done % 20 === 0 || done === all) console.log(`${done} of ${all} tests recorded, ${seconds()} s`);
  });
  for (const test of failing) console.log(`FAILS as the sources are, so that it is not tried: ${test}`);
  const leftOut = `${failing.length} of ${tests.length} tests are not tried`;
  const scores = new Map<string, Score>();
  const total: Score = { noticed: 0, tried: 0 };
  const ends = new Map<Outcome['end'], number>();
  let equal = 0;
  await inParallel(mutants, parallel, async (mutant) => {
    if (isAccepted(mutant)) {
      equal += 1;
      return;
    }
    const outcome = await tryMutant(mutant, recordings, Number(values.budget) * 1000);
    const part = partOf(mutant);
    const score = scores.get(part) ?? { noticed: 0, tried: 0 };
    scores.set(part, score);
    for (const one of [score, total]) {
      one.tried += 1;
      if (isNoticed(outcome.end)) one.noticed += 1;
    }
    ends.set(outcome.end, (ends.get(outcome.end) ?? 0) + 1);
    if (outcome.end !== 'noticed') console.log(`${reported(mutant, outcome)}\n           ${lineOf(mutant)}`);
    if (total.tried % 20 === 0) console.log(`${total.noticed} of ${total.tried} noticed so far, ${seconds()} s`);
  });
  for (const [part, score] of [...scores].sort()) console.log(`${part}: ${scoreText(score)}`);
  console.log([...ends].map(([end, count]) => `${end} ${count}`).join(', '));
  if (failing.length > 0) console.log(`${leftOut}: mutants that they alone would notice count as missed`);
  console.log(`mutants noticed, ${scoreText(total)}; ${equal} accepted; ${of}; ${leftOut}; ${seconds()} s`);
}

if (values.planted) process.exitCode = (await tryPlanted()) > 0 ? 1 : 0;
else await trySample();
