/**
 * Mutation testing: `npm run mutate [-- --sample 300] [--seed 1] [--folder topology/robots] [--planted]`; or
 * `-- --file topology/frontier/wake.ts`, `-- --file topology/frontier/wake.ts:29`: every mutant of a file, or of its line.
 *
 * Small edits of the sources, drawn at random but the same for the same seed, each tried against the unit tests that
 * reach its file, nearest first. What no test notices is printed: a gap in the tests, or a mutant that equals the
 * original (accepted.ts). `--planted` tries the mistakes that tests once missed (planted.ts); one that survives, or that
 * fits no longer, makes the exit code 1.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { numbers } from '../../lab/web/random.ts';
import { root, testFiles } from '../run/files.ts';
import { accepted } from './accepted.ts';
import { edited } from './edit.ts';
import { testsReaching } from './imports.ts';
import { type Mutant, mutantsOf } from './mutants.ts';
import { planted } from './planted.ts';
import { tryEdit } from './try-edit.ts';

const { values } = parseArgs({
  options: {
    sample: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    folder: { type: 'string', multiple: true },
    file: { type: 'string', multiple: true },
    parallel: { type: 'string', default: String(Math.max(2, availableParallelism())) },
    planted: { type: 'boolean', default: false },
  },
});

const folders = values.folder ?? [
  'topology/robots',
  'topology/url',
  'topology/fetch',
  'topology/audit',
  'topology/frontier',
  'services/fetcher',
];
/** Nearest tests first, a few; then the others, up to this many in all. */
const [near, most] = [4, 40];
/** What ends later counts as noticed: far beyond what so many tests take beside other work. */
const deadlineMs = 300_000;

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = [...items];
  const one = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, one));
}

async function tryPlanted(): Promise<number> {
  let survived = 0;
  await inParallel(planted, async (one) => {
    edited(readFileSync(join(root, one.file), 'utf8'), one);
    const { end } = await tryEdit(one, one.tests, deadlineMs);
    if (end === 'survived') survived += 1;
    console.log(`${end === 'survived' ? 'SURVIVED' : 'noticed'}  ${one.mistake} (${one.file})`);
  });
  console.log(`${planted.length - survived} of ${planted.length} planted mistakes noticed`);
  return survived;
}

function allMutants(): Mutant[] {
  const files = folders.flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  return files.sort().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** `count` of them, in the order of a shuffle by `seed`. */
function drawn(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const next = numbers(seed);
  const pool = [...mutants];
  const taken: Mutant[] = [];
  while (taken.length < count && pool.length > 0) {
    const at = next() % pool.length;
    taken.push(pool[at]!);
    pool[at] = pool.at(-1)!;
    pool.pop();
  }
  return taken;
}

function lineOf({ file, line }: Mutant): string {
  return readFileSync(join(root, file), 'utf8').split('\n')[line - 1]!.trim();
}

function acceptedReason(mutant: Mutant): string | undefined {
  const text = lineOf(mutant);
  return accepted.find(
    ({ file, find, replace, line }) =>
      file === mutant.file && find === mutant.find && replace === mutant.replace && text.includes(line),
  )?.because;
}

function total(
  scores: Iterable<{ readonly noticed: number; readonly tried: number }>,
): [noticed: number, tried: number] {
  const all = [...scores];
  return [all.reduce((sum, { noticed }) => sum + noticed, 0), all.reduce((sum, { tried }) => sum + tried, 0)];
}

/** Those of the files that `--file` names, each perhaps with a line; without it a draw of all. */
function chosen(): { readonly mutants: readonly Mutant[]; readonly of: string } {
  if (values.file === undefined) {
    const all = allMutants();
    const mutants = drawn(all, Number(values.sample), Number(values.seed));
    return { mutants, of: `drawn from ${all.length} with seed ${values.seed}` };
  }
  const mutants = values.file.flatMap((place) => {
    const [file, line] = place.split(':') as [string, string?];
    const all = mutantsOf(file, readFileSync(join(root, file), 'utf8'));
    return line === undefined ? all : all.filter((mutant) => mutant.line === Number(line));
  });
  return { mutants, of: `all of ${values.file.join(', ')}` };
}

async function trySample(): Promise<void> {
  const { mutants, of } = chosen();
  const reaching = testsReaching(testFiles('unit'));
  const scores = new Map<string, { noticed: number; tried: number }>();
  let equal = 0;
  /** Now and then, since all of it takes an hour. */
  const tell = () => {
    const [noticed, tried] = total(scores.values());
    if (tried % 20 === 0) console.log(`${noticed} of ${tried} noticed so far`);
  };
  await inParallel(mutants, async (mutant) => {
    if (acceptedReason(mutant) !== undefined) {
      equal += 1;
      return;
    }
    const tests = reaching(mutant.file).slice(0, most);
    let end: string = 'survived';
    for (const some of [tests.slice(0, near), tests.slice(near)]) {
      if (end === 'survived' && some.length > 0) ({ end } = await tryEdit(mutant, some, deadlineMs));
    }
    const folder = folders.find((one) => mutant.file.startsWith(`${one}/`)) ?? mutant.file;
    const score = scores.get(folder) ?? { noticed: 0, tried: 0 };
    scores.set(folder, score);
    score.tried += 1;
    if (end !== 'survived') score.noticed += 1;
    if (end !== 'noticed') {
      const why = tests.length === 0 ? ' (no unit test reaches the file)' : '';
      const { file, line, mutator, find, replace } = mutant;
      // A loop without end is noticed so, and on a busy machine what is none: whoever reads it may look again.
      const how = end === 'survived' ? 'SURVIVED' : 'LATE    ';
      console.log(
        `${how}  ${file}:${line}  ${mutator}: ${JSON.stringify(find.slice(0, 60))} -> ${JSON.stringify(replace)}${why}\n          ${lineOf(mutant)}`,
      );
    }
    tell();
  });
  const [noticed, tried] = total(scores.values());
  for (const [folder, one] of scores) console.log(`${folder}: ${one.noticed} of ${one.tried}`);
  // Of a draw; the error of a share p among n is sqrt(p (1 - p) / n).
  const share = noticed / Math.max(1, tried);
  const error = Math.sqrt((share * (1 - share)) / Math.max(1, tried));
  console.log(
    `${noticed} of ${tried} mutants noticed: ${(100 * share).toFixed(1)} % ± ${(196 * error).toFixed(1)}; ${equal} accepted; ${of}`,
  );
}

if (values.planted) process.exitCode = (await tryPlanted()) > 0 ? 1 : 0;
else await trySample();
