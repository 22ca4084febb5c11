/**
 * Places inside front queues that their entries have left, by front queue: few, except if clients report on waiting
 * URLs.
 */
export class GonePlaces {
  readonly #byQueue = new Map<number, Set<number>>();

  /** Ascending. */
  of(frontQueue: number): readonly number[] {
    const gone = this.#byQueue.get(frontQueue);
    return gone === undefined ? none : [...gone].sort((a, b) => a - b);
  }

  count(frontQueue: number): number {
    return this.#byQueue.get(frontQueue)?.size ?? 0;
  }

  has(frontQueue: number, seq: number): boolean {
    return this.#byQueue.get(frontQueue)?.has(seq) ?? false;
  }

  add(frontQueue: number, seq: number): void {
    const gone = this.#byQueue.get(frontQueue);
    if (gone === undefined) this.#byQueue.set(frontQueue, new Set([seq]));
    else gone.add(seq);
  }

  /** Call when the queue's head passes this place. Returns whether its entry had left. */
  pass(frontQueue: number, seq: number): boolean {
    const gone = this.#byQueue.get(frontQueue);
    if (gone === undefined || !gone.delete(seq)) return false;
    if (gone.size === 0) this.#byQueue.delete(frontQueue);
    return true;
  }
}

const none: readonly number[] = [];
