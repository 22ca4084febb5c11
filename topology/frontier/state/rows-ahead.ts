/**
 * Hosts whose rows in the checkpoint are ahead of its position: changes up to a row's own position are in the row, and a replay
 * leaves that host alone until it gets there (state.ts, checkpoint/save-checkpoint.ts).
 */
export class RowsAhead {
  readonly #positions = new Map<number, number>();
  /** The furthest position of such a row. */
  until = 0;

  /** A host's row has its state at `position`. */
  set(host: number, position: number): void {
    this.#positions.set(host, position);
    this.until = Math.max(this.until, position);
  }

  /** Does the host's row already hold what record `offset` of the changelog did? */
  holds(host: number, offset: number): boolean {
    return offset < this.until && offset < (this.#positions.get(host) ?? 0);
  }

  /** The replay has reached the furthest of them: returns their hosts, and none is ahead any more. */
  end(): number[] {
    const hosts = [...this.#positions.keys()];
    this.#positions.clear();
    this.until = 0;
    return hosts;
  }
}
