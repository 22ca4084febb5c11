/**
 * Explores a small world breadth first: every order of its actions up to a depth, each state once. So the first
 * violation that is found has the fewest actions.
 */
import { Visited } from './visited.ts';

/** A rule of the world is broken. `since`: the events after the last explored state that led to the violation. */
export class Violation extends Error {
  readonly since: readonly string[];

  constructor(rule: string, since: readonly string[] = []) {
    super(rule);
    this.since = since;
  }
}

export interface Move<State> {
  /** The action in words, for a reader. */
  readonly say: () => string;
  /** The state after the action. Throws Violation if the action breaks a rule. */
  readonly next: () => State;
}

export interface World<State> {
  readonly first: State;
  /** The possible actions, in an order that depends only on the state. */
  moves(state: State): readonly Move<State>[];
  /** Writes two words that are equal for equal states, and for symmetric ones. */
  hash(state: State, words: Uint32Array): void;
  /** Throws Violation if a rule does not hold. */
  check(state: State): void;
  /** Throws Violation if, although nothing fails any more, something that should end does not. */
  checkEnd(state: State): void;
}

export interface ExploreOptions {
  /** Most actions in a row. */
  readonly depth: number;
  /** One of this many states is checked for its end. */
  readonly endsEvery: number;
  /** True: stop here. Called once for each state. */
  readonly isOver?: () => boolean;
  readonly onLevel?: (level: Level) => void;
}

export interface Level {
  readonly depth: number;
  /** States first found at this depth. */
  readonly states: number;
  readonly total: number;
}

export interface Explored {
  readonly states: number;
  readonly actions: number;
  /** True if all states up to this depth were found. */
  readonly depth: number;
  /** True if there are no further states. */
  readonly isWhole: boolean;
  readonly violation: FoundViolation | null;
}

export interface FoundViolation {
  readonly rule: string;
  /** The actions since the first state. */
  readonly history: readonly string[];
}

export function explore<State>(world: World<State>, options: ExploreOptions): Explored {
  return new Explorer(world, options).run();
}

interface Reached<State> {
  readonly state: State;
  readonly number: number;
}

class Explorer<State> {
  readonly #world: World<State>;
  readonly #options: ExploreOptions;
  readonly #visited = new Visited();
  readonly #words = new Uint32Array(2);
  #actions = 0;
  #depth = 0;
  /** A history without an end may be long: the search continues for one with fewer actions that breaks a rule. */
  #violation: FoundViolation | null = null;

  constructor(world: World<State>, options: ExploreOptions) {
    this.#world = world;
    this.#options = options;
  }

  run(): Explored {
    const { depth, isOver = () => false, onLevel } = this.#options;
    const { first } = this.#world;
    let level: Reached<State>[] = [];
    let added = 1;
    this.#holds([], () => this.#reach(first, 0, 0, level));
    for (; this.#depth < this.#depthNeeded(depth) && added > 0; this.#depth++) {
      const [next, before]: [Reached<State>[], number] = [[], this.#visited.size];
      const isLast = this.#depth + 1 >= depth;
      for (const one of level) if (!this.#goOn(one, isLast ? null : next) || isOver()) return this.#explored(false);
      level = next;
      added = this.#visited.size - before;
      onLevel?.({ depth: this.#depth + 1, states: added, total: this.#visited.size });
    }
    return this.#explored(added === 0);
  }

  /** Longer histories cannot beat the one that was found. */
  #depthNeeded(depth: number): number {
    return Math.min(depth, (this.#violation?.history.length ?? Number.POSITIVE_INFINITY) - 1);
  }

  /** Takes each action of a state. False: one breaks a rule. `next`: null if exploration stops at the results. */
  #goOn({ state, number }: Reached<State>, next: Reached<State>[] | null): boolean {
    const way: number[] = [];
    const path = () => [...this.#visited.pathTo(number), ...way];
    return this.#holds(path, () => {
      const moves = this.#world.moves(state);
      for (let at = 0; at < moves.length; at++) {
        way[0] = at;
        this.#actions += 1;
        this.#reach(moves[at]!.next(), number, at, next);
      }
    });
  }

  #reach(state: State, parent: number, move: number, level: Reached<State>[] | null): void {
    this.#world.hash(state, this.#words);
    const number = this.#visited.add(this.#words[0]!, this.#words[1]!, parent, move);
    if (number < 0) return;
    this.#world.check(state);
    level?.push({ state, number });
    if (this.#violation !== null || number % this.#options.endsEvery !== 0) return;
    try {
      this.#world.checkEnd(state);
    } catch (error) {
      this.#violation = this.#found(error, this.#visited.pathTo(number));
    }
  }

  #holds(path: readonly number[] | (() => number[]), act: () => void): boolean {
    try {
      act();
      return true;
    } catch (error) {
      this.#violation = this.#found(error, typeof path === 'function' ? path() : path);
      return false;
    }
  }

  /** An error thrown by the explored code is a violation. */
  #found(error: unknown, path: readonly number[]): FoundViolation {
    const { message, since } = error instanceof Violation ? error : new Violation(`threw: ${(error as Error).message}`);
    return { rule: message, history: [...this.#historyOf(path), ...since] };
  }

  /** The actions of a path in words, one after another. */
  #historyOf(path: readonly number[]): string[] {
    const history: string[] = [];
    let state = this.#world.first;
    path.forEach((at, step) => {
      const move = this.#world.moves(state)[at]!;
      history.push(move.say());
      if (step < path.length - 1) state = move.next();
    });
    return history;
  }

  #explored(isWhole: boolean): Explored {
    const violation = this.#violation;
    return {
      states: this.#visited.size,
      actions: this.#actions,
      depth: this.#depth,
      isWhole: isWhole && violation === null,
      violation,
    };
  }
}
