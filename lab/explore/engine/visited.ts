/**
 * The states that were found, as 64-bit hashes in one table, with the action that first led to each: 14 bytes a state, and
 * as much again of free room.
 *
 * Two states with one hash would hide the second. Among ten million states the probability of that is 3·10⁻⁶.
 */

const emptySlot = 0;

/** The states in the order in which they were found, one row each. */
export interface KeptStates {
  readonly high: Uint32Array;
  readonly low: Uint32Array;
  readonly parents: Uint32Array;
  readonly moves: Uint16Array;
}

export class Visited {
  #capacity = 1 << 16;
  /** Number of the state in each slot, one higher; 0: the slot is empty. */
  #slots = new Uint32Array(this.#capacity);
  #high = new Uint32Array(this.#capacity >> 1);
  #low = new Uint32Array(this.#capacity >> 1);
  #parents = new Uint32Array(this.#capacity >> 1);
  #moves = new Uint16Array(this.#capacity >> 1);
  size = 0;

  constructor(kept?: KeptStates) {
    if (kept === undefined) return;
    for (const [at, low] of kept.low.entries()) this.add(kept.high[at]!, low, kept.parents[at]!, kept.moves[at]!);
  }

  get kept(): KeptStates {
    const { size } = this;
    return {
      high: this.#high.subarray(0, size),
      low: this.#low.subarray(0, size),
      parents: this.#parents.subarray(0, size),
      moves: this.#moves.subarray(0, size),
    };
  }

  /**
   * The number of a new state; -1: it was found before. `parent` and `move`: the state and the action that led to it.
   */
  add(high: number, low: number, parent: number, move: number): number {
    if (2 * (this.size + 1) > this.#capacity) this.#grow();
    const mask = this.#capacity - 1;
    let slot = low & mask;
    for (; this.#slots[slot] !== emptySlot; slot = (slot + 1) & mask) {
      const known = this.#slots[slot]! - 1;
      if (this.#low[known] === low && this.#high[known] === high) return -1;
    }
    const number = this.size++;
    this.#slots[slot] = number + 1;
    this.#high[number] = high;
    this.#low[number] = low;
    this.#parents[number] = parent;
    this.#moves[number] = move;
    return number;
  }

  /** True if the state with this number has this hash. */
  isAt(number: number, high: number, low: number): boolean {
    return number < this.size && this.#high[number] === high && this.#low[number] === low;
  }

  parentOf(number: number): number {
    return this.#parents[number]!;
  }

  moveOf(number: number): number {
    return this.#moves[number]!;
  }

  /** True of the states from `first` on, and of those on the way to one of them. */
  areBefore(first: number): (number: number) => boolean {
    const is = new Uint8Array(this.size);
    for (let number = this.size - 1; number > 0; number--) {
      if (number >= first) is[number] = 1;
      if (is[number] === 1) is[this.#parents[number]!] = 1;
    }
    return (number) => is[number] === 1;
  }

  /** The actions that lead from the first state to a state, in order. */
  pathTo(number: number): number[] {
    const moves: number[] = [];
    for (let at = number; at !== 0; at = this.#parents[at]!) moves.push(this.#moves[at]!);
    return moves.reverse();
  }

  #grow(): void {
    this.#capacity *= 2;
    const grown = <T extends Uint32Array | Uint16Array>(old: T, made: T): T => {
      made.set(old);
      return made;
    };
    const half = this.#capacity >> 1;
    this.#high = grown(this.#high, new Uint32Array(half));
    this.#low = grown(this.#low, new Uint32Array(half));
    this.#parents = grown(this.#parents, new Uint32Array(half));
    this.#moves = grown(this.#moves, new Uint16Array(half));
    this.#slots = new Uint32Array(this.#capacity);
    const mask = this.#capacity - 1;
    for (let number = 0; number < this.size; number++) {
      let slot = this.#low[number]! & mask;
      while (this.#slots[slot] !== emptySlot) slot = (slot + 1) & mask;
      this.#slots[slot] = number + 1;
    }
  }
}
