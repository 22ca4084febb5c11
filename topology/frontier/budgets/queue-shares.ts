/**
 * How much of a partition's queue each host and each registrable domain takes up, so that none can fill it
 * (decide/links/queue-share.ts says why).
 *
 * A host's count is exact, 8 B each. Domains are counted in a sketch of fixed size (count-min: Cormode &
 * Muthukrishnan, J. Algorithms 55, 2005), with a hash keyed per crawl. It never counts too few. It counts too many
 * only by URLs of other domains that share all four cells, a few thousandths of a percent of the queue. All of this
 * follows from the queues: no change carries it, and it is collected again after a checkpoint is loaded.
 */
import { fingerprint } from '../../url/fingerprint.ts';
import { withoutPort } from '../../url/host-key.ts';
import { registrableDomain } from '../../url/registrable-domain.ts';
import { budgetQueue } from '../queues/held-queues.ts';
import { fitted } from '../storage/columns.ts';

const rows = 4;
const cells = 1 << 14;

/** The facts about a host's queue that shares need. */
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
  /** Whether the current policy limits shares. */
  on = false;
  /**
   * Hosts that have only deferred URLs left, deferred for their share or for a budget of an earlier policy: their
   * queues may be opened. Empty if budgets open the queues.
   */
  readonly drained = new Set<number>();
  /** Number of deferred URLs that may be drawn now. They come after the front queues, and take up no room. */
  opened = 0;
  readonly #key: { readonly hi: number; readonly lo: number };
  /** A quarter of a megabyte, allocated only if the partition limits shares. A queue has far fewer URLs than 2^32. */
  #sketch: Uint32Array | undefined;
  /** By host: number of its URLs in the sketch, and of its opened deferred URLs. */
  #front = new Uint32Array(0);
  #behind = new Uint32Array(0);
  readonly #fingerprint = new Uint32Array(2);
  #opens = false;
  #lastDomain = '';
  #lastHost = '';

  constructor(key: { readonly hi: number; readonly lo: number }) {
    this.#key = key;
  }

  /** Call after every change to a host. */
  settle(host: Sharer): void {
    if (this.on) this.#share(host);
    if (!this.#opens) return;
    const { id, queue } = host;
    if (queue.sizeOf(budgetQueue) > 0 && queue.frontSize === 0 && !queue.opened.includes(budgetQueue))
      this.drained.add(id);
    else this.drained.delete(id);
  }

  #share({ id, key, queue }: Sharer): void {
    const sketch = (this.#sketch ??= new Uint32Array(rows * cells));
    this.#front = fitted(this.#front, id + 1);
    this.#behind = fitted(this.#behind, id + 1);
    const front = queue.frontSize;
    const by = front - this.#front[id]!;
    if (by !== 0) {
      this.#aim(key);
      for (let row = 0; row < rows; row++) sketch[this.#cell(row)]! += by;
      this.#front[id] = front;
    }
    const behind = queue.opened.includes(budgetQueue) ? queue.sizeOf(budgetQueue) : 0;
    this.opened += behind - this.#behind[id]!;
    this.#behind[id] = behind;
  }

  /** URLs queued of a host's registrable domain, or of an address. */
  ofDomain(hostKey: string): number {
    if (this.#sketch === undefined) return 0;
    this.#aim(hostKey);
    let least = Number.POSITIVE_INFINITY;
    for (let row = 0; row < rows; row++) least = Math.min(least, this.#sketch[this.#cell(row)]!);
    return least;
  }

  /**
   * Applies a policy. `on`: hosts have shares. `opens`: deferred URLs are opened here, because no budget opens them.
   * `hosts`: hosts to collect the counts from.
   */
  turn(on: boolean, opens: boolean, hosts: Iterable<Sharer>): void {
    if (on === this.on && opens === this.#opens) return;
    this.on = on;
    this.#opens = opens;
    this.#sketch?.fill(0);
    this.#front.fill(0);
    this.#behind.fill(0);
    this.drained.clear();
    this.opened = 0;
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
