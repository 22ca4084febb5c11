/**
 * The leader of each partition, from the brokers' answers (KIP-320).
 *
 * Each leader has an epoch, which only grows. A broker that is cut off from the others still names itself as leader, so
 * of two answers the one with the newer epoch counts, in whatever order they arrive. An older epoch is accepted only
 * from a majority of the brokers, and not at once after a newer one: a topic may have been deleted and created again,
 * or restored from a backup.
 */
import { kafkaLimits } from './kafka-limits.ts';

export interface Leader {
  /** -1: no leader at the moment. */
  readonly node: number;
  /** -1: the brokers know none, and the last answer counts. */
  readonly epoch: number;
}

export interface LeaderTable {
  /** By partition. Undefined: nothing is known of the topic, or it is in doubt. */
  of(topic: string): readonly Leader[] | undefined;
  /** The known leader, even if the topic is in doubt. */
  leader(topic: string, partition: number): Leader | undefined;
  topics(): Iterable<string>;
  /** Topics with a partition that this broker leads. */
  ledBy(node: number): string[];
  /** Puts a topic in doubt: the brokers are asked before its leaders are used again. */
  doubt(topic: string): void;
  /** The topic does not exist: a later topic with its name is new. */
  drop(topic: string): void;
  /** A record of this epoch was read: leaders of older epochs are no longer valid. */
  saw(topic: string, partition: number, epoch: number): void;
  /**
   * Takes leaders from an answer. Returns false if one is older than a known leader, and was left out. `isMajority`:
   * a majority of the brokers knows no newer one.
   */
  take(topic: string, leaders: readonly Leader[], isMajority?: boolean): boolean;
}

/** `nowMs`: monotonic. */
export function createLeaderTable(nowMs: () => number = () => performance.now()): LeaderTable {
  const known = new Map<string, Known[]>();
  const doubted = new Set<string>();
  /** Epochs of records, by topic and partition. */
  const seen = new Map<string, Map<number, { readonly epoch: number; readonly sinceMs: number }>>();

  const take = (topic: string, leaders: readonly Leader[], isMajority: boolean): boolean => {
    let isWhole = true;
    const [now, before, read] = [nowMs(), known.get(topic), seen.get(topic)];
    const taken = leaders.map((leader, partition): Known => {
      const there = before?.[partition];
      const record = read?.get(partition);
      const newest = Math.max(there?.epoch ?? -1, record?.epoch ?? -1);
      if (leader.epoch < 0 || leader.epoch >= newest) {
        const sinceMs = there !== undefined && there.epoch === leader.epoch ? there.sinceMs : now;
        return { node: leader.node, epoch: leader.epoch, sinceMs };
      }
      const learntMs = Math.max(there?.sinceMs ?? 0, record?.sinceMs ?? 0);
      if (isMajority && now - learntMs >= kafkaLimits.olderEpochMs) {
        read?.delete(partition);
        return { node: leader.node, epoch: leader.epoch, sinceMs: now };
      }
      isWhole = false;
      return there !== undefined && there.epoch === newest ? there : { node: -1, epoch: newest, sinceMs: learntMs };
    });
    known.set(topic, taken);
    doubted.delete(topic);
    return isWhole;
  };

  return {
    of: (topic) => (doubted.has(topic) ? undefined : known.get(topic)),
    leader: (topic, partition) => known.get(topic)?.[partition],
    topics: () => known.keys(),
    ledBy: (node) => [...known].flatMap(([topic, of]) => (of.some((one) => one.node === node) ? [topic] : [])),
    doubt: (topic) => void doubted.add(topic),
    drop(topic) {
      known.delete(topic);
      doubted.delete(topic);
      seen.delete(topic);
    },
    saw(topic, partition, epoch) {
      const of = known.get(topic);
      const there = of?.[partition];
      if (there !== undefined && (there.epoch < 0 || there.epoch >= epoch)) return;
      let read = seen.get(topic);
      if (read === undefined) seen.set(topic, (read = new Map()));
      if ((read.get(partition)?.epoch ?? -1) >= epoch) return;
      read.set(partition, { epoch, sinceMs: nowMs() });
      if (there !== undefined) doubted.add(topic);
    },
    take: (topic, leaders, isMajority = false) => take(topic, leaders, isMajority),
  };
}

interface Known extends Leader {
  /** Since when this epoch is known. Monotonic, ms. */
  readonly sinceMs: number;
}

/** The newest leader of each partition among several answers about a topic. */
export function newestOf(answers: readonly (readonly Leader[])[]): Leader[] {
  const newest: Leader[] = [];
  for (const answer of answers) {
    answer.forEach((leader, partition) => {
      const there = newest[partition];
      if (there === undefined || leader.epoch > there.epoch) newest[partition] = leader;
    });
  }
  return newest;
}
