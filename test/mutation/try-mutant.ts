/** Tries a mutant against the tests that execute it: what became of it. */
import { type Choice, choiceFor } from './choose.ts';
import type { Recording } from './coverage/recordings.ts';
import type { Mutant } from './mutants.ts';
import { type Tried, tryEdit } from './try-edit.ts';

export interface Outcome {
  /**
   * `hung`: its tests waited until their time was up, and without it they end within the same time. `unexecuted`: no unit
   * test executes it, so it survives without a try.
   */
  readonly end: 'noticed' | 'loop' | 'hung' | 'late' | 'survived' | 'unexecuted';
  readonly leftOut: Choice['leftOut'];
}

/** What a test took when it was recorded, several times over, and a start: more is a loop. */
const [cpuTimes, cpuSeconds] = [4, 10];
/** Other work may slow a process down by so much. */
const [waitTimes, waitMs] = [20, 60_000];

/** By these, a run of tests says it to whoever waits for them, as well. */
export function isNoticed(end: Outcome['end'] | Tried['end']): boolean {
  return end === 'noticed' || end === 'loop' || end === 'hung';
}

export async function tryMutant(
  mutant: Mutant,
  recordings: readonly Recording[],
  budgetMs: number,
  longestWaitMs = waitMs,
): Promise<Outcome> {
  const { batches, leftOut } = choiceFor(mutant, recordings, budgetMs);
  if (batches.length === 0) return { end: 'unexecuted', leftOut };
  for (const { tests, cpuMs } of batches) {
    const bounds = {
      cpuSeconds: (cpuTimes * cpuMs) / 1000 + cpuSeconds,
      deadlineMs: waitTimes * cpuMs + longestWaitMs,
    };
    const { end } = await tryEdit(mutant, tests, bounds);
    if (end === 'late') {
      const asTheyAre = await tryEdit(null, tests, bounds);
      return { end: asTheyAre.end === 'survived' ? 'hung' : 'late', leftOut };
    }
    if (end !== 'survived') return { end, leftOut };
  }
  return { end: 'survived', leftOut };
}
