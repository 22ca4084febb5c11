/**
 * Explores a small world breadth first: every order of its actions up to a depth, each state once. The first violation
 * that is met is therefore one with the fewest actions.
 */
import { Visited } from './visited.ts';

/** A rule of the world does not hold. `since`: what happened after the state that was reached, before it broke. */
export class Violation extends Error {
  readonly since: readonly string[];

  constructor(rule: string, since: readonly string[] = []) {
    super(rule);
    this.since = since;
  }
}

export interface Move<State> {
  /** What happens, for a reader. */
  readonly say: () => string;
  /** The state after the action. Throws Violation if the action breaks a rule. */
  readonly next: () => State;
}

export interface World<State> {
  readonly first: State;
  /** The actions that are possible, in an order that depends on the state alone. */
  moves(state: State): readonly Move<State>[];
  /** Writes two words that are equal for equal states, and for symmetric ones. */
  hash(state: State, words: Uint32Array): void;
  /** Throws Violation if a rule does not hold. */
  check(state: State): void;
}

export interface ExploreOptions {
  /** Most actions in a row. */
  readonly depth: number;
  readonly statesMax?: number;
  /** True: stop here. Is asked once for each state. */
  readonly isOver?: () => boolean;
  readonly onLevel?: (level: Level) => void;
}

export interface Level {
  readonly depth: number;
  /** States first met at this depth. */
  readonly states: number;
  readonly total: number;
}

export interface Explored {
  readonly states: number;
  readonly actions: number;
  /** All states up to this depth were met. */
  readonly depth: number;
  /** Is there no state beyond? */
  readonly isWhole: boolean;
  readonly violation: FoundViolation | null;
}

export interface FoundViolation {
  readonly rule: string;
  /** What happened, from the first state on. */
  readonly story: readonly string[];
}

export function explore<State>(world: World<State>, options: ExploreOptions): Explored {
  const { depth: depthMax, statesMax = Number.POSITIVE_INFINITY, isOver = () => false, onLevel } = options;
  const visited = new Visited();
  const words = new Uint32Array(2);
  let actions = 0;
  world.hash(world.first, words);
  visited.add(words[0]!, words[1]!, 0, 0);
  const found = ({ message: rule, since }: Violation, path: readonly number[], depth: number): Explored => {
    const violation = { rule, story: [...storyOf(world, path), ...since] };
    return { states: visited.size, actions, depth, isWhole: false, violation };
  };
  let level: Reached<State>[] = [{ state: world.first, number: 0 }];
  for (let depth = 0; depth < depthMax; depth++) {
    const next: Reached<State>[] = [];
    for (const { state, number } of level) {
      const tried = attempt(world, state, (at, after) => {
        actions += 1;
        world.hash(after, words);
        const met = visited.add(words[0]!, words[1]!, number, at);
        if (met < 0) return;
        world.check(after);
        next.push({ state: after, number: met });
      });
      if (tried !== null) return found(tried.violation, [...visited.pathTo(number), ...tried.moves], depth);
      if (visited.size >= statesMax || isOver())
        return { states: visited.size, actions, depth, isWhole: false, violation: null };
    }
    onLevel?.({ depth: depth + 1, states: next.length, total: visited.size });
    if (next.length === 0) return { states: visited.size, actions, depth, isWhole: true, violation: null };
    level = next;
  }
  return { states: visited.size, actions, depth: depthMax, isWhole: false, violation: null };
}

/** Takes each action of a state. The first violation, and the action that led to it; null: there is none. */
function attempt<State>(world: World<State>, state: State, reach: (at: number, after: State) => void) {
  const moves: number[] = [];
  try {
    const possible = world.moves(state);
    for (let at = 0; at < possible.length; at++) {
      moves[0] = at;
      reach(at, possible[at]!.next());
    }
    return null;
  } catch (error) {
    return { violation: violationOf(error), moves };
  }
}

/** What the explored code throws, it should not have thrown. */
function violationOf(error: unknown): Violation {
  return error instanceof Violation ? error : new Violation(`threw: ${(error as Error).message}`);
}

interface Reached<State> {
  readonly state: State;
  readonly number: number;
}

/** What the actions of a path are, said one after another. */
function storyOf<State>(world: World<State>, path: readonly number[]): string[] {
  const story: string[] = [];
  let state = world.first;
  path.forEach((at, step) => {
    const move = world.moves(state)[at]!;
    story.push(move.say());
    if (step < path.length - 1) state = move.next();
  });
  return story;
}
