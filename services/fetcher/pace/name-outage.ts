/**
 * Detects an outage of the name servers alone. Hosts with known addresses go on answering, so their answers show
 * nothing: only other names show whether a name without an answer is its own domain's fault or ours. Ours costs no
 * host anything; it waits until its name is looked up again.
 */
import type { Clock } from '../../runtime/clock.ts';

export interface NameOutageOptions {
  /** The clock of the requests' times. */
  readonly clock: Clock;
  /** True if name servers answer for other names than this one now. Null: too few are known. */
  resolvesOthers(hostname: string): Promise<boolean | null>;
  /** Called when they answer again: failed name resolutions are void. */
  onBack(): void;
  say(text: string): void;
}

export class NameOutage {
  readonly #options: NameOutageOptions;
  #isAway = false;
  #backAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NameOutageOptions) {
    this.#options = options;
  }

  /** True if the fault is ours that no server answered for the name of a request. */
  async explains(url: string, startMs: number): Promise<boolean> {
    const { clock, resolvesOthers, onBack, say } = this.#options;
    const isAway = (await resolvesOthers(new URL(url).hostname)) === false;
    if (isAway && !this.#isAway)
      say('the name servers do not answer: hosts without a known address wait, and count no failures');
    if (this.#isAway && !isAway) {
      say('the name servers answer again');
      this.#backAtMs = clock.nowMs();
      onBack();
    }
    this.#isAway = isAway;
    return isAway || startMs <= this.#backAtMs;
  }
}
