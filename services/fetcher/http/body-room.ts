/**
 * The memory that all bodies in progress may take together.
 *
 * Small bodies need no claim: nearly all bodies are small, and few requests are in progress. A body that grows beyond
 * that claims the most it may need, at once, so that a body with a claim can always end. Without room it waits, at most
 * until its request's time limit.
 */
export interface Claim {
  bytes: number;
}

export class BodyRoom {
  readonly #bytesMax: number;
  #taken = 0;
  /** In order of asking. */
  readonly #waiting = new Map<Claim, { readonly bytes: number; readonly resume: () => void }>();

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Claims room. False: there is none now; `resume` is called once there is, and the room is then claimed. */
  take(claim: Claim, bytes: number, resume: () => void): boolean {
    // A body that is alone always gets room, whatever the limits are; and none goes before those that wait.
    const fits = this.#waiting.size === 0 && (this.#taken === 0 || this.#taken + bytes <= this.#bytesMax);
    if (fits) this.#grant(claim, bytes);
    else this.#waiting.set(claim, { bytes, resume });
    return fits;
  }

  /** The body is whole, or given up. */
  release(claim: Claim): void {
    this.#waiting.delete(claim);
    this.#taken -= claim.bytes;
    claim.bytes = 0;
    const granted: (() => void)[] = [];
    for (const [next, { bytes, resume }] of this.#waiting) {
      if (this.#taken > 0 && this.#taken + bytes > this.#bytesMax) break;
      this.#waiting.delete(next);
      this.#grant(next, bytes);
      granted.push(resume);
    }
    // A body ends inside the parser of its connection, which can't be entered a second time for another's.
    for (const resume of granted) queueMicrotask(resume);
  }

  #grant(claim: Claim, bytes: number): void {
    claim.bytes = bytes;
    this.#taken += bytes;
  }
}
