/**
 * The logical state of one partition, and the only code that changes it.
 *
 * `applyChange` is used by the owner as it decides, by a standby and by a replay: state is what the changes add up to.
 * Invariants: a host has at most one lease; a host is on the clock exactly when a lease could be granted to it at
 * some time; every admitted URL is in one place, and the counters say in which (conservation, DESIGN §4.12).
 *
 * What is not yet on disk is remembered in `unsaved`, until `view.ts` has written it.
 */
import type { RobotsHop } from '../../schemas/types.ts';
import type { PolicyConfig } from '../policy/policy.ts';
import { fingerprint } from '../url/fingerprint.ts';
import { seenKey } from '../url/seen-key.ts';
import type { Again } from './back-queue.ts';
import { BackQueue } from './back-queue.ts';
import type { ChangelogPosition, InputPosition, InputTopic } from './changelog.ts';
import { changelogStart } from './changelog.ts';
import type { Change, FinalStatus, HostFacts, UrlRecord } from './changes.ts';
import { newHostFacts } from './changes.ts';
import type { Counters } from './counters.ts';
import { zeroCounters } from './counters.ts';
import type { Entry } from './entry.ts';
import { HostClock } from './host-clock.ts';
import { InLinks } from './in-links.ts';
import type { SeenConfig } from './seen/seen-config.ts';
import { SeenLoader } from './seen/seen-rows.ts';
import { SeenTest } from './seen/seen-test.ts';
import { admittedEvents, fetchedEvent, TrapsState } from './traps-state.ts';

export interface Host {
  /** Numbers hosts in the order they were first met; never reused. */
  readonly id: number;
  readonly key: string;
  facts: HostFacts;
  readonly queue: BackQueue;
  /** The lease it is on; 0: none. */
  leaseId: number;
}

export interface Lease {
  readonly id: number;
  readonly host: Host;
  /** By index in the task; null once resolved. */
  readonly entries: (Entry | null)[];
  readonly deadlineMs: number;
  readonly delayMs: number;
}

/** A row of the page quota's book, kept by partition 0: cumulative counts. */
export interface QuotaRow {
  readonly granted: number;
  readonly returned: number;
  readonly wanted: number;
  readonly version: number;
}

/** What changed since the view was last written. */
export interface Unsaved {
  readonly hosts: Set<Host>;
  readonly robotsHops: Set<Host>;
  readonly leases: Set<number>;
  /** By arrival number; null: it left. */
  readonly again: Map<number, { readonly hostId: number; readonly again: Again | null }>;
  readonly records: UrlRecord[];
}

export interface FingerprintKey {
  readonly hi: number;
  readonly lo: number;
}

export class FrontierState {
  readonly key: FingerprintKey;
  readonly seen: SeenTest;
  readonly seenLoader: SeenLoader;
  readonly hosts = new Map<string, Host>();
  readonly hostsById: Host[] = [];
  readonly clock = new HostClock();
  readonly traps = new TrapsState();
  readonly inLinks = new InLinks();
  readonly leases = new Map<number, Lease>();
  /** Hops of other hosts' robots.txt that wait for a lease of the host. */
  readonly robotsHops = new Map<Host, readonly RobotsHop[]>();
  /** Dead hosts whose queues are being given up on. */
  readonly burying = new Set<Host>();
  counters: Counters = zeroCounters();
  positions: Record<InputTopic, InputPosition> = {
    control: { offset: 0, slice: 0 },
    results: { offset: 0, slice: 0 },
    discovered: { offset: 0, slice: 0 },
  };
  changelog: ChangelogPosition = changelogStart;
  nowMs = 0;
  policyVersion = 0;
  /** Empty: no policy has arrived yet. */
  policyJson = '';
  quotaWanted = 0;
  readonly quotaBook = new Map<number, QuotaRow>();
  nextLeaseId = 1;
  nextAgainSeq = 1;
  unsaved: Unsaved = nothingUnsaved();
  readonly #print = new Uint32Array(2);

  constructor(key: FingerprintKey, seen?: SeenConfig) {
    this.key = key;
    this.seen = new SeenTest(seen);
    this.seenLoader = new SeenLoader(this.seen);
  }

  /** The fingerprint of a URL's seen key, as two words. The array is the same at each call. */
  fingerprintOf(url: string): Readonly<Uint32Array> {
    fingerprint(seenKey(url), this.key.hi, this.key.lo, this.#print);
    return this.#print;
  }

  get quotaLeft(): number {
    return this.counters.quotaGranted - this.counters.quotaReturned - this.counters.quotaSpent;
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'admit':
        return this.#admit(change);
      case 'count':
        this.counters[change.counter] += change.by;
        return;
      case 'grant':
        return this.#grant(change);
      case 'resolve':
        return this.#resolve(change);
      case 'release':
        return this.#release(change.leaseId);
      case 'host':
        return this.#setFacts(this.host(change.hostKey), change.facts);
      case 'bury':
        return this.#bury(this.host(change.hostKey), change.record);
      case 'finish':
        return this.#finish(this.host(change.hostKey), change.seq, change.record);
      case 'policy':
        this.setPolicy(change.version, change.json);
        return;
      case 'trap':
        this.host(change.hostKey);
        this.traps.add(change.hostKey, change);
        return this.#openBands(this.host(change.hostKey));
      case 'linked':
        return this.inLinks.count(change.prints);
      case 'releaseTrap':
        return this.#releaseTrap(this.host(change.hostKey), change.pattern);
      case 'quota':
        this.counters.quotaGranted = change.granted;
        this.counters.quotaReturned = change.returned;
        this.quotaWanted = change.wanted;
        return;
      case 'quotaBook':
        this.quotaBook.set(change.partition, change);
        return;
      case 'robotsHop': {
        const host = this.host(change.hostKey);
        return this.setRobotsHops(host, [...(this.robotsHops.get(host) ?? []), change.hop]);
      }
    }
  }

  /**
   * The fetchers of all leases are gone: their URLs come back at no attempt, and each host counts as contacted at
   * `nowMs`, which is not before they died.
   */
  endLeases(nowMs: number): void {
    for (const lease of [...this.leases.values()]) {
      const { host } = lease;
      lease.entries.forEach((entry, index) => {
        if (entry === null) return;
        const disposition = { to: 'again', dueAtMs: 0, entry } as const;
        this.#resolve({ kind: 'resolve', leaseId: lease.id, index, disposition, record: null });
      });
      this.#release(lease.id);
      this.#setFacts(host, { ...host.facts, readyAtMs: Math.max(host.facts.readyAtMs, nowMs + lease.delayMs) });
    }
  }

  setPolicy(version: number, json: string): void {
    this.policyVersion = version;
    this.policyJson = json;
    this.traps.on = json !== '' && (JSON.parse(json) as Partial<PolicyConfig>).traps !== undefined;
  }

  /** The host of a key, made on first sight. */
  host(key: string): Host {
    let host = this.hosts.get(key);
    if (host === undefined) {
      host = { id: this.hostsById.length, key, facts: newHostFacts, queue: new BackQueue(), leaseId: 0 };
      this.addHost(host);
      this.unsaved.hosts.add(host);
    }
    return host;
  }

  setRobotsHops(host: Host, hops: readonly RobotsHop[]): void {
    if (hops.length > 0) this.robotsHops.set(host, hops);
    else this.robotsHops.delete(host);
    this.unsaved.robotsHops.add(host);
  }

  addHost(host: Host): void {
    this.hosts.set(host.key, host);
    this.hostsById[host.id] = host;
    this.counters.hosts = this.hosts.size;
  }

  /** Puts a host on the clock, or takes it off, as its state says. Call after every change to a host. */
  settle(host: Host): void {
    const dueAtMs = host.queue.dueAtMs;
    const dead = host.facts.deadUntilMs > 0;
    if (dead && dueAtMs !== undefined && host.leaseId === 0) this.burying.add(host);
    else this.burying.delete(host);
    if (dueAtMs === undefined || dead || host.leaseId !== 0 || host.facts.hold !== '') this.clock.remove(host.id);
    else this.clock.schedule(host.id, Math.max(host.facts.readyAtMs, dueAtMs), host.queue.bestBand);
  }

  #changed(host: Host): void {
    this.unsaved.hosts.add(host);
    this.settle(host);
  }

  #admit({ hostKey, known, entries, prints }: Change & { kind: 'admit' }): void {
    const host = this.host(hostKey);
    entries.forEach((entry, index) => {
      if (!known) {
        if (prints === undefined) this.fingerprintOf(entry.url);
        this.seen.add(prints?.[2 * index] ?? this.#print[0]!, prints?.[2 * index + 1] ?? this.#print[1]!);
      }
      host.queue.band(entry.band).push(entry);
    });
    this.counters.admitted += entries.length;
    for (const { band } of entries) this.counters[placeOf(host, 0, band)] += 1;
    this.#changed(host);
    if (!this.traps.on) return;
    this.traps.learn(hostKey, host.facts.fetched + host.queue.size, admittedEvents(entries));
  }

  #grant(change: Change & { kind: 'grant' }): void {
    const host = this.host(change.hostKey);
    const entries: Entry[] = [];
    for (const again of host.queue.again.splice(0, change.again)) {
      this.counters[placeOf(host, again.dueAtMs)] -= 1;
      this.unsaved.again.set(again.seq, { hostId: host.id, again: null });
      entries.push(again.entry);
    }
    for (const [band, count] of change.bands) {
      for (let i = 0; i < count; i++) entries.push(host.queue.band(band).shift()!);
      this.counters[placeOf(host, 0, band)] -= count;
    }
    if (entries.length === 0) this.setRobotsHops(host, this.robotsHops.get(host)?.slice(1) ?? []);
    this.leases.set(change.leaseId, {
      id: change.leaseId,
      host,
      entries,
      deadlineMs: change.deadlineMs,
      delayMs: change.delayMs,
    });
    host.leaseId = change.leaseId;
    this.nextLeaseId = change.leaseId + 1;
    this.counters.leases += 1;
    this.counters.leased += entries.length;
    this.counters.quotaSpent += entries.length;
    this.unsaved.leases.add(change.leaseId);
    this.#changed(host);
  }

  #resolve(change: Change & { kind: 'resolve' }): void {
    const lease = this.leases.get(change.leaseId)!;
    lease.entries[change.index] = null;
    this.counters.leased -= 1;
    this.unsaved.leases.add(lease.id);
    const { disposition, record } = change;
    if (disposition.to === 'final') this.#end(lease.host, disposition.status, record);
    else this.#putAgain(lease.host, disposition.dueAtMs, disposition.entry);
    if (disposition.to !== 'final' || disposition.status !== 'page') this.counters.quotaSpent -= 1;
  }

  #putAgain(host: Host, dueAtMs: number, entry: Entry): void {
    const again = { dueAtMs, seq: this.nextAgainSeq++, entry };
    host.queue.putAgain(again);
    this.counters[placeOf(host, dueAtMs)] += 1;
    this.unsaved.again.set(again.seq, { hostId: host.id, again });
    this.#changed(host);
  }

  #release(leaseId: number): void {
    const { host } = this.leases.get(leaseId)!;
    this.leases.delete(leaseId);
    this.unsaved.leases.add(leaseId);
    this.counters.leases -= 1;
    host.leaseId = 0;
    this.#changed(host);
  }

  #setFacts(host: Host, facts: HostFacts): void {
    const moves = (facts.hold === '') !== (host.facts.hold === '');
    if (moves) this.#countQueue(host, -1);
    host.facts = facts;
    if (moves) this.#countQueue(host, 1);
    this.#changed(host);
  }

  /** A host's whole queue, in the counters it stands under. */
  #countQueue(host: Host, by: 1 | -1): void {
    for (const again of host.queue.again) this.counters[placeOf(host, again.dueAtMs)] += by;
    host.queue.bands.forEach((band, number) => {
      this.counters[placeOf(host, 0, number)] += by * (band?.size ?? 0);
    });
  }

  #bury(host: Host, record: UrlRecord): void {
    const again = host.queue.again.shift();
    let band = 0;
    if (again !== undefined) this.unsaved.again.set(again.seq, { hostId: host.id, again: null });
    else {
      band = host.queue.bands.findIndex((one, number) => !host.queue.isHeld(number) && (one?.size ?? 0) > 0);
      host.queue.bands[band]!.shift();
    }
    this.counters[placeOf(host, again?.dueAtMs ?? 0, band)] -= 1;
    this.#end(host, 'dead', record);
    this.#changed(host);
  }

  #finish(host: Host, seq: number, record: UrlRecord): void {
    const index = host.queue.again.findIndex((again) => again.seq === seq);
    const [again] = host.queue.again.splice(index, 1);
    this.unsaved.again.set(seq, { hostId: host.id, again: null });
    this.counters[placeOf(host, again!.dueAtMs)] -= 1;
    if (record.status === 'page') this.counters.quotaSpent += 1;
    this.#end(host, record.status, record);
    this.#changed(host);
  }

  #end(host: Host, status: FinalStatus, record: UrlRecord | null): void {
    this.counters[status] += 1;
    if (record === null) return;
    this.unsaved.records.push(record);
    if (this.traps.on) this.traps.learn(host.key, host.facts.fetched + host.queue.size, [fetchedEvent(record)]);
  }

  #releaseTrap(host: Host, pattern: string): void {
    this.#countQueue(host, -1);
    this.traps.release(host.key, pattern);
    this.#openBands(host);
    this.#countQueue(host, 1);
  }

  /** A host's bands that may be drawn from beyond the front queues: those of its released traps. */
  #openBands(host: Host): void {
    const { opened } = host.queue;
    opened.splice(0, opened.length, ...this.traps.of(host.key).released.map(({ band }) => band));
    this.#changed(host);
  }
}

export function nothingUnsaved(): Unsaved {
  return { hosts: new Set(), robotsHops: new Set(), leases: new Set(), again: new Map(), records: [] };
}

/** The counter of a URL that waits in its host's queue; `band` 0 stands for what came back, too. */
function placeOf(host: Host, dueAtMs: number, band = 0): 'queued' | 'retrying' | 'deferred' {
  if (host.facts.hold !== '' || host.queue.isHeld(band)) return 'deferred';
  return dueAtMs > 0 ? 'retrying' : 'queued';
}
