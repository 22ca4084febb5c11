/**
 * Judges whether the event loop of the main thread stands, and which subject it works for: by rounds of the watching
 * thread, not by the time of day.
 */
export interface LoopSubject {
  readonly number: number;
  /** null: it is gone. */
  readonly subject: string | null;
}

/** `noted`: the loop stands. `running`: it runs again. `ended`: it has stood for too long. null: nothing is new. */
export type LoopNews = 'noted' | 'running' | 'ended' | null;

export type RoundLimits = Readonly<Record<'beatMs' | 'notedMs' | 'stillMsMax', number>>;

export class LoopRounds {
  readonly #limits: RoundLimits;
  readonly #subjects = new Map<number, string>();
  /** Consecutive rounds without a beat, by the subject of the main thread's work. */
  readonly #rounds = new Map<number, number>();
  #lastBeat = 0;
  #isNoted = false;
  #isEnded = false;

  constructor(limits: RoundLimits) {
    this.#limits = limits;
  }

  report({ number, subject }: LoopSubject): void {
    if (subject === null) this.#subjects.delete(number);
    else this.#subjects.set(number, subject);
  }

  /** One round, `beatMs` after the last one. `number`: the subject that the main thread works for; 0: none. */
  look(beat: number, number: number): LoopNews {
    if (this.#isEnded) return null;
    if (beat !== this.#lastBeat) {
      this.#lastBeat = beat;
      this.#rounds.clear();
      const news = this.#isNoted ? 'running' : null;
      this.#isNoted = false;
      return news;
    }
    this.#rounds.set(number, (this.#rounds.get(number) ?? 0) + 1);
    const stillMs = this.#limits.beatMs * this.#all;
    if (stillMs >= this.#limits.stillMsMax) {
      this.#isEnded = true;
      return 'ended';
    }
    if (this.#isNoted || stillMs < this.#limits.notedMs) return null;
    this.#isNoted = true;
    return 'noted';
  }

  /** The subject of more than half of the rounds; null: none. */
  get culprit(): string | null {
    const found = [...this.#rounds].find(([number, count]) => number !== 0 && count * 2 > this.#all);
    return (found && this.#subjects.get(found[0])) ?? null;
  }

  get #all(): number {
    return [...this.#rounds.values()].reduce((sum, one) => sum + one, 0);
  }
}
