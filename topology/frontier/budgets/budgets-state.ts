/**
 * The budgets of a partition: an account for each budget key (a host key or a registrable domain), and the hosts with
 * deferred URLs.
 *
 * Accounts are state: changes make them, and the checkpoint and the digest have a row for each. The waiting hosts
 * follow from their queues, and are collected again after a checkpoint is loaded. In memory, about 300 B a budget
 * key.
 */
import { partitionKeyOf } from '../../url/host-key.ts';
import type { Change } from '../changes/changes.ts';
import { budgetQueue } from '../queues/held-queues.ts';
import { ByteReader, ByteWriter } from '../storage/bytes.ts';
import { SourceSketch } from './source-sketch.ts';

export interface Account {
  /** The period that `used` counts. */
  readonly period: number;
  /** URLs admitted at full rate in that period. */
  readonly used: number;
  readonly sources: SourceSketch;
}

/** The facts about a host that deferred URLs need. */
interface Waiter {
  readonly id: number;
  readonly key: string;
  readonly queue: { sizeOf(frontQueue: number): number };
}

export class BudgetsState {
  /** Whether hosts or domains have budgets; null: neither has. */
  keyMode: 'host' | 'domain' | null = null;
  readonly accounts = new Map<string, Account>();
  /** Accounts that are not in the checkpoint yet. */
  unsaved = new Set<string>();
  /** By budget key: numbers of the hosts with deferred URLs, in the order in which they began to wait. */
  readonly waiting = new Map<string, Set<number>>();
  /** Keys of these hosts, by number. */
  readonly #keys = new Map<number, string>();
  /** Keys with budgets that may have room again; at the start of a period, all waiting keys. */
  readonly #toLookAt = new Set<string>();
  #period = -1;
  #lastHost = '';
  #lastKey = '';

  keyOf(hostKey: string): string {
    if (this.keyMode !== 'domain') return hostKey;
    if (hostKey !== this.#lastHost) {
      this.#lastHost = hostKey;
      this.#lastKey = partitionKeyOf(hostKey, 'domain');
    }
    return this.#lastKey;
  }

  apply(change: Change & { kind: 'countReferrer' | 'spend' }): void {
    const { key } = change;
    const account = this.#account(key);
    this.unsaved.add(key);
    if (change.kind === 'countReferrer') account.sources.add(change.fingerprint);
    else this.accounts.set(key, { ...account, period: change.period, used: change.used });
  }

  /** Merges another account of the same key, from another partition or crawl, into this one. */
  join(key: string, period: number, used: number, sources: readonly number[]): void {
    const account = this.#account(key);
    account.sources.join(sources);
    const newest = Math.max(account.period, period);
    // Within one period the larger number counts: what several partitions used is not added up.
    const usedOf = (its: number, count: number) => (its === newest ? count : 0);
    const most = Math.max(usedOf(account.period, account.used), usedOf(period, used));
    this.accounts.set(key, { period: newest, used: most, sources: account.sources });
    this.unsaved.add(key);
  }

  /** Call after every change to a host. */
  settle({ id, queue, key: hostKey }: Waiter): void {
    if (this.keyMode === null) return;
    const before = this.#keys.get(id);
    const waits = queue.sizeOf(budgetQueue) > 0;
    if (waits === (before !== undefined)) return;
    const key = before ?? this.keyOf(hostKey);
    const hosts = this.waiting.get(key) ?? new Set();
    if (waits) {
      this.waiting.set(key, hosts.add(id));
      this.#keys.set(id, key);
    } else {
      hosts.delete(id);
      if (hosts.size === 0) this.waiting.delete(key);
      this.#keys.delete(id);
    }
  }

  /** Applies the budget key of a policy. If it has changed, the waiting hosts are collected again from `hosts`. */
  setKeyMode(keyMode: BudgetsState['keyMode'], hosts: Iterable<Waiter>): void {
    if (keyMode !== this.keyMode) {
      this.keyMode = keyMode;
      this.#lastHost = '';
      this.waiting.clear();
      this.#keys.clear();
      this.#toLookAt.clear();
      if (keyMode !== null) for (const host of hosts) this.settle(host);
    }
    this.lookAtAll();
  }

  /**
   * Marks a key for a check. URLs that are about to be admitted may begin to wait in the same step; the check itself
   * finds out whether any wait. Without budgets there is no check, and no URL waits.
   */
  lookAt(key: string): void {
    if (this.keyMode !== null) this.#toLookAt.add(key);
  }

  lookAtAll(): void {
    for (const key of this.waiting.keys()) this.#toLookAt.add(key);
  }

  /** Is there a key to look at now? A new period is noticed by `keysToLookAt`. */
  get looks(): boolean {
    return this.#toLookAt.size > 0;
  }

  /** Takes the keys to look at in a step, at most `count`. */
  keysToLookAt(period: number, count: number): string[] {
    if (period !== this.#period) this.lookAtAll();
    this.#period = period;
    const keys: string[] = [];
    for (const key of this.#toLookAt) {
      if (keys.length === count) break;
      if (this.waiting.has(key)) keys.push(key);
      this.#toLookAt.delete(key);
    }
    return keys;
  }

  /**
   * Marks all waiting hosts for a check, in the order of their numbers, so that the order is the same for an owner
   * that loads a checkpoint.
   */
  restart(): void {
    const waiting = [...this.waiting].map(([key, ids]) => ({ key, ids: [...ids].sort((a, b) => a - b) }));
    this.waiting.clear();
    for (const { key, ids } of waiting.sort((a, b) => a.ids[0]! - b.ids[0]!)) this.waiting.set(key, new Set(ids));
    this.#toLookAt.clear();
    this.#period = -1;
    this.lookAtAll();
  }

  save(key: string): Buffer {
    const { period, used, sources } = this.#account(key);
    const writer = new ByteWriter(128);
    writer.uint(period);
    writer.uint(used);
    for (const number of sources.save()) writer.int(number);
    return writer.take();
  }

  load(key: string, value: Buffer): void {
    const reader = new ByteReader(value);
    const [period, used] = [reader.uint(), reader.uint()];
    const saved: number[] = [];
    while (!reader.done) saved.push(reader.int());
    this.accounts.set(key, { period, used, sources: SourceSketch.load(saved) });
  }

  #account(key: string): Account {
    let account = this.accounts.get(key);
    if (account === undefined) {
      account = { period: 0, used: 0, sources: new SourceSketch() };
      this.accounts.set(key, account);
    }
    return account;
  }
}
