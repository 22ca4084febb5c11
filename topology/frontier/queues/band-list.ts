/**
 * Which bands a host has: a list of band numbers per host, by front queue ascending. Numbers of bands are this process's
 * own; one that is given back is used again.
 */
import { fitted } from '../storage/columns.ts';

export class BandList {
  /** First band of a host; 0: none. */
  #first = new Int32Array(0);
  /** By band; 0 is never used. */
  #next = new Int32Array(0);
  #host = new Int32Array(0);
  #number = new Uint8Array(0);
  #free = 0;
  #used = 0;

  fitHost(host: number): void {
    this.#first = fitted(this.#first, host);
  }

  /** 0: the host has none. */
  firstOf(host: number): number {
    return this.#first[host]!;
  }

  nextOf(band: number): number {
    return this.#next[band]!;
  }

  numberOf(band: number): number {
    return this.#number[band]!;
  }

  hostOf(band: number): number {
    return this.#host[band]!;
  }

  /** 0: the host has none of that number. */
  find(host: number, number: number): number {
    let band = this.#first[host]!;
    while (band !== 0 && this.#number[band]! < number) band = this.#next[band]!;
    return band !== 0 && this.#number[band] === number ? band : 0;
  }

  add(host: number, number: number): number {
    const band = this.#free === 0 ? ++this.#used : this.#free;
    if (this.#free !== 0) this.#free = this.#next[band]!;
    this.#next = fitted(this.#next, band);
    this.#host = fitted(this.#host, band);
    this.#number = fitted(this.#number, band);
    this.#host[band] = host;
    this.#number[band] = number;
    let before = 0;
    let next = this.#first[host]!;
    while (next !== 0 && this.#number[next]! < number) [before, next] = [next, this.#next[next]!];
    this.#next[band] = next;
    if (before === 0) this.#first[host] = band;
    else this.#next[before] = band;
    return band;
  }

  remove(band: number): void {
    const host = this.#host[band]!;
    let before = 0;
    let at = this.#first[host]!;
    while (at !== band) [before, at] = [at, this.#next[at]!];
    if (before === 0) this.#first[host] = this.#next[band]!;
    else this.#next[before] = this.#next[band]!;
    this.#next[band] = this.#free;
    this.#free = band;
  }
}
