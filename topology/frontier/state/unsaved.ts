/** Changes since the last checkpoint. */
import type { KnownUrl } from '../changes/changes.ts';
import { fitted } from '../storage/columns.ts';

export class Unsaved {
  /** Records of URLs that were finished, or are known from elsewhere. */
  records: KnownUrl[] = [];
  /** Those of them that a round of writing has taken, and may not have written. */
  writing: readonly KnownUrl[] = [];
  /** Whether a checkpoint exists, in part or whole: rows of it may hold what is not in memory. */
  hasRows = false;
  /** High words of the fingerprints of a list's records, as far as they were needed: such a list only grows. */
  readonly #highs = new WeakMap<readonly KnownUrl[], number[]>();
  #hosts: number[] = [];
  #flags = new Uint8Array(0);

  get hosts(): number {
    return this.#hosts.length;
  }

  /** The records of a list with high words of fingerprints in a range. `highOf`: of a URL. */
  *between(
    records: readonly KnownUrl[],
    from: number,
    to: number,
    highOf: (url: string) => number,
  ): Iterable<KnownUrl> {
    const highs = this.#highs.get(records) ?? [];
    this.#highs.set(records, highs);
    for (let at = 0; at < records.length; at++) {
      const high = (highs[at] ??= highOf(records[at]!.url));
      if (high >= from && high < to) yield records[at]!;
    }
  }

  addHost(id: number): void {
    this.#flags = fitted(this.#flags, id);
    if (this.#flags[id] === 1) return;
    this.#flags[id] = 1;
    this.#hosts.push(id);
  }

  /** The hosts, by number ascending. A change to a host before `written` reports it is written along. */
  takeHosts(): Uint32Array {
    const taken = Uint32Array.from(this.#hosts).sort();
    this.#hosts = [];
    return taken;
  }

  written(id: number): void {
    this.#flags[id] = 0;
  }
}
