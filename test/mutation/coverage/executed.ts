/** Which parts of a source ran, from what V8 counted in the text it was compiled to. */
import type { Mapping } from './mappings.ts';

/** Offsets in the compiled text; `end` is the first that no longer belongs to it. */
export interface CountedRange {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** Places of a source at which something was compiled, in order, and whether it ran. */
export interface Executed {
  readonly at: readonly number[];
  readonly ran: readonly boolean[];
}

/** `ranges` of one module, in any order: the innermost that holds a place tells whether it ran. */
export function executed(mappings: readonly Mapping[], ranges: readonly CountedRange[]): Executed {
  // Outer ranges first, so that inner ones are painted over them.
  const painted = [...ranges].sort((a, b) => b.endOffset - b.startOffset - (a.endOffset - a.startOffset));
  const byCode = [...mappings].sort((a, b) => a.from - b.from);
  const ranOf = new Array<boolean>(byCode.length).fill(false);
  for (const { startOffset, endOffset, count } of painted) {
    for (let i = firstFrom(byCode, startOffset); i < byCode.length && byCode[i]!.from < endOffset; i++)
      ranOf[i] = count > 0;
  }
  const places = new Map<number, boolean>();
  byCode.forEach(({ to }, i) => {
    places.set(to, ranOf[i]! || places.get(to) === true);
  });
  const sorted = [...places].sort((a, b) => a[0] - b[0]);
  return { at: sorted.map(([at]) => at), ran: sorted.map(([, ran]) => ran) };
}

function firstFrom(byCode: readonly Mapping[], offset: number): number {
  let [low, high] = [0, byCode.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (byCode[middle]!.from < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Pairs of offsets in the source, from the first that ran to the next that did not: `Infinity` is written as -1. */
export function spansOf({ at, ran }: Executed): number[] {
  const spans: number[] = [];
  at.forEach((place, i) => {
    if (ran[i] === (i > 0 && ran[i - 1])) return;
    spans.push(place);
  });
  if (spans.length % 2 === 1) spans.push(-1);
  return spans;
}

/**
 * Whether a piece of the source ran, by what begins in it or is the last to begin before it: not every token has a place
 * of its own.
 */
export function ranAt(spans: readonly number[], from: number, to: number): boolean {
  for (let i = 0; i < spans.length; i += 2) {
    const end = spans[i + 1]!;
    if (spans[i]! < to && (end < 0 || from < end)) return true;
  }
  return false;
}
