/**
 * How much of a partition's queue each host and each registrable domain takes up, so that none can fill it
 * (decide/links/queue-share.ts says why).
 *
 * A host's count is exact, 8 B each. Domains are counted in a sketch of fixed size (count-min: Cormode & Muthukrishnan,
 * J. Algorithms 55, 2005), by a hash keyed per crawl: it never counts too few, and too many only by what shares all
 * four cells of a domain, a few thousandths of a percent of the queue. All of this follows from the queues: no change
 * carries it, and it is gathered again when a checkpoint was loaded.
 */
import { fingerprint } from '../../url/fingerprint.ts';
import { withoutPort } from '../../url/host-key.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';
import { budgetQueue } from '../queues/held-queues.ts';
import { fitted } from '../storage/columns.ts';

const rows = 4;
const cells = 1 << 14;

/** What is needed to know of a host for its queue. */
export interface Sharer {
  readonly id: number;
  readonly key: string;
  readonly queue: {
    readonly frontSize: number;
    sizeOf(frontQueue: number): number;
    readonly opened: readonly number[];
  };
}

export class QueueShares {
  /** Does the policy in force ask for shares? */
  on = false;
  /**
   * Hosts with nothing left but what was deferred for their share: the queues of what was deferred may be opened. Empty
   * where budgets open them.
   */
  readonly drained = new Set<number>();
  /** URLs that were deferred and may be drawn now: they stand behind the front queues, and take up no room. */
  opened = 0;
  readonly #key: { readonly hi: number; readonly lo: number };
  /** Half a megabyte, which a partition without shares does without. */
  #sketch: Float64Array | undefined;
  /** By host: its URLs in the sketch, and those of its front queue that is open. */
  #front = new Uint32Array(0);
  #behind = new Uint32Array(0);
  readonly #fingerprint = new Uint32Array(2);
  #opens = true;
  #lastDomain = '';
  #lastHost = '';

  constructor(key: { readonly hi: number; readonly lo: number }) {
    this.#key = key;
  }

  /** Call after every change to a host. */
  settle({ id, key, queue }: Sharer): void {
    if (!this.on) return;
    const sketch = (this.#sketch ??= new Float64Array(rows * cells));
    this.#front = fitted(this.#front, id + 1);
    this.#behind = fitted(this.#behind, id + 1);
    const front = queue.frontSize;
    const by = front - this.#front[id]!;
    if (by !== 0) {
      this.#aim(key);
      for (let row = 0; row < rows; row++) sketch[this.#cell(row)]! += by;
      this.#front[id] = front;
    }
    const deferred = queue.sizeOf(budgetQueue);
    const isOpen = queue.opened.includes(budgetQueue);
    const behind = isOpen ? deferred : 0;
    this.opened += behind - this.#behind[id]!;
    this.#behind[id] = behind;
    if (this.#opens && front === 0 && deferred > 0 && !isOpen) this.drained.add(id);
    else this.drained.delete(id);
  }

  /** URLs queued of a host's registrable domain, or of an address. */
  ofDomain(hostKey: string): number {
    if (this.#sketch === undefined) return 0;
    this.#aim(hostKey);
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < rows; row++) least = Math.min(least, this.#sketch[this.#cell(row)]!);
    return least;
  }

  /** A policy says whether hosts have shares, and whether budgets open what was deferred. `hosts`: to gather from. */
  turn(on: boolean, opens: boolean, hosts: Iterable<Sharer>): void {
    const begins = on && (!this.on || opens !== this.#opens);
    this.on = on;
    this.#opens = opens;
    if (on && !begins) return;
    this.#sketch?.fill(0);
    this.#front.fill(0);
    this.#behind.fill(0);
    this.drained.clear();
    this.opened = 0;
    if (!on) return;
    for (const host of hosts) this.settle(host);
  }

  #aim(hostKey: string): void {
    if (hostKey === this.#lastHost) return;
    this.#lastHost = hostKey;
    const name = withoutPort(hostKey);
    const domain = registrableDomain(name) ?? name;
    if (domain === this.#lastDomain) return;
    this.#lastDomain = domain;
    fingerprint(domain, this.#key.hi, this.#key.lo, this.#fingerprint);
  }

  #cell(row: number): number {
    const word = this.#fingerprint[row >> 1]!;
    return row * cells + ((row & 1) === 0 ? word & (cells - 1) : (word >>> 14) & (cells - 1));
  }
}
