/**
 * Pauses and Crawl-delays of hosts, on a topic with as many partitions as the tasks: a fetcher that takes over a
 * partition reads it first. The brokers compact it, so it has few records of each host.
 *
 * Records are written without waiting. If a kill loses one, the host sends the same fact again.
 */
import type { HostFact } from '../../../../topology/fleet/arbiter.ts';
import type { Log } from '../../../runtime/log/log.ts';
import { recordsOf } from '../../../runtime/log/records-of.ts';
import { fleetServiceLimits } from '../fleet-service-limits.ts';
import { factOf, rowOf } from '../host-facts.ts';
import { fleetPartitionOf } from './task-records.ts';

export class HostFactTopic {
  readonly #log: Pick<Log, 'append' | 'offsets' | 'reader'>;
  readonly #topic: string;
  readonly #partitions: number;
  readonly #onFailure: (error: unknown) => void;
  readonly #crawlDelays = new Map<string, number>();
  #writing: Promise<unknown> = Promise.resolve();

  constructor(
    log: Pick<Log, 'append' | 'offsets' | 'reader'>,
    topic: string,
    partitions: number,
    onFailure: (error: unknown) => void,
  ) {
    [this.#log, this.#topic, this.#partitions, this.#onFailure] = [log, topic, partitions, onFailure];
  }

  /** Reads the facts of a partition that still apply. `nowMs`: ms since the Unix epoch. */
  async read(partition: number, nowMs: number): Promise<ReadonlyMap<string, HostFact>> {
    const facts = new Map<string, HostFact>();
    const { start, end } = await this.#log.offsets(this.#topic, partition);
    for await (const { key, value } of recordsOf(this.#log, this.#topic, partition, start, end)) {
      if (key === null || value.length === 0) continue;
      const [hostKey, fact] = [key.toString(), factOf(value)];
      const heldUntilMs = Math.max(fact.heldUntilMs, facts.get(hostKey)?.heldUntilMs ?? Number.NEGATIVE_INFINITY);
      facts.delete(hostKey);
      if (fact.crawlDelayMs > 0 || heldUntilMs > nowMs)
        facts.set(hostKey, { heldUntilMs, crawlDelayMs: fact.crawlDelayMs });
      if (facts.size > fleetServiceLimits.factsMax) facts.delete(facts.keys().next().value!);
    }
    for (const [hostKey, { crawlDelayMs }] of facts) this.#crawlDelays.set(hostKey, crawlDelayMs);
    return facts;
  }

  note(hostKey: string, fact: HostFact, nowMs: number): void {
    const isLong = fact.heldUntilMs - nowMs > fleetServiceLimits.factMsMin;
    if (!isLong && (this.#crawlDelays.get(hostKey) ?? 0) === fact.crawlDelayMs) return;
    if (this.#crawlDelays.size > fleetServiceLimits.factsMax) this.#crawlDelays.clear();
    this.#crawlDelays.set(hostKey, fact.crawlDelayMs);
    const partition = fleetPartitionOf(hostKey, this.#partitions);
    const write = this.#log.append([{ topic: this.#topic, partition, key: Buffer.from(hostKey), value: rowOf(fact) }]);
    this.#writing = Promise.all([this.#writing, write]).catch(this.#onFailure);
  }

  /** Resolves once all is written. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}
