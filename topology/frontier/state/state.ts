/**
 * The logical state of one partition, and the only code that changes it.
 *
 * `apply` is used by a deciding owner, by a standby and by a replay: the state is the sum of the changes. Invariants:
 * a host has at most as many leases as slots (hosts/host-slots.ts); it is on the clock exactly when a lease could be
 * granted to it at some time; every admitted URL is in one place, and the counters say in which (docs/design.md
 * §4.12).
 *
 * A checkpoint is written host by host (checkpoint/save-checkpoint.ts), so the rows of some hosts may be *ahead* of
 * its position. Such a row contains all changes up to its own position, so a replay skips the host until it gets
 * there, like a page's number in ARIES (Mohan et al., TODS 17(1), 1992). Meanwhile, counters come from the headers of
 * the commits.
 */
import type { PolicyConfig } from '../../policy/policy.ts';
import { fingerprint } from '../../url/fingerprint.ts';
import { seenKey } from '../../url/seen-key.ts';
import { BudgetsState } from '../budgets/budgets-state.ts';
import { DomainPages } from '../budgets/domain-pages.ts';
import { QueueShares } from '../budgets/queue-shares.ts';
import { Cash } from '../cash/cash.ts';
import { type ChangelogPosition, changelogStart, type InputPosition, type InputTopic } from '../changes/changelog.ts';
import type { Change, HostChange } from '../changes/changes.ts';
import { type Counters, zeroCounters } from '../changes/counters.ts';
import { type LoadProgress, noLoad } from '../changes/load-row.ts';
import { frontierLimits } from '../frontier-limits.ts';
import { HostClock } from '../hosts/clock.ts';
import { DomainPace } from '../hosts/domain-pace.ts';
import { Host, Hosts } from '../hosts/host.ts';
import { type FingerprintKey, KeyTable } from '../hosts/key-table.ts';
import type { Lease } from '../hosts/lease.ts';
import { Leases } from '../hosts/leases.ts';
import { RobotsHopQueue } from '../hosts/robots-hop-queue.ts';
import { PullState } from '../pull/pull-state.ts';
import { PurgeState } from '../purge/purge-state.ts';
import { FrontQueues } from '../queues/front-queues.ts';
import { HostQueues } from '../queues/host-queues.ts';
import { QueuedSum } from '../queues/queued-sum.ts';
import { RecrawlState } from '../recrawl/recrawl-state.ts';
import type { SeenConfig } from '../seen/seen-config.ts';
import { SeenLoader } from '../seen/seen-rows.ts';
import { SeenTest } from '../seen/seen-test.ts';
import { applyAbandon, applyFinish, applyResolve } from './apply-end.ts';
import { applyGrant } from './apply-grant.ts';
import { applyLearnt } from './apply-learnt.ts';
import { applyLoadRow } from './apply-load-row.ts';
import { applyPull } from './apply-pull.ts';
import { applyPurge } from './apply-purge.ts';
import { applyVisit } from './apply-visit.ts';
import { Equivalences } from './equivalences.ts';
import { followPolicy } from './follow-policy.ts';
import { InLinks } from './in-links.ts';
import { moveQueued } from './move-queued.ts';
import { openFrontQueues, releaseTrap, setFacts } from './open-front-queues.ts';
import { placeOf } from './place-of.ts';
import { QuotaState } from './quota-state.ts';
import { RowsAhead } from './rows-ahead.ts';
import { settleHost } from './settle-host.ts';
import { TagSets } from './tag-sets.ts';
import { admittedEvents, TrapsState } from './traps-state.ts';
import { Unsaved } from './unsaved.ts';

export type { Host } from '../hosts/host.ts';
export type { FingerprintKey } from '../hosts/key-table.ts';
export type { Lease } from '../hosts/lease.ts';
export type { QuotaRow } from './quota-state.ts';

export class FrontierState {
  readonly key: FingerprintKey;
  readonly seen: SeenTest;
  readonly seenLoader: SeenLoader;
  readonly queues: HostQueues;
  readonly hosts: Hosts;
  readonly queued = new QueuedSum();
  readonly clock = new HostClock();
  readonly traps = new TrapsState();
  readonly inLinks = new InLinks();
  readonly cash = new Cash();
  readonly budgets = new BudgetsState();
  readonly shares: QueueShares;
  readonly domainPages = new DomainPages();
  readonly domainPace = new DomainPace();
  readonly pull = new PullState();
  readonly recrawl = new RecrawlState();
  readonly purge = new PurgeState();
  readonly tagSets = new TagSets();
  readonly equivalences = new Equivalences();
  readonly leases = new Leases();
  readonly robotsHops = new RobotsHopQueue();
  readonly quota = new QuotaState();
  /** Dead hosts with queues that are being given up, by number. */
  readonly abandoning = new Set<number>();
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
  /** Crawl windows of the policy in force. It is layout, as the policy has them. */
  windows = '[]';
  /** The fields that delays of hosts follow from, in the same way. */
  delays = '';
  load: LoadProgress = noLoad;
  /** Leader epoch of the newest record of each input that was read, in part or whole; -1: not known. */
  readonly inputEpochs: Record<InputTopic, number> = { control: -1, results: -1, discovered: -1 };
  /** Foreign records in the changelog so far; the next owner's first commit counts them. */
  foreignRecords = 0;
  /** Those of them before the newest claim, which its owner knew when it opened. */
  foreignBeforeClaim = 0;
  readonly unsaved = new Unsaved();
  readonly #fingerprint = new Uint32Array(2);
  readonly ahead = new RowsAhead();

  /** `queueBytes`: memory for entries of queues that are also on disk. */
  constructor(key: FingerprintKey, seen?: SeenConfig, queueBytes: number = frontierLimits.queueMemoryBytes) {
    this.key = key;
    this.shares = new QueueShares(key);
    this.seen = new SeenTest(seen);
    this.seenLoader = new SeenLoader(this.seen);
    const keys = new KeyTable(key);
    this.queues = new HostQueues(new FrontQueues(queueBytes, (host) => keys.keyOf(host)));
    this.hosts = new Hosts(keys, this.queues);
    this.queues.frontQueues.onPush = (host, hostKey, { url }, place) => {
      this.queues.ages.queued(host, place.number, place.seq, this.nowMs);
      const index = this.pull.indexes.of(host);
      if (index === undefined) return;
      const [hi, lo] = this.identityOf(hostKey, url);
      index.add(hi!, lo!, place);
    };
  }

  /**
   * Two words that distinguish a host's URL from all others, at a position of the changelog. The array is reused by
   * each call.
   */
  identityOf(hostKey: string, url: string, offset = this.changelog.offset): Readonly<Uint32Array> {
    if (!this.pull.on) return this.fingerprintOf(url);
    const name = this.pull.nameOf(this.hosts.keys, hostKey, url, offset);
    fingerprint(name, this.key.hi, this.key.lo, this.#fingerprint);
    return this.#fingerprint;
  }

  /** The fingerprint of a URL's seen key, as two words. The array is the same at each call. */
  fingerprintOf(url: string): Readonly<Uint32Array> {
    fingerprint(seenKey(url), this.key.hi, this.key.lo, this.#fingerprint);
    return this.#fingerprint;
  }

  get quotaLeft(): number {
    return this.counters.quotaGranted - this.counters.quotaReturned - this.counters.quotaSpent;
  }

  /**
   * Returns whether the state already contains a part of the records to replay. Counters must then come from the
   * headers of the commits.
   */
  get isAhead(): boolean {
    return this.changelog.offset < this.ahead.until;
  }

  apply(change: Change): void {
    switch (change.kind) {
      case 'admit':
        return this.#admit(change);
      case 'count':
        this.counters[change.counter] += change.by;
        return;
      case 'grant':
      case 'grantDue':
      case 'grantSitemaps':
        return this.#grant(change);
      case 'visit':
        return this.#visit(change);
      case 'resolve':
        return this.#resolve(change);
      case 'release':
        return this.#release(change.leaseId);
      case 'policy':
        return this.setPolicy(change.version, change.json);
      case 'quota':
      case 'quotaBook':
        return this.quota.apply(change, this.counters);
      case 'known':
      case 'dropQueue':
      case 'blockQueue':
        return applyPull(this, this.getOrCreate(change.hostKey), change);
      case 'purge':
        return applyPurge(this, change);
      case 'taken':
        return this.leases.seeTaken(change.position, change.leases);
      case 'load':
        return applyLoadRow(this, change.row);
      case 'inputEpoch':
      case 'countReferrer':
      case 'spend':
      case 'price':
      case 'linked':
      case 'cash':
      case 'tagSet':
      case 'equivalence':
      case 'gain':
      case 'verdict':
      case 'retime':
        return applyLearnt(this, change);
      case 'check':
        return;
      default: {
        const host = this.getOrCreate(change.hostKey);
        if (change.kind === 'due') this.recrawl.move(this.fingerprintOf(change.url), change.dueS, change.fromSitemap);
        if (change.kind === 'sitemaps') {
          this.recrawl.setRound(host.id, change.round);
          this.counters.scheduled = this.recrawl.scheduled;
        }
        const { frontQueues } = this.queues;
        if (!this.#isAhead(host)) this.#applyTo(host, change);
        else if (change.kind === 'raise' || change.kind === 'lower') frontQueues.queuedEver += 1;
        if (change.kind !== 'raise' && change.kind !== 'lower') return;
        const [hi, lo] = this.identityOf(change.hostKey, change.entry.url);
        this.queued.add(hi!, lo!, frontQueues.queuedEver, change.entry);
      }
    }
  }

  #applyTo(host: Host, change: HostChange): void {
    switch (change.kind) {
      case 'host':
        setFacts(this, host, change.facts);
        return this.#changed(host);
      case 'due':
      case 'sitemaps':
        return this.settle(host);
      case 'abandon':
        applyAbandon(this, host, change.record);
        return this.#changed(host);
      case 'finish':
        applyFinish(this, host, change.seq, change.record);
        return this.#changed(host);
      case 'raise':
      case 'expedite':
      case 'lower':
        moveQueued(this, host, change);
        return this.#changed(host);
      case 'trap':
        this.traps.add(change.hostKey, change);
        openFrontQueues(this, host);
        return this.#changed(host);
      case 'releaseTrap':
        releaseTrap(this, host, change.pattern);
        return this.#changed(host);
      case 'hostSlots':
        this.hosts.hostSlots.put(host.id, { ...this.hosts.hostSlots.of(host.id), own: change.own, most: change.most });
        return this.#changed(host);
      case 'hostSlot':
        this.hosts.hostSlots.giveBack(host.id, change.readyAtMs);
        return this.#changed(host);
      case 'slotTimes':
        this.hosts.hostSlots.move(host.id, change);
        return this.#changed(host);
      case 'leaseDelay':
        for (const id of host.leaseIds) this.leases.raiseDelay(id, change.delayMs);
        return this.unsaved.addHost(host.id);
      case 'robotsHop':
        this.robotsHops.add(host.id, change.hop);
        return this.unsaved.addHost(host.id);
      default:
        change satisfies never;
    }
  }

  setPolicy(version: number, json: string): void {
    this.policyVersion = version;
    this.policyJson = json;
    followPolicy(this, json === '' ? {} : (JSON.parse(json) as Partial<PolicyConfig>));
  }

  /** A lease that is out. */
  addLease(lease: Lease): void {
    this.leases.add(lease);
    this.pull.countOut(lease.host.id, lease.entries.filter((entry) => entry !== null).length);
    this.hosts.hold(lease.host.id, lease.id);
  }

  /** Puts a host on the clock, or takes it off, as its state says. Call after every change to a host. */
  settle(host: Host): void {
    settleHost(this, host);
  }

  /** The host of a key; an unknown one is added. */
  getOrCreate(key: string): Host {
    const { id, isNew } = this.hosts.getOrCreate(key);
    if (isNew) {
      this.counters.hosts = this.hosts.size;
      this.unsaved.addHost(id);
    }
    return new Host(this.hosts, id, key);
  }

  #isAhead({ id }: Host): boolean {
    return this.ahead.holds(id, this.changelog.offset);
  }

  /** null: its host's row is ahead, and the lease may already be over there. */
  #leaseOf(id: number): Lease | null {
    const lease = this.leases.get(id);
    if (lease !== undefined && !this.#isAhead(lease.host)) return lease;
    if (lease === undefined && !this.isAhead) throw new Error(`lease ${id} is not out`);
    return null;
  }

  #changed(host: Host): void {
    this.unsaved.addHost(host.id);
    this.settle(host);
  }

  #admit({ hostKey, known, entries, fingerprints }: Change & { kind: 'admit' }): void {
    const host = this.getOrCreate(hostKey);
    const isAhead = this.#isAhead(host);
    const { frontQueues } = this.queues;
    for (let index = 0; index < entries.length; index++) {
      const entry = entries[index]!;
      if (fingerprints === undefined) this.identityOf(hostKey, entry.url);
      const hi = fingerprints?.[2 * index] ?? this.#fingerprint[0]!;
      const lo = fingerprints?.[2 * index + 1] ?? this.#fingerprint[1]!;
      if (!known) this.seen.add(hi, lo);
      if (isAhead) frontQueues.queuedEver += 1;
      else {
        frontQueues.push(host.id, hostKey, entry);
        this.counters[placeOf(this.hosts, host, 0, entry.frontQueue)] += 1;
      }
      this.queued.add(hi, lo, frontQueues.queuedEver, entry);
    }
    if (isAhead) return;
    this.counters.admitted += entries.length;
    this.pull.count(host.id, entries.length, 0);
    this.#changed(host);
    if (!this.traps.on) return;
    this.traps.learn(hostKey, host.facts.fetched + host.queue.size, admittedEvents(entries));
  }

  #grant(change: Change & { kind: 'grant' | 'grantDue' | 'grantSitemaps' }): void {
    const host = this.getOrCreate(change.hostKey);
    this.leases.nextId = change.leaseId + 1;
    const due = this.recrawl.take(host.id, change);
    if (this.#isAhead(host)) return;
    applyGrant(this, change, host, due);
    this.#changed(host);
  }

  #resolve(change: Change & { kind: 'resolve' }): void {
    const { record, disposition, leaseId } = change;
    // From now on the URL is fetched through the queue, or never, but not by the schedule.
    const url = record?.url ?? (disposition.to === 'again' ? disposition.entry.url : '');
    if (this.recrawl.table.out > 0) this.recrawl.drop(this.fingerprintOf(url));
    const lease = this.#leaseOf(leaseId);
    if (lease !== null) applyResolve(this, lease, change);
  }

  #visit(change: Change & { kind: 'visit' }): void {
    const host = this.getOrCreate(change.hostKey);
    const lease = change.leaseId === 0 ? null : this.#leaseOf(change.leaseId);
    applyVisit(this, change, host, lease);
    if (!this.#isAhead(host)) this.#changed(host);
  }

  #release(leaseId: number): void {
    const lease = this.#leaseOf(leaseId);
    if (lease === null) return;
    this.leases.end(leaseId);
    this.hosts.letGo(lease.host.id, leaseId);
    this.counters.leases -= 1;
    this.#changed(lease.host);
  }
}
