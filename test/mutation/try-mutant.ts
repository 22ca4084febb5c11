/** Tries a mutant against the tests that execute it: what became of it. */
import { type Choice, choiceFor } from './choose.ts';
import type { Recording } from './coverage/recordings.ts';
import type { Mutant } from './mutants.ts';
import { tryEdit } from './try-edit.ts';

export interface Outcome {
  /** `unexecuted`: no unit test executes it, so it survives without a try. */
  readonly end: 'noticed' | 'loop' | 'late' | 'survived' | 'unexecuted';
  readonly leftOut: Choice['leftOut'];
}

/** What a test took when it was recorded, several times over, and a start: more is a loop. */
const [cpuTimes, cpuSeconds] = [4, 10];
/** Other work may slow a process down by so much. */
const [waitTimes, waitMs] = [20, 60_000];

export async function tryMutant(mutant: Mutant, recordings: readonly Recording[], budgetMs: number): Promise<Outcome> {
  const { batches, leftOut } = choiceFor(mutant, recordings, budgetMs);
  if (batches.length === 0) return { end: 'unexecuted', leftOut };
  for (const { tests, cpuMs } of batches) {
    const { end } = await tryEdit(mutant, tests, {
      cpuSeconds: (cpuTimes * cpuMs) / 1000 + cpuSeconds,
      deadlineMs: waitTimes * cpuMs + waitMs,
    });
    if (end !== 'survived') return { end, leftOut };
  }
  return { end: 'survived', leftOut };
}
