/**
 * Lets a lease wait for the address of its host before it takes anything else: a permit, a slot, a share of the line.
 *
 * Only a few such leases take places among a fetcher's leases. Once they wait for long, further ones wait aside: others
 * run in their places. So names that no server resolves delay no host with a known name, however many a page links to.
 * Before that, or when too many wait aside, a lease returns without an attempt while its name is looked up, and its host
 * is leased again a moment later. A domain with few names in the line may wait all the same: its servers are asked in
 * turn with those of the others.
 */
import type { Task } from '../../../schemas/types.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Resolution, Resolver } from '../connect/resolver.ts';
import { fetcherLimits } from '../fetcher-limits.ts';
import { requestLimits } from '../http/request-limits.ts';

export interface NameGate {
  /** Begins the look-up of a lease's host ahead of its first request, which has to wait. */
  lookUp(task: Task): void;
  /**
   * False: the lease comes back, at the latest when its requests may not start any more (`latestStartMs`). Undefined:
   * the answer is known.
   */
  pass(task: Task, latestStartMs: number): Promise<boolean> | undefined;
  /** Leases that wait and take no place. */
  readonly aside: number;
}

export interface NameGateOptions {
  readonly resolver: Pick<Resolver, 'resolve' | 'known' | 'waiting'>;
  readonly clock: Pick<Clock, 'nowMs' | 'sleepUntil'>;
  /** Places that waiting leases may take. null: no lease waits, since HTTP is replaced and nothing connects. */
  readonly placesMax: number | null;
  /** Of those, that leases of one partition may take. */
  readonly placesOfPartitionMax: number;
  /** Leases that may wait beyond them. */
  readonly asideMax: number;
  /** True if a lease that waited aside may take a place now. */
  readonly hasRoom: () => boolean;
  /** Called when the number of a partition's leases aside has changed. */
  readonly onAside: (partition: number, leases: number) => void;
  /** Aborted: they come back. */
  readonly signal: AbortSignal;
}

/** A lease that waits. */
interface Waiting {
  readonly domain: string;
  readonly partition: number;
  readonly sinceMs: number;
}

export function createNameGate(options: NameGateOptions): NameGate {
  return new NameLine(options);
}

class NameLine implements NameGate {
  readonly #options: NameGateOptions;
  /** In order of their beginning. */
  readonly #inPlaces = new Set<Waiting>();
  readonly #aside = new Set<Waiting>();
  readonly #ofDomain = new Map<string, number>();
  readonly #placesOfPartition = new Map<number, number>();
  readonly #asideOfPartition = new Map<number, number>();

  constructor(options: NameGateOptions) {
    this.#options = options;
  }

  get aside(): number {
    return this.#aside.size;
  }

  lookUp(task: Task): void {
    const name = nameOf(task);
    if (name !== undefined) void this.#options.resolver.resolve(...name);
  }

  pass(task: Task, latestStartMs: number): Promise<boolean> | undefined {
    const { resolver, clock, placesMax } = this.#options;
    const name = nameOf(task);
    if (name === undefined || placesMax === null || resolver.known(...name) !== undefined) return undefined;
    const { partition } = task;
    const waiting = { domain: partitionKeyOf(name[0], 'domain'), partition, sinceMs: clock.nowMs() };
    const line = this.#hasPlace(partition, placesMax) ? this.#inPlaces : this.#aside;
    if (line === this.#aside && !this.#mayWaitAside(waiting, placesMax)) {
      // Nothing is begun that would wait long: the host is leased again.
      if (resolver.waiting < fetcherLimits.namesAheadMax) void resolver.resolve(...name);
      return Promise.resolve(false);
    }
    this.#add(line, waiting);
    return this.#wait(name, latestStartMs)
      .then((found) => found !== null && (line === this.#inPlaces || !found.ok || this.#options.hasRoom()))
      .finally(() => this.#remove(line, waiting));
  }

  #hasPlace(partition: number, placesMax: number): boolean {
    const ofPartition = this.#placesOfPartition.get(partition) ?? 0;
    return this.#inPlaces.size < placesMax && ofPartition < this.#options.placesOfPartitionMax;
  }

  #mayWaitAside({ domain, sinceMs }: Waiting, placesMax: number): boolean {
    const [oldest] = this.#inPlaces;
    // Most names are known before that: then others would run in places that are free again at once.
    if (oldest === undefined || sinceMs - oldest.sinceMs < fetcherLimits.namesSlowMs) return false;
    const isOfFew = (this.#ofDomain.get(domain) ?? 0) < requestLimits.lookupsPerDomainMax;
    const lineMax = placesMax + this.#options.asideMax;
    const most = isOfFew ? lineMax : Math.ceil(lineMax * (1 - fetcherLimits.namesKeptForFew));
    return this.#inPlaces.size + this.#aside.size < most;
  }

  #add(line: Set<Waiting>, waiting: Waiting): void {
    line.add(waiting);
    this.#count(line, waiting, 1);
  }

  #remove(line: Set<Waiting>, waiting: Waiting): void {
    line.delete(waiting);
    this.#count(line, waiting, -1);
  }

  #count(line: Set<Waiting>, { domain, partition }: Waiting, by: number): void {
    addTo(this.#ofDomain, domain, by);
    if (line === this.#inPlaces) addTo(this.#placesOfPartition, partition, by);
    else this.#options.onAside(partition, addTo(this.#asideOfPartition, partition, by));
  }

  /** null: its time is over, or the fetcher stops. */
  async #wait(name: Name, latestStartMs: number): Promise<Resolution | null> {
    const { resolver, clock, signal } = this.#options;
    if (signal.aborted) return null;
    const stop = new AbortController();
    // With a reason of our own, since the default one is an exception with a stack.
    const stops = () => stop.abort('over');
    signal.addEventListener('abort', stops, { once: true });
    const late = clock.sleepUntil(latestStartMs, stop.signal).then(() => null);
    const found = await Promise.race([resolver.resolve(...name), late]);
    signal.removeEventListener('abort', stops);
    stops();
    return signal.aborted ? null : found;
  }
}

/** Returns the new count. */
function addTo<K>(counts: Map<K, number>, key: K, by: number): number {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
  return count;
}

type Name = readonly [hostname: string, port: number];

/** Host and port of a lease's first request. undefined: the lease contacts nobody. */
function nameOf({ urls, robotsHops }: Task): Name | undefined {
  const first = (urls[0] ?? robotsHops[0])?.url;
  if (first === undefined) return undefined;
  const { hostname, port, protocol } = new URL(first);
  return [hostname, Number(port || (protocol === 'https:' ? 443 : 80))];
}
