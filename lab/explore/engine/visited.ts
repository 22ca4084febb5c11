/**
 * The states that were found, as 64-bit hashes in one table, with the action that first led to each: 16 bytes a state.
 *
 * Two states with one hash would hide the second. Among ten million states the probability of that is 3·10⁻⁶.
 */

const emptySlot = 0;

export class Visited {
  #capacity = 1 << 16;
  /** Number of the state in each slot, one higher; 0: the slot is empty. */
  #slots = new Uint32Array(this.#capacity);
  #high = new Uint32Array(this.#capacity >> 1);
  #low = new Uint32Array(this.#capacity >> 1);
  #parents = new Uint32Array(this.#capacity >> 1);
  #moves = new Uint16Array(this.#capacity >> 1);
  size = 0;

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
