/**
 * Bounds the memory of all current calls together: received messages that are not decided yet, and answers that
 * clients have not read.
 *
 * A message arrives before it can be refused. A stream of puts waits before it reads on if the room is full; all
 * waiting streams are woken together. But the first messages of many streams may already be too much, and unread
 * answers stay. So beyond a second bound, the calls with the oldest unread answers are ended. If there are none, the
 * new message is refused.
 */

/** A call with answers that its client has not read. */
export interface Debtor {
  /** Ends the call, and releases its answers here. */
  drop(): void;
}

export class CallRoom {
  readonly #bytesMax: number;
  readonly #bytesHard: number;
  readonly #waiting = new Set<() => void>();
  /** In the order in which they fell behind. */
  readonly #debtors = new Set<Debtor>();
  #taken = 0;

  constructor(bytesMax: number, bytesHard: number) {
    this.#bytesMax = bytesMax;
    this.#bytesHard = bytesHard;
  }

  get taken(): number {
    return this.#taken;
  }

  get isFull(): boolean {
    return this.#taken >= this.#bytesMax;
  }

  /** Takes room for a message. False: there is no room, and none was taken. */
  take(bytes: number): boolean {
    this.#makeRoom(bytes);
    if (this.#taken + bytes > this.#bytesHard) return false;
    this.#taken += bytes;
    return true;
  }

  /** Counts answers, which are in memory already. */
  owe(bytes: number, debtor: Debtor): void {
    this.#debtors.add(debtor);
    this.#taken += bytes;
    this.#makeRoom(0);
  }

  /** The client took all its answers, or is gone. */
  paid(debtor: Debtor): void {
    this.#debtors.delete(debtor);
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

  #makeRoom(bytes: number): void {
    for (const debtor of this.#debtors) {
      if (this.#taken + bytes <= this.#bytesHard) return;
      this.#debtors.delete(debtor);
      debtor.drop();
    }
  }
}
