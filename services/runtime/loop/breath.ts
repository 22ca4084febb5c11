/**
 * A loop that finds something to do each time it looks never lets go of the event loop: what it awaits is there at once, and timers,
 * sockets and the probe of whether the process lives wait for ever. A breath lets them have their turn. It goes by the loop's rounds,
 * not by a clock, so that a simulation with the same seed takes the same ones.
 */
import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Rounds of some hundred microseconds to a millisecond each. */
const roundsMax = 16;

export class Breath {
  #rounds = 0;

  /** To be called once a round. Undefined: others had their turn a moment ago. */
  take(): Promise<void> | undefined {
    this.#rounds += 1;
    if (this.#rounds < roundsMax) return undefined;
    this.#rounds = 0;
    return turnOfOthers();
  }
}
