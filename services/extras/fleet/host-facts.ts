/**
 * Facts of hosts, stored beside the fleet's crawls: unfinished pauses and Crawl-delays. Each crawl's state has only the
 * facts that this crawl received; another crawl would learn them after a restart by a request that comes too early.
 *
 * Facts are written without waiting and without a sync. A kill of the process loses no stored fact. A power cut may lose
 * the newest facts, which the receiving crawls still have.
 */
import type { HostFact } from '../../../topology/fleet/arbiter.ts';
import type { StateStore } from '../../runtime/store/store.ts';
import { fleetServiceLimits } from './fleet-service-limits.ts';

export interface HostFacts {
  readonly known: ReadonlyMap<string, HostFact>;
  /** Stores a fact. `nowMs`: ms since the Unix epoch. */
  note(hostKey: string, fact: HostFact, nowMs: number): void;
  /** Resolves when all facts are written; rejects with the error of a failed write. */
  settled(): Promise<void>;
}

const all = { gte: Buffer.alloc(0), lt: Buffer.from([0xff]) };

export async function openHostFacts(store: Pick<StateStore, 'scan' | 'write'>, nowMs: number): Promise<HostFacts> {
  const known = new Map<string, HostFact>();
  const over: Buffer[] = [];
  for await (const [key, value] of store.scan(all)) {
    const fact = factOf(value);
    if (fact.crawlDelayMs > 0 || fact.heldUntilMs > nowMs) known.set(key.toString(), fact);
    else over.push(key);
  }
  for (const [hostKey] of known) {
    if (known.size <= fleetServiceLimits.factsMax) break;
    known.delete(hostKey);
    over.push(Buffer.from(hostKey));
  }
  await store.write(over.map((key) => ({ key, value: null })));
  let writing: Promise<void> = Promise.resolve();
  return {
    known,
    note(hostKey, fact, atMs) {
      const isLong = fact.heldUntilMs - atMs > fleetServiceLimits.factMsMin;
      const before = known.get(hostKey);
      if (!isLong && (before?.crawlDelayMs ?? 0) === fact.crawlDelayMs) return;
      known.set(hostKey, fact);
      const write = store.write([{ key: Buffer.from(hostKey), value: rowOf(fact) }]);
      writing = Promise.all([writing, write]).then(() => {});
      writing.catch(() => {});
    },
    settled: () => writing,
  };
}

/** Encodes a fact as two doubles: end of the pause, ms since the Unix epoch, and Crawl-delay, ms. */
export function rowOf({ heldUntilMs, crawlDelayMs }: HostFact): Buffer {
  const row = Buffer.alloc(16);
  row.writeDoubleLE(heldUntilMs, 0);
  row.writeDoubleLE(crawlDelayMs, 8);
  return row;
}

export function factOf(row: Buffer): HostFact {
  return { heldUntilMs: row.readDoubleLE(0), crawlDelayMs: row.readDoubleLE(8) };
}
