/** Which tests a mutant is tried against, and in which order: those that execute it, the cheapest first. */
import { dirname } from 'node:path';
import { ranAt } from './coverage/executed.ts';
import type { Recording } from './coverage/recordings.ts';
import type { Mutant } from './mutants.ts';

/** Tests that run in one process. */
export interface Batch {
  readonly tests: readonly string[];
  /** What they took of the processor when they were recorded, and the dearest of their loads: most of what they load is shared. */
  readonly cpuMs: number;
}

export interface Choice {
  /** One after another, until one notices. None at all: no test executes the mutant. */
  readonly batches: readonly Batch[];
  /** Dearest tests, for which the budget had nothing left. */
  readonly leftOut: readonly string[];
}

/** The first process has little to do, since it notices most mutants; a start costs about as much as a small test. */
const firstBatchMs = 3_000;
/** Each further one does so many times as much. */
const growth = 4;
/** Of two that cost as much, one of the file's part is more likely to notice. */
const partTimes = 2;

export function choiceFor(
  { file, from, at, find }: Pick<Mutant, 'file' | 'from' | 'at' | 'find'>,
  recordings: readonly Recording[],
  budgetMs: number,
): Choice {
  const own = `test/${dirname(file)}/`;
  const part = `test/${file.split('/').slice(0, 2).join('/')}/`;
  const isOwn = ({ test }: Recording) => test.startsWith(own);
  const rank = ({ test, loadMs, cpuMs }: Recording) => (loadMs + cpuMs) / (test.startsWith(part) ? partTimes : 1);
  const executing = recordings
    .filter(({ ran }) => ranAt(ran[file] ?? [], from, at + find.length))
    // Those that stand where the file does come first, whatever they cost: they are its own.
    .sort((a, b) => +isOwn(b) - +isOwn(a) || rank(a) - rank(b) || (a.test < b.test ? -1 : 1));
  const batches: { tests: string[]; loadMs: number; ownMs: number }[] = [];
  const leftOut: string[] = [];
  let [spentMs, roomMs] = [0, 0];
  for (const { test, loadMs, cpuMs } of executing) {
    const last = batches.at(-1);
    const joinedMs = last === undefined ? 0 : Math.max(last.loadMs, loadMs) + last.ownMs + cpuMs;
    const joins = last !== undefined && joinedMs <= roomMs;
    const addedMs = joins ? joinedMs - last.loadMs - last.ownMs : loadMs + cpuMs;
    // The first is always tried.
    if (spentMs > 0 && spentMs + addedMs > budgetMs) {
      leftOut.push(test);
      continue;
    }
    spentMs += addedMs;
    if (joins) {
      last.tests.push(test);
      last.loadMs = Math.max(last.loadMs, loadMs);
      last.ownMs += cpuMs;
    } else {
      roomMs = firstBatchMs * growth ** batches.length;
      batches.push({ tests: [test], loadMs, ownMs: cpuMs });
    }
  }
  return { batches: batches.map(({ tests, loadMs, ownMs }) => ({ tests, cpuMs: loadMs + ownMs })), leftOut };
}
