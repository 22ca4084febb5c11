/**
 * The hosts of a partition: numbers in tables, and handles for code that decides about a host.
 *
 * Each call creates a new handle, which holds only its key: compare hosts by `id`. Cost: 39 bytes a host beside its
 * key, and 17 on the host clock; 33 for each front queue that is not empty (queues/front-queues.ts). Including the
 * spare room of growing columns, 10 M hosts on the clock take 0.85 GB with keys of 27 bytes.
 */
import type { HostFacts } from '../changes/changes.ts';
import { HostQueue, type HostQueues } from '../queues/host-queues.ts';
import { FactsTable } from './facts-table.ts';
import { HostSlots } from './host-slots.ts';
import type { KeyTable } from './key-table.ts';

export class Hosts {
  readonly keys: KeyTable;
  readonly facts = new FactsTable();
  readonly queues: HostQueues;
  readonly hostSlots = new HostSlots(this.facts);
  /** Leases of a host, oldest first; absent: none. */
  readonly leases = new Map<number, readonly number[]>();
  /** Number of known hosts; a higher number belongs to a row that is ahead of the changelog's replay. */
  met = 0;

  constructor(keys: KeyTable, queues: HostQueues) {
    this.keys = keys;
    this.queues = queues;
  }

  get size(): number {
    return this.met;
  }

  get(key: string): Host | undefined {
    const id = this.keys.find(key);
    return id < 0 || id >= this.met ? undefined : new Host(this, id, key);
  }

  at(id: number): Host {
    return new Host(this, id);
  }

  *values(): Generator<Host> {
    for (let id = 0; id < this.met; id++) yield new Host(this, id);
  }

  /** The host of a key; an unknown one is added. */
  getOrCreate(key: string): { readonly id: number; readonly isNew: boolean } {
    let id = this.keys.find(key);
    if (id < 0) {
      id = this.met;
      this.add(id, key);
    }
    if (id !== this.met) return { id, isNew: false };
    this.met += 1;
    return { id, isNew: true };
  }

  add(id: number, key: string): void {
    this.keys.add(key, id);
    this.facts.fit(id);
    this.queues.frontQueues.list.fitHost(id);
  }

  hold(id: number, leaseId: number): void {
    this.leases.set(id, [...(this.leases.get(id) ?? []), leaseId]);
  }

  letGo(id: number, leaseId: number): void {
    const left = (this.leases.get(id) ?? []).filter((one) => one !== leaseId);
    if (left.length > 0) this.leases.set(id, left);
    else this.leases.delete(id);
  }
}

export class Host {
  readonly #hosts: Hosts;
  readonly id: number;
  #key: string | undefined;

  /** `key`: the host's key, if known. */
  constructor(hosts: Hosts, id: number, key?: string) {
    this.#hosts = hosts;
    this.id = id;
    this.#key = key;
  }

  get key(): string {
    return (this.#key ??= this.#hosts.keys.keyOf(this.id));
  }

  get facts(): HostFacts {
    return this.#hosts.facts.get(this.id);
  }

  get deadUntilMs(): number {
    return this.#hosts.facts.deadUntilMs(this.id);
  }

  get queue(): HostQueue {
    return new HostQueue(this.#hosts.queues, this.id);
  }

  /** The leases it is on, oldest first. */
  get leaseIds(): readonly number[] {
    return this.#hosts.leases.get(this.id) ?? none;
  }
}

const none: readonly number[] = [];
