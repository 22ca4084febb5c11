/**
 * Merges runs of similar size into one when there are many, so that a few questions do not each have to read a block of
 * many runs.
 *
 * Size-tiered: eight runs of one tier become one of the next, so each fingerprint is written once per tier.
 */

import type { StoreJob } from '../storage/store-job.ts';
import { blockFingerprints, blockKey, blocksOf, blockWords, type Run } from './runs.ts';
import type { SeenTest } from './seen-test.ts';
import { RunWriter } from './spill.ts';

export const runsPerTier = 8;

/** Runs to merge now; empty: none. */
export function runsToMerge(runs: readonly Run[], recentMax: number): readonly Run[] {
  const tiers = new Map<number, Run[]>();
  for (const run of runs) {
    const tier = Math.floor(Math.log(Math.max(1, run.count / recentMax)) / Math.log(runsPerTier) + 1e-9);
    const like = tiers.get(tier);
    if (like === undefined) tiers.set(tier, [run]);
    else like.push(run);
  }
  for (const like of tiers.values()) if (like.length >= runsPerTier) return like;
  return [];
}

export function* compact(seen: SeenTest, runs: readonly Run[]): StoreJob {
  const writer = new RunWriter(seen.nextId++);
  const cursors = runs.map((run) => new Cursor(run));
  for (const cursor of cursors) yield* cursor.load();
  let block = new Uint32Array(2 * blockFingerprints);
  let filled = 0;
  for (;;) {
    const least = leastOf(cursors);
    if (least === undefined) break;
    block[filled] = least.hi;
    block[filled + 1] = least.lo;
    filled += 2;
    least.at += 2;
    if (least.at === least.words.length) yield* least.load();
    if (filled < block.length) continue;
    yield* writer.write(block);
    block = new Uint32Array(2 * blockFingerprints);
    filled = 0;
  }
  if (filled > 0) yield* writer.write(block.slice(0, filled));
  seen.replaceRuns(runs, yield* writer.end());
}

/** Position of a merge in one run. */
class Cursor {
  readonly #run: Run;
  #block = 0;
  /** Empty at the end of the run. */
  words: Uint32Array = new Uint32Array(0);
  at = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  get hi(): number {
    return this.words[this.at]!;
  }

  get lo(): number {
    return this.words[this.at + 1]!;
  }

  *load(): StoreJob {
    this.at = 0;
    this.words = new Uint32Array(0);
    if (this.#block === blocksOf(this.#run.count)) return;
    const [value] = yield { read: [blockKey(this.#run.id, this.#block++)] };
    this.words = blockWords(value);
  }
}

/** The cursor at the smallest fingerprint; undefined when all are at their end. No two runs share one. */
function leastOf(cursors: readonly Cursor[]): Cursor | undefined {
  let least: Cursor | undefined;
  for (const cursor of cursors) {
    if (cursor.words.length === 0) continue;
    if (least === undefined || cursor.hi < least.hi || (cursor.hi === least.hi && cursor.lo < least.lo)) least = cursor;
  }
  return least;
}
