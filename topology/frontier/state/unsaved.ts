/** Changes since the last checkpoint. */
import type { KnownUrl } from '../changes/changes.ts';
import { fitted } from '../storage/columns.ts';

export class Unsaved {
  /** Records of URLs that were finished, or are known from elsewhere. */
  records: KnownUrl[] = [];
  /** Those of them that a round of writing has taken, and may not have written. */
  writing: readonly KnownUrl[] = [];
  #hosts: number[] = [];
  #flags = new Uint8Array(0);

  get hosts(): number {
    return this.#hosts.length;
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
