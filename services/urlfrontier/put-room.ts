/**
 * The memory that puts under way may take together: messages that were received and are not acked yet.
 *
 * A message arrives before it can be refused, so it takes its room in any case; a stream that finds the room full waits
 * before it reads on. All that wait are woken together: each has at most one message in gRPC's hands.
 */
export class PutRoom {
  readonly #bytesMax: number;
  readonly #waiting = new Set<() => void>();
  #taken = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bytesMax;
  }

  take(bytes: number): void {
    this.#taken += bytes;
  }

  release(bytes: number): void {
    this.#taken -= bytes;
    if (this.isFull) return;
    const woken = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of woken) wake();
  }

  /** Calls `wake` once, when there is room; the same function waits once. */
  wait(wake: () => void): void {
    this.#waiting.add(wake);
  }

  forget(wake: () => void): void {
    this.#waiting.delete(wake);
  }
}
