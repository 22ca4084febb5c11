/**
 * Finds gathered fingerprints in the runs: in one pass, in order, reading only the blocks of each run that could hold
 * one.
 *
 * With many questions this is DRUM's sequential merge; with few it reads few blocks. Cost: 20–30 µs a block of 64 KiB,
 * so some hundred thousand questions share the reading of 50 M fingerprints (400 MB) in well under a second.
 */

import type { StoreJob } from '../storage/store-job.ts';
import type { Run } from './runs.ts';
import { blockKey, blockOf, blockWords, lastAtOrBelow } from './runs.ts';
import type { SeenTest } from './seen-test.ts';

/** Blocks read at once: 1 MB. */
const readBlocks = 16;

/** Questions `from` to `to`, which one block answers. */
interface Span {
  readonly block: number;
  readonly from: number;
  readonly to: number;
}

export function* lookUp(seen: Pick<SeenTest, 'takeQuestions' | 'runs' | 'answer'>): StoreJob {
  const asked = seen.takeQuestions();
  const found = new Uint8Array(asked.length / 2);
  for (const run of seen.runs) yield* lookUpIn(run, asked, found);
  seen.answer({ asked, found });
}

function* lookUpIn(run: Run, asked: Uint32Array, found: Uint8Array): StoreJob {
  let spans: Span[] = [];
  for (const span of spansOf(run, asked)) {
    spans.push(span);
    if (spans.length < readBlocks) continue;
    yield* readSpans(run, spans, asked, found);
    spans = [];
  }
  if (spans.length > 0) yield* readSpans(run, spans, asked, found);
}

function* readSpans(run: Run, spans: readonly Span[], asked: Uint32Array, found: Uint8Array): StoreJob {
  const values = yield { read: spans.map(({ block }) => blockKey(run.id, block)) };
  spans.forEach((span, index) => {
    matchBlock(blockWords(values[index]), span, asked, found);
  });
}

/** The blocks that could hold a question, and which questions each. */
function* spansOf(run: Run, asked: Uint32Array): Generator<Span> {
  const count = asked.length / 2;
  let block = 0;
  for (let from = 0; from < count; ) {
    block = blockOf(run, block, asked[2 * from]!, asked[2 * from + 1]!);
    if (block < 0) {
      // The question is below the first fingerprint of the run.
      from += 1;
      continue;
    }
    const { firsts } = run;
    const next = 2 * (block + 1);
    const to = next === firsts.length ? count : firstAtOrAbove(asked, from, count, firsts[next]!, firsts[next + 1]!);
    yield { block, from, to };
    from = to;
  }
}

function firstAtOrAbove(pairs: Uint32Array, from: number, to: number, hi: number, lo: number): number {
  const at = lastAtOrBelow(pairs, from, to, hi, lo);
  return at >= from && pairs[2 * at] === hi && pairs[2 * at + 1] === lo ? at : at + 1;
}

function matchBlock(words: Uint32Array, { from, to }: Span, asked: Uint32Array, found: Uint8Array): void {
  const count = words.length / 2;
  let low = 0;
  for (let i = from; i < to; i++) {
    const hi = asked[2 * i]!;
    const lo = asked[2 * i + 1]!;
    const at = lastAtOrBelow(words, low, count, hi, lo);
    if (at < low) continue;
    low = at;
    if (words[2 * at] === hi && words[2 * at + 1] === lo) found[i] = 1;
  }
}
