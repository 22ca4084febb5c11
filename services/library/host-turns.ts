/**
 * One request to a host at a time, each a delay after the end of the one before: also where a robots.txt of another host
 * leads there while a lease of it is worked on.
 */
import type { Clock } from '../runtime/clock.ts';

interface Turn {
  free: Promise<void>;
  endedAtMs: number;
}

export class HostTurns {
  readonly #clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  readonly #turns = new Map<string, Turn>();

  constructor(clock: Pick<Clock, 'nowMs' | 'sleepUntil'>) {
    this.#clock = clock;
  }

  /** `act` is the request. What is aborted while it waits is not made: undefined. */
  async take<T>(hostKey: string, delayMs: number, signal: AbortSignal, act: () => Promise<T>): Promise<T | undefined> {
    const turn = this.#turns.get(hostKey) ?? { free: Promise.resolve(), endedAtMs: 0 };
    this.#turns.set(hostKey, turn);
    const before = turn.free;
    let leave!: () => void;
    turn.free = new Promise((resolve) => {
      leave = resolve;
    });
    await before;
    try {
      if (turn.endedAtMs > 0) await this.#clock.sleepUntil(turn.endedAtMs + delayMs, signal);
      if (signal.aborted) return undefined;
      try {
        return await act();
      } finally {
        turn.endedAtMs = this.#clock.nowMs();
      }
    } finally {
      leave();
    }
  }
}
