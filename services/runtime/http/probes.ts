/**
 * Probes for an orchestrator: is a service alive, has it started, is it ready?
 *
 * `/livez` answers as long as the process runs. `/startupz` is 200 once the service was ready for the first time: a
 * restore may take long, and must not be killed for it. `/readyz` is 200 while all partitions of this process are
 * restored, and its warm copies of others have caught up once; a new partition or copy makes it wait again. So a
 * rolling update waits for the copies, and a start does not. Trouble elsewhere, such as missing fetchers, is noted in its
 * answer but does not affect readiness, because orchestrators start services one after another.
 */
export class Probes {
  #started = false;
  #why: () => string | null = () => 'starting';
  #warms: () => string | null = () => null;
  #note: () => string | null = () => null;

  /**
   * Sets the status. `why` returns what the service waits for; null: nothing. `note` returns a hint for the operator
   * while the service is ready. `warms` returns the reason why others should not stop yet, although this service has
   * started; null: none.
   */
  serve(
    why: () => string | null,
    note: () => string | null = () => null,
    warms: () => string | null = () => null,
  ): void {
    this.#why = why;
    this.#note = note;
    this.#warms = warms;
  }

  /** Out of service until `serve` is called again. */
  suspend(why: string): void {
    this.#why = () => why;
    this.#note = () => null;
    this.#warms = () => null;
  }

  /** The reason why the service is not ready; null: it is ready. */
  get waitsFor(): string | null {
    const why = this.#why();
    if (why !== null) return why;
    this.#started = true;
    return this.#warms();
  }

  /** A warning although the service is ready; null: none. */
  get note(): string | null {
    return this.#note();
  }

  get started(): boolean {
    if (!this.#started && this.#why() === null) this.#started = true;
    return this.#started;
  }
}
