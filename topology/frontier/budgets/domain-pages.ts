/**
 * Pages that registrable domains have given, and URLs of theirs that are out on leases, for a policy that caps the pages
 * of a domain (decide/leases/caps.ts). All of it follows from the hosts: no change carries it, and it is gathered again when
 * a checkpoint was loaded or a policy begins to cap.
 *
 * Memory, only while a policy caps: 8 bytes a host, and an entry a domain that has given a page.
 */
import { partitionKeyOf } from '../../url/host-key.ts';
import { fitted } from '../storage/columns.ts';

/** The facts about a host that the sums need. */
export interface PageGiver {
  readonly id: number;
  readonly key: string;
}

export class DomainPages {
  /** Whether the current policy caps the pages of a domain. */
  on = false;
  readonly #domains = new Map<string, { pages: number; leased: number }>();
  /** By host: its share of the sums. */
  #pages = new Uint32Array(0);
  #leased = new Uint32Array(0);

  /** Call after every change to a host, while this is on. */
  settle({ id, key }: PageGiver, pages: number, leased: number): void {
    this.#pages = fitted(this.#pages, id + 1);
    this.#leased = fitted(this.#leased, id + 1);
    if (pages === this.#pages[id] && leased === this.#leased[id]) return;
    const domain = partitionKeyOf(key, 'domain');
    let sums = this.#domains.get(domain);
    if (sums === undefined) this.#domains.set(domain, (sums = { pages: 0, leased: 0 }));
    sums.pages += pages - this.#pages[id]!;
    sums.leased += leased - this.#leased[id]!;
    this.#pages[id] = pages;
    this.#leased[id] = leased;
  }

  of(hostKey: string): { readonly pages: number; readonly leased: number } {
    return this.#domains.get(partitionKeyOf(hostKey, 'domain')) ?? nothing;
  }

  /** A policy says whether it caps; true: the hosts are to be settled. */
  turn(on: boolean): boolean {
    const begins = on && !this.on;
    this.on = on;
    if (on && !begins) return false;
    this.#domains.clear();
    this.#pages.fill(0);
    this.#leased.fill(0);
    return begins;
  }
}

const nothing = { pages: 0, leased: 0 } as const;
