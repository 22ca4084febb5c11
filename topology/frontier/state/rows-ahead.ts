/**
 * Hosts with checkpoint rows that are ahead of the checkpoint's position. Such a row contains all changes up to its
 * own position, so a replay skips the host until it reaches that position (state.ts, checkpoint/save-checkpoint.ts).
 */
export class RowsAhead {
  readonly #positions = new Map<number, number>();
  /** The furthest position of these rows. */
  until = 0;

  /** A host's row has its state at `position`. */
  set(host: number, position: number): void {
    this.#positions.set(host, position);
    this.until = Math.max(this.until, position);
  }

  /** Returns whether the host's row already contains the effects of record `offset` of the changelog. */
  holds(host: number, offset: number): boolean {
    return offset < this.until && offset < (this.#positions.get(host) ?? 0);
  }

  /** Call when the replay has reached the furthest position: returns the hosts, and no row is ahead any more. */
  end(): number[] {
    const hosts = [...this.#positions.keys()];
    this.#positions.clear();
    this.until = 0;
    return hosts;
  }
}
