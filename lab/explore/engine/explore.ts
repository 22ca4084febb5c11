/**
 * Explores a small world breadth first: every order of its actions up to a depth, each state once. So the first
 * violation that is found has the fewest actions.
 */
import { Violation } from './violation.ts';
import { type KeptStates, Visited } from './visited.ts';

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
  /** True: stop here. Called before each state. */
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
  /** True if nothing is left to explore: the depth is reached, there are no further states, or a rule is broken. */
  readonly isOver: boolean;
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

/** How far an exploration has come; with its world, all that it needs to be taken up again. */
export interface Progress {
  readonly visited: KeptStates;
  readonly depth: number;
  readonly actions: number;
  /** Number of the next state to go on from. States are numbered in the order in which they are found. */
  readonly next: number;
  /** Number of the first state that is deeper. */
  readonly levelEnd: number;
}

/** An exploration that can be stopped at any state, and run on. */
export class Explorer<State> {
  readonly #world: World<State>;
  readonly #options: ExploreOptions;
  readonly #visited: Visited;
  readonly #words = new Uint32Array(2);
  /** From `#next` on, in the order of their numbers; without the states at the last depth. */
  #states: State[] = [];
  #next = 0;
  #levelEnd = 1;
  #actions = 0;
  #depth = 0;
  /** A history without an end may be long: the search continues for one with fewer actions that breaks a rule. */
  #violation: FoundViolation | null = null;

  /** `from`: an exploration of the same world by the same code. Throws an error if it is of another. */
  constructor(world: World<State>, options: ExploreOptions, from?: Progress) {
    this.#world = world;
    this.#options = options;
    this.#visited = new Visited(from?.visited);
    if (from === undefined) return;
    this.#next = from.next;
    this.#levelEnd = from.levelEnd;
    this.#actions = from.actions;
    this.#depth = from.depth;
    this.#states = this.#statesFrom(from.next);
  }

  run(isOver = this.#options.isOver ?? (() => false)): Explored {
    const { depth } = this.#options;
    if (this.#visited.size === 0) this.#holds([], () => this.#reach(this.#world.first, 0, 0, true));
    while (this.#depth < this.#depthNeeded(depth) && this.#levelEnd > this.#next) {
      const isLast = this.#depth + 1 >= depth;
      let at = 0;
      for (; this.#next < this.#levelEnd; at++) {
        if (isOver()) {
          this.#states.splice(0, at);
          return this.#explored(false);
        }
        if (!this.#goOn(this.#states[at]!, isLast)) return this.#explored(true);
        this.#next += 1;
      }
      this.#states.splice(0, at);
      this.#deeper();
    }
    return this.#explored(true);
  }

  get progress(): Progress {
    return {
      visited: this.#visited.kept,
      depth: this.#depth,
      actions: this.#actions,
      next: this.#next,
      levelEnd: this.#levelEnd,
    };
  }

  #deeper(): void {
    this.#depth += 1;
    const { size } = this.#visited;
    this.#options.onLevel?.({ depth: this.#depth, states: size - this.#levelEnd, total: size });
    this.#levelEnd = size;
  }

  /** Longer histories cannot beat the one that was found. */
  #depthNeeded(depth: number): number {
    return Math.min(depth, (this.#violation?.history.length ?? Number.POSITIVE_INFINITY) - 1);
  }

  /** Takes each action of a state. False: one breaks a rule. `isLast`: nothing goes on from the results. */
  #goOn(state: State, isLast: boolean): boolean {
    const way: number[] = [];
    const path = () => [...this.#visited.pathTo(this.#next), ...way];
    return this.#holds(path, () => {
      const moves = this.#world.moves(state);
      for (let at = 0; at < moves.length; at++) {
        way[0] = at;
        this.#actions += 1;
        this.#reach(moves[at]!.next(), this.#next, at, !isLast);
      }
    });
  }

  #reach(state: State, parent: number, move: number, isKept: boolean): void {
    this.#world.hash(state, this.#words);
    const number = this.#visited.add(this.#words[0]!, this.#words[1]!, parent, move);
    if (number < 0) return;
    this.#world.check(state);
    if (isKept) this.#states.push(state);
    if (this.#violation !== null || number % this.#options.endsEvery !== 0) return;
    try {
      this.#world.checkEnd(state);
    } catch (error) {
      this.#violation = this.#found(error, this.#visited.pathTo(number));
    }
  }

  /** The states from a number on, each by the action that first led to it. */
  #statesFrom(next: number): State[] {
    const visited = this.#visited;
    const isNeeded = visited.areBefore(next);
    const states: (State | undefined)[] = [this.#world.first];
    let child = 1;
    for (let number = 0; number < next; number++) {
      const state = states[number];
      states[number] = undefined;
      const moves = state === undefined || !isNeeded(number) ? [] : this.#world.moves(state);
      for (; child < visited.size && visited.parentOf(child) === number; child++)
        states[child] = isNeeded(child) ? this.#again(moves, child) : undefined;
    }
    return states.slice(next) as State[];
  }

  #again(moves: readonly Move<State>[], number: number): State {
    const state = moves[this.#visited.moveOf(number)]?.next();
    if (state !== undefined) this.#world.hash(state, this.#words);
    if (state === undefined || !this.#visited.isAt(number, this.#words[0]!, this.#words[1]!))
      throw new Error(`state ${number} is not what it was: other code explored it`);
    return state;
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
    const { message, since } = Violation.of(error);
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

  #explored(isOver: boolean): Explored {
    const violation = this.#violation;
    return {
      isOver,
      states: this.#visited.size,
      actions: this.#actions,
      depth: this.#depth,
      isWhole: isOver && violation === null && this.#levelEnd === this.#next,
      violation,
    };
  }
}
