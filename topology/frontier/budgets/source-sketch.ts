/**
 * Counts distinct sources in little memory: exactly up to 16, then by HyperLogLog (Flajolet, Fusy, Gandouet & Meunier,
 * 2007) with 64 registers, within about 13 %. Adding the same source again changes nothing, so links may be read twice.
 *
 * `fingerprint`: 32 bits of a keyed hash of the source.
 */

const exactMax = 16;
const registerCount = 64;

export class SourceSketch {
  /** Ascending; null once there are registers. */
  #exact: number[] | null = [];
  #registers = new Uint8Array(0);

  /** Returns false, without a change, if the source changes nothing. */
  add(fingerprint: number): boolean {
    if (!this.wouldChange(fingerprint)) return false;
    if (this.#exact !== null && this.#exact.length < exactMax) {
      this.#exact.push(fingerprint);
      this.#exact.sort((a, b) => a - b);
      return true;
    }
    if (this.#exact !== null) this.#toRegisters(this.#exact);
    this.#raise(fingerprint);
    return true;
  }

  wouldChange(fingerprint: number): boolean {
    if (this.#exact !== null) return !this.#exact.includes(fingerprint);
    return rankOf(fingerprint) > this.#registers[fingerprint & (registerCount - 1)]!;
  }

  /** Distinct sources. Never falls as sources are added. */
  get count(): number {
    if (this.#exact !== null) return this.#exact.length;
    let sum = 0;
    let empty = 0;
    for (const rank of this.#registers) {
      sum += 2 ** -rank;
      if (rank === 0) empty += 1;
    }
    const alpha = 0.709;
    const raw = (alpha * registerCount * registerCount) / sum;
    const small = registerCount * Math.log(registerCount / Math.max(1, empty));
    return Math.max(exactMax, Math.round(raw < 2.5 * registerCount && empty > 0 ? small : Math.max(raw, small)));
  }

  /** Adds the sources of another, as `save` gives them. */
  join(saved: readonly number[]): void {
    if (saved[0] !== -1) {
      for (const fingerprint of saved) this.add(fingerprint);
      return;
    }
    if (this.#exact !== null) this.#toRegisters(this.#exact);
    saved.slice(1, registerCount + 1).forEach((rank, at) => {
      this.#registers[at] = Math.max(this.#registers[at]!, rank);
    });
  }

  /** Numbers that `load` takes back: the exact fingerprints, or the registers after a −1. */
  save(): number[] {
    return this.#exact === null ? [-1, ...this.#registers] : [...this.#exact];
  }

  static load(saved: readonly number[]): SourceSketch {
    const sketch = new SourceSketch();
    if (saved[0] === -1) {
      sketch.#exact = null;
      sketch.#registers = Uint8Array.from(saved.slice(1));
    } else {
      sketch.#exact = [...saved];
    }
    return sketch;
  }

  #toRegisters(exact: readonly number[]): void {
    this.#registers = new Uint8Array(registerCount);
    for (const one of exact) this.#raise(one);
    this.#exact = null;
  }

  #raise(fingerprint: number): void {
    const register = fingerprint & (registerCount - 1);
    this.#registers[register] = Math.max(this.#registers[register]!, rankOf(fingerprint));
  }
}

/** Place of the first one among the bits that don't choose the register, from 1. */
function rankOf(fingerprint: number): number {
  return Math.min(26, Math.clz32(fingerprint)) + 1;
}
