/** Calls of clients that wait for URLs: each is answered when it has some, or when its time is over. */
import type { Clock } from '../../runtime/clock.ts';
import { lendingLimits } from './lending-limits.ts';

interface Ask<Lease> {
  readonly count: number;
  readonly leaseMs: number;
  readonly given: Lease[];
  answer(): void;
}

export class Asks<Lease> {
  readonly #clock: Clock;
  /** In the order they came. */
  readonly #asks = new Set<Ask<Lease>>();
  readonly #changed: () => void;
  #asked = 0;

  /** `changed` is called when one of them leaves, which others may be waiting for. */
  constructor(clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#changed = changed;
  }

  /** URLs that are waited for. */
  get asked(): number {
    return this.#asked;
  }

  get calls(): number {
    return this.#asks.size;
  }

  /** `gone`: the client has hung up; it is given nothing more. */
  ask(count: number, leaseMs: number, untilMs: number, gone: AbortSignal): Promise<readonly Lease[]> {
    return new Promise((resolve) => {
      const over = new AbortController();
      const ask: Ask<Lease> = {
        ...{ count, leaseMs, given: [] },
        answer: () => {
          if (!this.#asks.delete(ask)) return;
          this.#asked -= count - ask.given.length;
          over.abort('answered');
          gone.removeEventListener('abort', ask.answer);
          resolve(ask.given);
          this.#changed();
        },
      };
      this.#asks.add(ask);
      this.#asked += count;
      if (gone.aborted) ask.answer();
      gone.addEventListener('abort', ask.answer);
      void this.#clock.sleepUntil(untilMs, over.signal).then(ask.answer);
    });
  }

  /** Gives one to the call that came first, if any waits. */
  give(make: (leaseMs: number) => Lease): void {
    for (const ask of this.#asks) {
      ask.given.push(make(ask.leaseMs));
      this.#asked -= 1;
      if (ask.given.length === ask.count) ask.answer();
      else if (ask.given.length === 1)
        void this.#clock.sleepUntil(this.#clock.nowMs() + lendingLimits.gatherMs).then(ask.answer);
      return;
    }
  }

  /** Answers all waiting calls with the URLs they have. */
  end(): void {
    for (const ask of [...this.#asks]) ask.answer();
  }
}
