/**
 * The front queues of each host: a list of front queue ids per host, by ascending number. The ids are local to this
 * process; a freed id is reused.
 */
import { fitted } from '../storage/columns.ts';

export class FrontQueueList {
  /** First front queue of a host; 0: none. */
  #first = new Int32Array(0);
  /** By front queue id; 0 is never used. */
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

  nextOf(frontQueue: number): number {
    return this.#next[frontQueue]!;
  }

  numberOf(frontQueue: number): number {
    return this.#number[frontQueue]!;
  }

  hostOf(frontQueue: number): number {
    return this.#host[frontQueue]!;
  }

  /** 0: the host has none of that number. */
  find(host: number, number: number): number {
    let frontQueue = this.#first[host]!;
    while (frontQueue !== 0 && this.#number[frontQueue]! < number) frontQueue = this.#next[frontQueue]!;
    return frontQueue !== 0 && this.#number[frontQueue] === number ? frontQueue : 0;
  }

  add(host: number, number: number): number {
    const frontQueue = this.#free === 0 ? ++this.#used : this.#free;
    if (this.#free !== 0) this.#free = this.#next[frontQueue]!;
    this.#next = fitted(this.#next, frontQueue);
    this.#host = fitted(this.#host, frontQueue);
    this.#number = fitted(this.#number, frontQueue);
    this.#host[frontQueue] = host;
    this.#number[frontQueue] = number;
    let before = 0;
    let next = this.#first[host]!;
    while (next !== 0 && this.#number[next]! < number) [before, next] = [next, this.#next[next]!];
    this.#next[frontQueue] = next;
    if (before === 0) this.#first[host] = frontQueue;
    else this.#next[before] = frontQueue;
    return frontQueue;
  }

  remove(frontQueue: number): void {
    const host = this.#host[frontQueue]!;
    let before = 0;
    let at = this.#first[host]!;
    while (at !== frontQueue) [before, at] = [at, this.#next[at]!];
    if (before === 0) this.#first[host] = this.#next[frontQueue]!;
    else this.#next[before] = this.#next[frontQueue]!;
    this.#next[frontQueue] = this.#free;
    this.#free = frontQueue;
  }
}
