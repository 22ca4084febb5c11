/**
 * Gathers URLs that are admitted into a host's queue: neighbours of one host become one change, and URLs that wait in
 * it count as seen.
 */
import type { PolicyConfig } from '../../../policy/policy.ts';
import { frontQueueCount } from '../../../url/front-queue.ts';
import { newHostFacts } from '../../changes/changes.ts';
import type { Entry } from '../../changes/entry.ts';
import { admittedEvents } from '../../state/traps-state.ts';
import type { Decision } from '../decision.ts';
import { spendBudget } from './budgets.ts';
import { Payments } from './cash.ts';
import { Gains } from './gains.ts';
import { noticeTraps } from './traps.ts';

/** Entries gathered into one change: enough to share its cost, few enough to be searched one by one. */
const gatheredMax = 64;

export class Admission {
  readonly #decision: Decision;
  readonly #config: PolicyConfig;
  #hostKey = '';
  #known = false;
  #entries: Entry[] = [];
  /** Fingerprints of the entries, as pairs. */
  #fingerprints: number[] = [];
  /** Fingerprints of link targets to count, as pairs. */
  #noted: number[] = [];
  readonly payments: Payments;
  readonly gains: Gains;
  #bytes = 0;

  constructor(decision: Decision, config: PolicyConfig) {
    this.#decision = decision;
    this.payments = new Payments(decision);
    this.gains = new Gains(decision);
    this.#config = config;
  }

  get bytes(): number {
    return this.#bytes + this.payments.bytes;
  }

  holds(hostKey: string, hi: number, lo: number): boolean {
    if (hostKey !== this.#hostKey) return false;
    const fingerprints = this.#fingerprints;
    for (let at = 0; at < fingerprints.length; at += 2)
      if (fingerprints[at] === hi && fingerprints[at + 1] === lo) return true;
    return false;
  }

  /**
   * Call before deciding about this host: gathered entries of other hosts, which may be of the same domain, are
   * flushed so that they count.
   */
  turnTo(hostKey: string): void {
    if (hostKey !== this.#hostKey && this.#entries.length > 0) this.flush();
  }

  /** Number of gathered entries of a host that will count against its budget. */
  atFullRate(hostKey: string): number {
    return this.#known ? 0 : this.frontOf(hostKey);
  }

  /** Number of gathered entries of a host that will wait in its front queues. */
  frontOf(hostKey: string): number {
    return hostKey === this.#hostKey
      ? this.#entries.reduce((sum, { frontQueue }) => sum + (frontQueue < frontQueueCount ? 1 : 0), 0)
      : 0;
  }

  /** Number of gathered entries. */
  get size(): number {
    return this.#entries.length;
  }

  sizeOf(hostKey: string): number {
    return hostKey === this.#hostKey ? this.#entries.length : 0;
  }

  add(hostKey: string, known: boolean, entry: Entry, hi: number, lo: number): void {
    if (hostKey !== this.#hostKey || known !== this.#known || this.#entries.length === gatheredMax) this.flush();
    this.#hostKey = hostKey;
    this.#known = known;
    this.#entries.push(entry);
    this.#fingerprints.push(hi, lo);
    this.#bytes += entry.url.length + (entry.payload?.length ?? 0) + 4;
  }

  noteFound(hi: number, lo: number): void {
    this.#noted.push(hi, lo);
    this.#bytes += 10;
  }

  flush(): void {
    if (this.#noted.length > 0) this.#decision.emit({ kind: 'linked', fingerprints: this.#noted });
    this.#noted = [];
    this.payments.flush();
    this.gains.flush();
    if (this.#entries.length > 0) {
      const { seen, hosts } = this.#decision.state;
      const { traps, budget } = this.#config;
      const spent = budget === undefined ? 0 : this.atFullRate(this.#hostKey);
      const [hostKey, known, entries, fingerprints] = [this.#hostKey, this.#known, this.#entries, this.#fingerprints];
      const isNew = this.#decision.isByHost && hosts.get(hostKey) === undefined;
      this.#decision.emit({ kind: 'admit', hostKey, known, entries, fingerprints });
      // Otherwise it would be ready since 1970, before all that wait.
      if (isNew)
        this.#decision.emit({ kind: 'host', hostKey, facts: { ...newHostFacts, readyAtMs: this.#decision.nowMs } });
      const errors = seen.takeErrors();
      if (errors > 0) this.#decision.tally('seenErrors', errors);
      if (traps !== undefined) noticeTraps(this.#decision, traps, hostKey, admittedEvents(entries));
      if (spent > 0) spendBudget(this.#decision, budget!, hostKey, spent);
    }
    this.#entries = [];
    this.#fingerprints = [];
    this.#bytes = 0;
  }
}
