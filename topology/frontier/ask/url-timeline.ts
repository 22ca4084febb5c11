/**
 * The history of one URL, from its partition's changelog: its admission, its place, its leases and their outcomes.
 * `explain` prints it, for a running or a stopped crawl.
 *
 * A fold over all records, in order. Of the partition's state it keeps only the URL's host: the order of its queue, its
 * facts and its leases. Memory: the host's queue.
 */
import { frontQueueCount } from '../../url/front-queue.ts';
import { seenKey } from '../../url/seen-key.ts';
import type { ChangelogPosition, Claim, Commit, InputRange } from '../changes/changelog.ts';
import { changelogStart, validateCommit } from '../changes/changelog.ts';
import type { Change, FinalStatus, HostFacts, UrlRecord } from '../changes/changes.ts';
import { newHostFacts } from '../changes/changes.ts';
import type { Entry } from '../changes/entry.ts';
import type { LoadRow } from '../changes/load-row.ts';
import { isTrapQueue } from '../queues/held-queues.ts';
import type { ActiveTrap } from '../state/traps-state.ts';
import { note } from './newest-events.ts';
import type { Admitted, CameTo, Decided, Leased, OfNoPlace, Place, UrlEvent } from './url-events.ts';
import { UrlVerdicts } from './url-verdicts.ts';

export type { Place } from './url-events.ts';

interface Waiting {
  readonly url: string;
  readonly dueAtMs: number;
}

export class UrlTimeline {
  readonly hostKey: string;
  readonly #key: string;
  readonly #keyOf: (url: string) => string;
  facts: HostFacts = newHostFacts;
  /** Leases the host may be on at once; `own`: as ordered by an operator, -1: by the policy. */
  hostSlots: { readonly own: number; readonly most: number } = { own: -1, most: 1 };
  readonly admitted: Admitted[] = [];
  readonly leased: Leased[] = [];
  readonly outcomes: CameTo[] = [];
  /** Times when an operator raised the URL. */
  readonly raised: Decided[] = [];
  readonly lowered: (Decided & { readonly frontQueue: number })[] = [];
  readonly traps = new Map<string, ActiveTrap & { readonly released: boolean }>();
  readonly verdicts = new UrlVerdicts();
  policyVersion = 0;
  nowMs = 0;
  #end: FinalStatus | 'known' | undefined;
  #position: Pick<ChangelogPosition, 'epoch' | 'seq'> = changelogStart;
  readonly #frontQueues: string[][] = [];
  readonly #again: Waiting[] = [];
  /** URLs to be revisited, by due time; within the same second by arrival. */
  readonly #due: Waiting[] = [];
  readonly #leases = new Map<number, { readonly urls: (string | null)[]; delayMs: number; readonly due: number }>();
  readonly #onEvent: (event: UrlEvent) => void;

  /** `url` is normal. `onEvent` hears of every event, also of those that are too old to be kept. `normalize`: the crawl's own. */
  constructor(
    hostKey: string,
    url: string,
    onEvent: (event: UrlEvent) => void = () => {},
    normalize: (url: string) => string | null = (other) => other,
  ) {
    this.hostKey = hostKey;
    this.#onEvent = onEvent;
    this.#keyOf = (other) => seenKey(normalize(other) ?? other);
    this.#key = seenKey(url);
  }

  /** Current leases of the host. */
  get leasesOut(): readonly number[] {
    return [...this.#leases.keys()];
  }

  /** undefined: it was never admitted. */
  get place(): Place | undefined {
    for (const [leaseId, { urls }] of this.#leases)
      if (urls.some((url) => this.#isIt(url))) return { in: 'lease', leaseId };
    const returned = this.#again.findIndex(({ url }) => this.#isIt(url));
    if (returned >= 0) return { in: 'again', dueAtMs: this.#again[returned]!.dueAtMs, ahead: returned };
    let ahead = this.#again.filter(({ dueAtMs }) => dueAtMs <= this.nowMs).length;
    for (const [frontQueue, urls] of this.#frontQueues.entries()) {
      const at = urls?.findIndex((url) => this.#isIt(url)) ?? -1;
      if (at >= 0) return { in: 'frontQueue', frontQueue, ahead: this.isHeld(frontQueue) ? at : ahead + at };
      if (!this.isHeld(frontQueue)) ahead += urls?.length ?? 0;
    }
    const due = this.#due.find(({ url }) => this.#isIt(url));
    if (due !== undefined && this.#end !== undefined)
      return { in: 'schedule', status: this.#end as FinalStatus, dueAtMs: due.dueAtMs };
    return this.#end === undefined ? undefined : { in: 'end', status: this.#end };
  }

  /** Can a commit change anything here? `namesHost`: its bytes hold the host key. */
  concerns(namesHost: boolean): boolean {
    return namesHost || this.#leases.size > 0;
  }

  /** The trap with the front queue it waits in. */
  trapOf(frontQueue: number): (ActiveTrap & { readonly released: boolean }) | undefined {
    return isTrapQueue(frontQueue)
      ? [...this.traps.values()].find((trap) => trap.frontQueue === frontQueue)
      : undefined;
  }

  /** False: the commit does not count. */
  take(offset: number, record: Claim | Commit): boolean {
    const { seq } = this.#position;
    if (record.kind === 'claim') {
      this.nowMs = Math.max(this.nowMs, record.nowMs);
      this.#position = { epoch: offset, seq };
      if (record.endsLeases) {
        const decided = { offset, atMs: this.nowMs, policyVersion: this.policyVersion };
        this.#endLeases(decided, record.schedulesAgain ? 0 : this.facts.crawlDelayMs);
      }
      return true;
    }
    // A trimmed changelog begins with any sequence number.
    const isFirst = this.#position.seq === 0;
    if (!isFirst && validateCommit(this.#position, record) === 'void') return false;
    this.nowMs = Math.max(this.nowMs, record.nowMs);
    this.#position = { epoch: record.epoch, seq: record.seq };
    const discovered = record.inputs.find(({ topic }) => topic === 'discovered') ?? null;
    const decided = { offset, atMs: record.nowMs, policyVersion: record.policyVersion };
    for (const change of record.changes) this.#apply(change, decided, discovered);
    this.policyVersion = record.policyVersion;
    return true;
  }

  #apply(change: Change, decided: Decided, discovered: InputRange | null): void {
    if ('hostKey' in change && change.hostKey !== this.hostKey) return;
    this.verdicts.take(change, (url) => this.#isIt(url));
    switch (change.kind) {
      case 'admit':
        for (const entry of change.entries) this.#admit(entry, !change.known, decided, discovered);
        return;
      case 'load':
        return this.#load(change.row, decided);
      case 'grant':
      case 'grantDue':
        return this.#grant(change, decided);
      case 'visit':
        return this.#visit(change, decided);
      case 'due':
        if (this.#takeDue(change.url)) this.#putDue(change.url, 1_000 * change.dueS);
        if (this.#isIt(change.url))
          this.#onEvent({ kind: 'due', ...decided, dueAtMs: 1_000 * change.dueS, fromSitemap: change.fromSitemap });
        return;
      case 'resolve':
        return this.#resolve(change, decided);
      case 'release':
        this.#leases.delete(change.leaseId);
        return;
      case 'host':
        this.facts = change.facts;
        return;
      case 'hostSlots':
        this.hostSlots = change;
        return;
      case 'leaseDelay':
        for (const lease of this.#leases.values()) lease.delayMs = Math.max(lease.delayMs, change.delayMs);
        return;
      case 'abandon':
        this.#remove(change.record.url);
        return this.#finish(change.record, null, decided);
      case 'finish':
        this.#remove(change.record.url);
        return this.#finish(change.record, null, decided);
      case 'raise':
      case 'lower':
        return this.#moveQueue(change, decided);
      case 'expedite':
        return this.#expedite(change, decided);
      case 'purge':
        return this.#purge(change.url, decided);
      case 'trap':
        return this.#trap(change);
      case 'releaseTrap':
        return this.#releaseTrap(change, decided);
      case 'known':
        return this.#known(change, decided);
      case 'dropQueue':
        return this.#dropQueue(decided);
      default:
        change.kind satisfies OfNoPlace;
    }
  }

  #moveQueue(change: Change & { kind: 'raise' | 'lower' }, decided: Decided): void {
    const { url, frontQueue } = change.entry;
    if (change.frontQueue === null) this.#remove(url);
    else this.#leaveFrontQueue(change.frontQueue, url);
    (this.#frontQueues[frontQueue] ??= []).push(url);
    if (!this.#isIt(url)) return;
    if (change.kind === 'raise' || isTrapQueue(frontQueue))
      return this.#onEvent({ kind: 'moved', ...decided, from: change.frontQueue ?? 0, frontQueue });
    note(this.lowered, { ...decided, frontQueue });
    this.#onEvent({ kind: 'lowered', ...decided, frontQueue });
  }

  #expedite({ entry: { url }, frontQueue }: Change & { kind: 'expedite' }, decided: Decided): void {
    if (frontQueue === null) this.#remove(url);
    else this.#leaveFrontQueue(frontQueue, url);
    this.#putAgain(url, 0);
    if (!this.#isIt(url)) return;
    note(this.raised, decided);
    this.#onEvent({ kind: 'raised', ...decided });
  }

  #trap(change: Change & { kind: 'trap' }): void {
    for (const [pattern, { frontQueue }] of this.traps)
      if (frontQueue === change.frontQueue) this.traps.delete(pattern);
    this.traps.set(change.pattern, { ...change, released: false });
  }

  #releaseTrap({ pattern }: Change & { kind: 'releaseTrap' }, decided: Decided): void {
    const trap = this.traps.get(pattern);
    if (trap === undefined) return;
    this.traps.set(pattern, { ...trap, released: true });
    if (this.#frontQueues[trap.frontQueue]?.some((url) => this.#isIt(url)))
      this.#onEvent({ kind: 'trapReleased', ...decided, pattern });
  }

  /** A client of a served crawl moves a URL from one place to another. */
  #known({ from, to, dueAtMs, entry }: Change & { kind: 'known' }, decided: Decided): void {
    const { url, attempts } = entry;
    for (const { urls } of this.#leases.values()) {
      const index = urls.indexOf(url);
      if (index >= 0) urls[index] = null;
    }
    this.#takeOut(url);
    if (to === 'again') this.#putAgain(url, dueAtMs);
    if (!this.#isIt(url)) return;
    if (from.in === 'new' || from.in === 'forgotten') this.#noteAdmitted(entry, from.in === 'new', decided, null);
    this.#end = to === 'done' ? 'page' : undefined;
    const came = { ...decided, leaseId: from.in === 'lease' ? from.a : null, outcome: null, httpStatus: 0, attempts };
    if (to === 'forgotten') this.#onEvent({ kind: 'purged', ...decided });
    else if (to === 'done') this.#noteOutcome({ ...came, status: 'page', dueAtMs: 0 });
    else if (from.in !== 'new') this.#noteOutcome({ ...came, status: 'again', dueAtMs });
  }

  /** A served crawl's queue is deleted with all its URLs; those on lease belong to no queue any more. */
  #dropQueue(decided: Decided): void {
    const isKnown = this.place !== undefined;
    this.#frontQueues.splice(0);
    this.#again.splice(0);
    this.#leases.clear();
    this.#end = undefined;
    if (isKnown) this.#onEvent({ kind: 'purged', ...decided });
  }

  /** `url` empty: events of the whole host. */
  #purge(url: string, decided: Decided): void {
    const key = this.#keyOf(url);
    const goes = (other: string) => url === '' || this.#keyOf(other) === key;
    const stays = (other: Waiting) => !goes(other.url);
    for (const [frontQueue, urls] of this.#frontQueues.entries())
      if (urls !== undefined) this.#frontQueues[frontQueue] = urls.filter((other) => !goes(other));
    for (const list of [this.#again, this.#due]) list.splice(0, list.length, ...list.filter(stays));
    for (const { urls } of this.#leases.values())
      for (const [index, other] of urls.entries()) if (other !== null && goes(other)) urls[index] = null;
    if (url === '') {
      this.traps.clear();
      this.facts = { ...this.facts, hold: 'purged', deadUntilMs: 0, failures: 0, throttles: 0, serverErrors: 0 };
    } else if (!this.#isIt(url)) return;
    this.#end = undefined;
    this.#onEvent({ kind: 'purged', ...decided });
  }

  /** Takes over another crawl's facts about the URL. */
  #load(row: LoadRow, decided: Decided): void {
    if (row.row === 'known' || row.row === 'page') {
      for (const one of row.row === 'page' ? [row.page.record] : row.urls) {
        if (!this.#isIt(one.url)) continue;
        const { status, outcome, httpStatus, attempts } = one;
        this.#end = status;
        this.#noteOutcome({ ...decided, leaseId: null, status, outcome, httpStatus, attempts, dueAtMs: 0 });
      }
    } else if (row.row === 'again' && row.hostKey === this.hostKey) {
      const { entry, dueAtMs, known } = row;
      this.#putAgain(entry.url, dueAtMs);
      if (this.#isIt(row.normal)) this.#noteAdmitted(entry, !known, decided, null);
    }
  }

  #admit(entry: Entry, isNew: boolean, decided: Decided, discovered: InputRange | null): void {
    (this.#frontQueues[entry.frontQueue] ??= []).push(entry.url);
    if (this.#isIt(entry.url)) this.#noteAdmitted(entry, isNew, decided, discovered);
  }

  #noteAdmitted(entry: Entry, isNew: boolean, decided: Decided, discovered: InputRange | null): void {
    const { depth, hop, frontQueue, spelling } = entry;
    const admitted = { ...decided, depth, hop, frontQueue, isNew, discovered, ...(spelling && { spelling }) };
    note(this.admitted, admitted);
    this.#onEvent({ kind: 'admitted', ...admitted });
  }

  #grant(change: Change & { kind: 'grant' | 'grantDue' }, decided: Decided): void {
    const { leaseId, again, frontQueues, deadlineMs, delayMs } = change;
    const due = change.kind === 'grantDue' ? this.#due.splice(0, change.due) : [];
    const urls: (string | null)[] = [...due, ...this.#again.splice(0, again)].map(({ url }) => url);
    for (const [frontQueue, count] of frontQueues)
      urls.push(...(this.#frontQueues[frontQueue]?.splice(0, count) ?? []));
    this.#leases.set(leaseId, { urls, delayMs, due: due.length });
    const index = urls.findIndex((url) => this.#isIt(url));
    if (index < 0) return;
    note(this.leased, { ...decided, leaseId, deadlineMs, index });
    this.#onEvent({ kind: 'leased', ...decided, leaseId, deadlineMs, index });
  }

  #noteOutcome(outcome: CameTo): void {
    note(this.outcomes, outcome);
    this.#onEvent({ kind: 'cameTo', ...outcome });
  }

  #resolve({ leaseId, index, disposition, record }: Change & { kind: 'resolve' }, decided: Decided): void {
    const urls = this.#leases.get(leaseId)?.urls;
    const url = urls?.[index];
    if (urls === undefined || url === null || url === undefined) return;
    urls[index] = null;
    if (disposition.to === 'final') {
      if (record !== null && this.#isIt(url)) this.#finish({ ...record, url }, leaseId, decided);
      return;
    }
    const { dueAtMs, entry } = disposition;
    this.#putAgain(entry.url, dueAtMs);
    if (!this.#isIt(url)) return;
    const { attempts } = entry;
    this.#noteOutcome({ ...decided, leaseId, status: 'again', outcome: null, httpStatus: 0, attempts, dueAtMs });
  }

  #visit({ leaseId, index, dueAtMs, page }: Change & { kind: 'visit' }, decided: Decided): void {
    const { url } = page.record;
    const urls = this.#leases.get(leaseId)?.urls;
    if (urls !== undefined) urls[index] = null;
    this.#takeDue(url);
    this.#putDue(url, dueAtMs);
    if (!this.#isIt(url)) return;
    const { status, outcome, httpStatus, attempts } = page.record;
    this.#end = status;
    const lease = leaseId === 0 ? null : leaseId;
    const gained = page.gain && { gain: page.gain };
    this.#noteOutcome({ ...decided, leaseId: lease, status, outcome, httpStatus, attempts, dueAtMs, ...gained });
  }

  /** False: it was not there. */
  #takeDue(url: string): boolean {
    const at = this.#due.findIndex((other) => other.url === url);
    if (at >= 0) this.#due.splice(at, 1);
    return at >= 0;
  }

  #putDue(url: string, dueAtMs: number): void {
    const later = this.#due.findIndex((other) => other.dueAtMs > dueAtMs);
    this.#due.splice(later < 0 ? this.#due.length : later, 0, { url, dueAtMs });
  }

  #finish(record: UrlRecord, leaseId: number | null, decided: Decided): void {
    if (!this.#isIt(record.url)) return;
    const { status, outcome, httpStatus, attempts } = record;
    this.#end = status;
    this.#noteOutcome({ ...decided, leaseId, status, outcome, httpStatus, attempts, dueAtMs: 0 });
  }

  #endLeases(decided: Decided, leastMs: number): void {
    for (const [leaseId, { urls, delayMs, due }] of this.#leases) {
      if (urls.some((url) => this.#isIt(url))) this.#onEvent({ kind: 'leaseEnded', ...decided, leaseId });
      for (const [index, url] of urls.entries()) {
        if (url !== null && index < due) this.#putDue(url, this.nowMs);
        else if (url !== null) this.#putAgain(url, 0);
      }
      this.facts = {
        ...this.facts,
        readyAtMs: Math.max(this.facts.readyAtMs, this.nowMs + delayMs, this.nowMs + leastMs),
      };
    }
    this.#leases.clear();
  }

  /** Inserts by due time, then by arrival, as back queues do. */
  #putAgain(url: string, dueAtMs: number): void {
    const later = this.#again.findIndex((other) => other.dueAtMs > dueAtMs);
    this.#again.splice(later < 0 ? this.#again.length : later, 0, { url, dueAtMs });
  }

  #leaveFrontQueue(frontQueue: number, url: string): void {
    const urls = this.#frontQueues[frontQueue];
    const at = urls?.indexOf(url) ?? -1;
    if (at >= 0) urls!.splice(at, 1);
  }

  /** Removes the URL from the queue in which it waits, found by its spelling. */
  #takeOut(url: string): void {
    const returned = this.#again.findIndex((one) => one.url === url);
    if (returned >= 0) this.#again.splice(returned, 1);
    for (const frontQueue of this.#frontQueues.keys()) this.#leaveFrontQueue(frontQueue, url);
  }

  #remove(url: string): void {
    const key = this.#keyOf(url);
    const returned = this.#again.findIndex((one) => this.#keyOf(one.url) === key);
    if (returned >= 0) this.#again.splice(returned, 1);
    else
      for (const urls of this.#frontQueues)
        if (urls !== undefined && urls[0] !== undefined && this.#keyOf(urls[0]) === key) urls.shift();
  }

  /** Does a front queue wait for a verdict to be lifted, rather than for its turn? */
  isHeld(frontQueue: number): boolean {
    return frontQueue >= frontQueueCount && this.trapOf(frontQueue)?.released !== true;
  }

  #isIt(url: string | null): boolean {
    return url !== null && (url === this.#key || this.#keyOf(url) === this.#key);
  }
}
