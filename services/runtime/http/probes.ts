/**
 * Probes for an orchestrator: is a service alive, has it started, is it ready?
 *
 * `/livez` answers as long as the process runs. `/startupz` is 200 once the service was ready for the first time: a
 * restore may take long, and must not be killed for it. `/readyz` is 200 while all partitions of this process are
 * restored; a new partition makes it wait again. Trouble elsewhere, such as missing fetchers, is noted in its answer
 * but does not affect readiness, because orchestrators start services one after another.
 */
export class Probes {
  #started = false;
  #why: () => string | null = () => 'starting';
  #note: () => string | null = () => null;

  /**
   * Sets the status. `why` returns what the service waits for; null: nothing. `note` returns a hint for the operator
   * while the service is ready.
   */
  serve(why: () => string | null, note: () => string | null = () => null): void {
    this.#why = why;
    this.#note = note;
  }

  /** Out of service until `serve` is called again. */
  suspend(why: string): void {
    this.#why = () => why;
    this.#note = () => null;
  }

  /** The reason why the service is not ready; null: it is ready. */
  get waitsFor(): string | null {
    const why = this.#why();
    if (why === null) this.#started = true;
    return why;
  }

  /** A warning although the service is ready; null: none. */
  get note(): string | null {
    return this.#note();
  }

  get started(): boolean {
    return this.#started || this.waitsFor === null;
  }
}
