/**
 * Lists the first hosts of a partition in some order. It scans all hosts, in slices between two steps, and plays no
 * part in decisions.
 *
 * Memory is bounded by the limit, whatever the number of hosts: a row is made only for a host that precedes one of
 * the rows found so far. A slice reads the current state, so a row may be outdated when its host changes during the
 * scan. Cost: 0.2 µs a host.
 */

import type { HostSettings } from '../../policy/overlay-config.ts';
import { hostSettingsOf } from '../../policy/overlay-hosts.ts';
import { defaultPolicy } from '../../policy/policy.ts';
import { parsePolicy } from '../../policy/validate.ts';
import { frontQueueCount } from '../../url/front-queue.ts';
import type { HostFacts, HostHold } from '../changes/changes.ts';
import { isFailingServer, pagesMaxOf, politeDelayMs } from '../decide/politeness.ts';
import { frontierLimits } from '../frontier-limits.ts';
import type { FrontierState } from '../state/state.ts';
import type { StoreJob } from '../storage/store-job.ts';

/**
 * queued, fetched, pages, delay: highest first. errors: consecutive failures first, then answers that were not pages. ready:
 * earliest next contact first. Ties are ordered by name.
 */
export const hostSorts = ['queued', 'fetched', 'pages', 'errors', 'delay', 'ready', 'name'] as const;
export type HostSort = (typeof hostSorts)[number];

export interface HostsWanted {
  /** A part of host keys, in lower case. Empty: all hosts. */
  readonly search: string;
  readonly sort: HostSort;
  readonly limit: number;
}

/** Times in ms since the Unix epoch, durations in ms. */
export interface HostRow {
  readonly host: string;
  /** URLs that wait for their turn, those to be retried among them. */
  readonly queued: number;
  /** URLs that wait for a verdict to be lifted: a block, a budget, a trap. */
  readonly deferred: number;
  readonly leases: number;
  /** URLs with a final answer, and those of them that were pages worth keeping. */
  readonly fetched: number;
  readonly pages: number;
  /**
   * Leases in a row that failed because of the host, and back-offs since the last good answer: after 429, 503, a timeout,
   * or errors of the server.
   */
  readonly failures: number;
  readonly throttles: number;
  /** Whether it is backed off because its server failed several URLs in a row. */
  readonly serverFails: boolean;
  /** Wait from the completion of a request to the next one's start. */
  readonly delayMs: number;
  /** null: it has nothing to do, is on all its leases, or on hold. */
  readonly readyAtMs: number | null;
  /** Why it takes no leases; empty: it does. */
  readonly hold: HostHold;
  /** Until when it counts as dead; null: it is alive. */
  readonly deadUntilMs: number | null;
  /** Most pages of the host, by an operator or the policy; null: any number. Absent: an older frontier answered. */
  readonly pagesMax?: number | null;
}

export interface HostList {
  /** In order; at most as many as were wanted. */
  readonly hosts: readonly HostRow[];
  /** Hosts that the search found, listed or not. */
  readonly matched: number;
  /** Number of known hosts. */
  readonly known: number;
}

/** The rank of a host in an order; the highest comes first. */
export function rankOf(host: HostRow, sort: HostSort): number {
  switch (sort) {
    case 'name':
      return 0;
    case 'delay':
      return host.delayMs;
    case 'errors':
      // The sum stays far below 2^53, however many there are.
      return (host.failures + host.throttles) * 2 ** 32 + host.fetched - host.pages;
    case 'ready':
      return host.readyAtMs === null ? Number.NEGATIVE_INFINITY : -host.readyAtMs;
    default:
      return host[sort];
  }
}

/** Keeps the first `limit` of the rows it is given. */
export class FirstHosts<Row extends HostRow = HostRow> {
  readonly #wanted: HostsWanted;
  readonly #found: { readonly rank: number; readonly row: Row }[] = [];

  constructor(wanted: HostsWanted) {
    this.#wanted = wanted;
  }

  get rows(): Row[] {
    return this.#found.map(({ row }) => row);
  }

  /** Adds the row if it is among the first. `kept` makes a copy to keep, because `row` is reused for the next host. */
  offer(row: HostRow, kept: () => Row): void {
    const { sort, limit } = this.#wanted;
    const found = this.#found;
    const rank = rankOf(row, sort);
    if (limit === 0 || (found.length >= limit && rank < found[limit - 1]!.rank)) return;
    let [low, high] = [0, found.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = found[middle]!;
      if (other.rank > rank || (other.rank === rank && other.row.host < row.host)) low = middle + 1;
      else high = middle;
    }
    if (low >= limit) return;
    found.splice(low, 0, { rank, row: kept() });
    if (found.length > limit) found.pop();
  }
}

/** A scan over one state, slice by slice; of another state it starts over. */
export class HostScan {
  readonly #wanted: HostsWanted;
  #state: FrontierState | undefined;
  #first: FirstHosts;
  #next = 0;
  #matched = 0;

  constructor(wanted: HostsWanted) {
    this.#wanted = wanted;
    this.#first = new FirstHosts(wanted);
  }

  /** Undefined: the scan is not finished, and the next slice goes on. */
  *slice(state: FrontierState): StoreJob<HostList | undefined> {
    if (state !== this.#state) {
      this.#state = state;
      this.#first = new FirstHosts(this.#wanted);
      this.#next = this.#matched = 0;
    }
    const { search } = this.#wanted;
    const known = state.hosts.size;
    const end = Math.min(known, this.#next + frontierLimits.hostsPerLook);
    const at = new HostNow(state);
    for (; this.#next < end; this.#next++) {
      at.move(this.#next);
      if (search !== '' && !at.host.includes(search)) continue;
      this.#matched += 1;
      this.#first.offer(at, () => at.copy());
    }
    return this.#next < known ? undefined : { hosts: this.#first.rows, matched: this.#matched, known };
  }
}

/** A row that is reused for one host after another; each field is computed when it is read. */
class HostNow implements HostRow {
  readonly #state: FrontierState;
  readonly #settingsOf: (hostKey: string) => HostSettings;
  #id = 0;
  #facts: HostFacts | undefined;

  constructor(state: FrontierState) {
    this.#state = state;
    this.#settingsOf = hostSettingsOf(state.policyJson === '' ? defaultPolicy() : parsePolicy(state.policyJson));
  }

  move(id: number): void {
    this.#id = id;
    this.#facts = undefined;
  }

  copy(): HostRow {
    const { host, queued, deferred, leases, fetched, pages, failures, throttles } = this;
    const { serverFails, delayMs, readyAtMs, hold, deadUntilMs, pagesMax } = this;
    const counts = { host, queued, deferred, leases, fetched, pages, failures, throttles };
    return { ...counts, serverFails, delayMs, readyAtMs, hold, deadUntilMs, pagesMax };
  }

  get host(): string {
    return this.#state.hosts.keys.keyOf(this.#id);
  }

  get queued(): number {
    return this.#waiting(false);
  }

  get deferred(): number {
    return this.#waiting(true);
  }

  get leases(): number {
    return this.#state.hosts.leases.get(this.#id)?.length ?? 0;
  }

  get fetched(): number {
    return this.#known.fetched;
  }

  get pages(): number {
    return this.#known.pages;
  }

  get failures(): number {
    return this.#known.failures;
  }

  get throttles(): number {
    return this.#known.throttles;
  }

  get serverFails(): boolean {
    return isFailingServer(this.#settingsOf(this.host), this.#known);
  }

  get delayMs(): number {
    return politeDelayMs(this.#settingsOf(this.host), this.#known);
  }

  get readyAtMs(): number | null {
    return this.#state.clock.readyAtMs(this.#id) ?? null;
  }

  get hold(): HostHold {
    return this.#known.hold;
  }

  get deadUntilMs(): number | null {
    return this.#known.deadUntilMs || null;
  }

  get pagesMax(): number | null {
    const pagesMax = pagesMaxOf(this.#settingsOf(this.host), this.#known);
    return pagesMax < 0 ? null : pagesMax;
  }

  get #known(): HostFacts {
    this.#facts ??= this.#state.hosts.facts.get(this.#id);
    return this.#facts;
  }

  /** URLs by place, as the counters count them (state/place-of.ts). */
  #waiting(held: boolean): number {
    const { frontQueues, again, opened } = this.#state.queues;
    const onHold = this.#state.hosts.facts.hold(this.#id) !== '';
    let urls = onHold === held ? (again.get(this.#id)?.size ?? 0) : 0;
    for (
      let frontQueue = frontQueues.list.firstOf(this.#id);
      frontQueue !== 0;
      frontQueue = frontQueues.list.nextOf(frontQueue)
    ) {
      const number = frontQueues.list.numberOf(frontQueue);
      const isHeld = onHold || (number >= frontQueueCount && opened.get(this.#id)?.includes(number) !== true);
      if (isHeld === held) urls += frontQueues.count(frontQueue);
    }
    return urls;
  }
}
