/**
 * Budgets according to their rules (docs/design.md §4.15, topology/policy/budget.ts), for the naive frontier. Each
 * host, or each registrable domain, has a number of URLs per period at full rate, and more for each other domain that
 * links to it. The others wait, and return with the next period or a larger budget.
 */
import type { NaiveHost } from './naive-host.ts';

export interface NaiveBudget {
  readonly key: 'host' | 'domain';
  readonly base: number;
  readonly perSource: number;
  readonly max: number;
  readonly refillMs: number;
}

interface Account {
  period: number;
  used: number;
  readonly sources: Set<string>;
}

/** Two labels: the model's names have no longer suffixes. */
export function domainOf(hostKey: string): string {
  return hostKey.replace(/:\d+$/, '').split('.').slice(-2).join('.');
}

export class NaiveBudgets {
  readonly #accounts = new Map<string, Account>();
  /** Hosts with URLs that wait for a budget, in the order in which they started to wait. */
  #waiting: string[] = [];
  readonly #looks = new Set<string>();
  #period = -1;

  keyOf({ key }: NaiveBudget, hostKey: string): string {
    return key === 'host' ? hostKey : domainOf(hostKey);
  }

  /** A page of another domain links to the host. */
  refer(budget: NaiveBudget, sourceHost: string, hostKey: string): void {
    const source = domainOf(sourceHost);
    const key = this.keyOf(budget, hostKey);
    const { sources } = this.#account(key);
    if (source === domainOf(hostKey) || sources.has(source)) return;
    sources.add(source);
    this.lookAt(key);
  }

  left(budget: NaiveBudget, hostKey: string, own: number, nowMs: number): number {
    const { period, used, sources } = this.#account(this.keyOf(budget, hostKey));
    const most = own >= 0 ? own : Math.min(budget.max, budget.base + budget.perSource * sources.size);
    return Math.max(0, most - (period === Math.floor(nowMs / budget.refillMs) ? used : 0));
  }

  spend(budget: NaiveBudget, hostKey: string, count: number, nowMs: number): void {
    const account = this.#account(this.keyOf(budget, hostKey));
    const period = Math.floor(nowMs / budget.refillMs);
    account.used = (account.period === period ? account.used : 0) + count;
    account.period = period;
  }

  /** Hosts of the same budget with URLs that wait. */
  waitingWith(budget: NaiveBudget, hostKey: string): readonly string[] {
    const key = this.keyOf(budget, hostKey);
    return this.#waiting.filter((other) => this.keyOf(budget, other) === key);
  }

  lookAt(key: string): void {
    this.#looks.add(key);
  }

  /** Hosts begin to wait with their first deferred URL, and end with the last. */
  settle(hostKey: string, host: NaiveHost): void {
    const waits = host.deferred.length > 0;
    if (waits && !this.#waiting.includes(hostKey)) this.#waiting.push(hostKey);
    if (!waits) this.#waiting = this.#waiting.filter((one) => one !== hostKey);
  }

  /** A new owner, or a new policy, checks all budgets. */
  lookAtAll(budget: NaiveBudget): void {
    for (const host of this.#waiting) this.#looks.add(this.keyOf(budget, host));
  }

  restart(budget: NaiveBudget, hosts: ReadonlyMap<string, NaiveHost>): void {
    this.#waiting.sort((a, b) => hosts.get(a)!.number - hosts.get(b)!.number);
    this.#period = -1;
    this.lookAtAll(budget);
  }

  /** Releases waiting URLs, as far as budgets have room, for hosts that could be leased. */
  open(budget: NaiveBudget, hosts: ReadonlyMap<string, NaiveHost>, nowMs: number, canTake: (key: string) => boolean) {
    const period = Math.floor(nowMs / budget.refillMs);
    if (period !== this.#period) this.lookAtAll(budget);
    this.#period = period;
    for (const key of this.#looks) {
      let opened = 0;
      for (const hostKey of this.#waiting) {
        if (this.keyOf(budget, hostKey) !== key || !canTake(hostKey)) continue;
        const host = hosts.get(hostKey)!;
        const left = this.left(budget, hostKey, host.ownBudget, nowMs);
        if (opened >= left) continue;
        opened += Math.min(host.deferred.length, left - opened);
        host.isOpen = true;
        if (host.dead) Object.assign(host, { dead: false, failures: Math.max(0, host.failures - 1) });
      }
    }
    this.#looks.clear();
  }

  #account(key: string): Account {
    if (!this.#accounts.has(key)) this.#accounts.set(key, { period: 0, used: 0, sources: new Set() });
    return this.#accounts.get(key)!;
  }
}
