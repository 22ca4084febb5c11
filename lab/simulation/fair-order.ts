/**
 * Searches a partition's changelog for a host that was ready and was passed over: by a host that was found later, or
 * twice by the same host. It watches which hosts are leased, and knows nothing of how the host clock orders hosts.
 *
 * Hosts are compared with those in the same front queue, since a draw decides between front queues.
 */
import { readChangelog } from '../../topology/frontier/changes/changelog.ts';
import type { Change } from '../../topology/frontier/changes/changes.ts';
import type { FingerprintKey } from '../../topology/frontier/hosts/key-table.ts';
import { replay } from '../../topology/frontier/replay.ts';
import { clockQueueOf } from '../../topology/frontier/state/settle-host.ts';
import { FrontierState, type Host } from '../../topology/frontier/state/state.ts';

type Grant = Change & { readonly kind: 'grant' | 'grantDue' };

/** A host that was ready at the end of a commit, and has been since. */
interface Waiting {
  readonly queue: number;
  /** Offset and time of that commit. */
  readonly since: number;
  readonly sinceMs: number;
  readonly passedBy: Set<string>;
}

/** Changes that take hosts out of the order on purpose; the replayed clock does not show them. */
const exceptions = ['windows', 'pagesPerDomainMax', 'pagesPerHostMax'] as const;

export function firstUnfair(changelog: Iterable<readonly [offset: number, value: Buffer]>, key: FingerprintKey) {
  const state = new FrontierState(key);
  const order = new FairOrder(state);
  for (const [offset, value] of changelog) {
    order.begin(offset);
    replay(state, offset, readChangelog(value));
    order.end();
    if (order.unfair !== null) return `offset ${offset}: ${order.unfair}`;
  }
  return null;
}

class FairOrder {
  readonly #state: FrontierState;
  readonly #waiting = new Map<string, Waiting>();
  /** By host: the offset of the commit in which it was first found. */
  readonly #metAt = new Map<string, number>();
  #offset = 0;
  unfair: string | null = null;

  constructor(state: FrontierState) {
    this.#state = state;
    const apply = state.apply.bind(state);
    state.apply = (change) => {
      if (change.kind === 'grant' || change.kind === 'grantDue') this.#look(change);
      apply(change);
      if (change.kind === 'hostSlots' || change.kind === 'slotTimes') this.#begin(change.hostKey);
      if ('hostKey' in change && !this.#metAt.has(change.hostKey)) this.#metAt.set(change.hostKey, this.#offset);
    };
  }

  begin(offset: number): void {
    this.#offset = offset;
  }

  /**
   * A host that is ready now waits from now on; one that is not ready, or in another queue, waits no more. A host that
   * was contacted meanwhile, or asked for a pause, starts a new wait: of a host with several slots another lease may
   * have ended.
   */
  end(): void {
    const { hosts } = this.#state;
    const config = JSON.parse(this.#state.policyJson || '{}') as Record<string, unknown>;
    const isPlain = exceptions.every((name) => config[name] == null) && config['politenessKey'] !== 'domain';
    for (const host of hosts.values()) {
      const queue = isPlain ? this.#queueOf(host) : null;
      if (queue === null) this.#waiting.delete(host.key);
      else if (!this.#waitsOn(host, queue))
        this.#waiting.set(host.key, { queue, since: this.#offset, sinceMs: this.#state.nowMs, passedBy: new Set() });
    }
  }

  /**
   * An order for more or fewer leases, or for another delay of each, takes effect at once: the host may have one more
   * now, or must wait for a slot.
   */
  #begin(hostKey: string): void {
    this.#waiting.delete(hostKey);
    for (const { passedBy } of this.#waiting.values()) passedBy.delete(hostKey);
  }

  #waitsOn(host: Host, queue: number): boolean {
    const waiting = this.#waiting.get(host.key);
    return waiting?.queue === queue && host.facts.readyAtMs <= waiting.sinceMs;
  }

  /** The queue in which a host waits for a lease that it may have now; null: it may have none. */
  #queueOf(host: Host): number | null {
    const readyAtMs = this.#state.clock.readyAtMs(host.id);
    return readyAtMs === undefined || readyAtMs > this.#state.nowMs ? null : clockQueueOf(this.#state, host);
  }

  #look({ hostKey, again, frontQueues, ...grant }: Grant): void {
    const isForUrls = frontQueues.length > 0 || again > 0 || grant.kind === 'grantDue';
    const host = this.#state.hosts.get(hostKey);
    if (!isForUrls || host === undefined) return;
    const queue = clockQueueOf(this.#state, host);
    const readyMs = this.#waiting.get(hostKey)?.sinceMs ?? this.#state.nowMs;
    this.#waiting.delete(hostKey);
    for (const [other, waiting] of this.#waiting) {
      // Hosts that became ready in the same millisecond are ready together.
      if (readyMs <= waiting.sinceMs) continue;
      if (waiting.queue !== queue || this.#queueOf(this.#state.hosts.get(other)!) !== queue) continue;
      if (this.#metAt.get(hostKey)! > waiting.since) this.unfair = `${hostKey} was found later than ${other} was ready`;
      if (waiting.passedBy.has(hostKey)) this.unfair = `${hostKey} passed ${other} a second time`;
      waiting.passedBy.add(hostKey);
    }
  }
}
