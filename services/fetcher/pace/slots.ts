/** A counting semaphore, first come, first served: bounds the requests in flight over all leases. */
export interface Slots {
  /** Resolves once a slot is taken; at once if one is free. */
  take(): Promise<void> | undefined;
  release(): void;
  readonly taken: number;
  readonly waiting: number;
}

export function createSlots(slotsMax: number): Slots {
  const queue: (() => void)[] = [];
  let head = 0;
  let taken = 0;
  return {
    take() {
      if (taken < slotsMax) {
        taken += 1;
        return undefined;
      }
      return new Promise((resolve) => queue.push(resolve));
    },
    release() {
      const next = queue[head];
      if (next === undefined) {
        taken -= 1;
        return;
      }
      // The slot passes on: `taken` stays. The array is cut now and then, so that a shift costs nothing.
      head += 1;
      if (head > 1024) {
        queue.splice(0, head);
        head = 0;
      }
      next();
    },
    get taken() {
      return taken;
    },
    get waiting() {
      return queue.length - head;
    },
  };
}
