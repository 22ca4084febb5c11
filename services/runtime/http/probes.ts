/**
 * What an orchestrator asks a service: is it alive, has it come up, may it be counted on?
 *
 * `/livez` answers as long as the process runs. `/startupz` is 200 once the service was ready for the first time: a
 * restore may take long, and must not be killed for it. `/readyz` is 200 while everything this process holds is
 * restored; a partition that just arrived makes it wait again. What is wrong elsewhere, such as that there is no
 * fetcher, is noted in its answer but keeps nothing from being ready, since orchestrators bring services up one after
 * another.
 */
export class Probes {
  #started = false;
  #why: () => string | null = () => 'starting';
  #note: () => string | null = () => null;

  /**
   * From now on `why` returns what the service waits for; null: nothing. `note`: what an operator should know though it
   * is ready.
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

  /** The service's present wait; null: it is ready. */
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
