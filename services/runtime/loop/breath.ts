/**
 * Yields to timers, sockets and liveness probes now and then. A loop that always finds work never yields to the event
 * loop, because its awaits resolve at once. Breaths are counted in rounds of the loop, not by a clock, so that a
 * simulation with the same seed takes the same ones.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Rounds between two yields, each of some hundred microseconds to a millisecond. */
const roundsMax = 16;

export class Breath {
  #rounds = 0;

  /** Call once a round. Undefined: no need to yield yet. */
  take(): Promise<void> | undefined {
    this.#rounds += 1;
    if (this.#rounds < roundsMax) return undefined;
    this.#rounds = 0;
    return turnOfOthers();
  }
}
