/**
 * From a state, if nothing fails any more, everything that must end does: one fair order of the actions is followed.
 */
import type { Move } from './explore.ts';
import { Violation } from './violation.ts';

/** More actions than any end takes. */
const movesMax = 400;

export interface FairWorld<State> {
  /** The state in which nothing fails any more and there are no outside events. */
  calm(state: State): State;
  /** The next action; undefined: none is possible. */
  next(state: State): Move<State> | undefined;
  isOver(state: State): boolean;
  /** Throws Violation if a rule does not hold. */
  check(state: State): void;
  hash(state: State, words: Uint32Array): void;
}

/** Throws Violation for a state from which no end is reached. States that lead to one are remembered. */
export function endsFairly<State>(world: FairWorld<State>): (state: State) => void {
  const words = new Uint32Array(2);
  const ending = new Set<number>();
  const nameOf = (state: State) => {
    world.hash(state, words);
    return words[0]! * 0x20_0000 + (words[1]! >>> 11);
  };
  return (from) => {
    const [way, history]: [number[], string[]] = [[], []];
    for (let state = world.calm(from); ; ) {
      const name = nameOf(state);
      if (ending.has(name)) break;
      way.push(name);
      const after = goOn(world, state, history);
      if (after === undefined) {
        if (world.isOver(state)) break;
        throw new Violation('end', 'nothing can happen any more, and the crawl is not over', history);
      }
      if (history.length >= movesMax)
        throw new Violation('end', `after ${movesMax} actions without faults, the crawl is not over`, history);
      state = after;
    }
    for (const name of way) ending.add(name);
  };
}

function goOn<State>(world: FairWorld<State>, state: State, history: string[]): State | undefined {
  try {
    const move = world.next(state);
    if (move === undefined) return undefined;
    history.push(move.say());
    const after = move.next();
    world.check(after);
    return after;
  } catch (error) {
    throw Violation.of(error, history);
  }
}
