/**
 * The shared side of the simulated log: partitions of records, as a broker or a disk stores them.
 *
 * A record that a process sends lands here after a while: in the order sent, per partition. Until then it is in flight,
 * and may be lost with its sender; a landed record stays. Watchers see each record as it lands.
 */
import type { LogRecord } from '../../services/runtime/log/log.ts';
import type { Scheduler } from './scheduler.ts';

export interface Partition {
  readonly topic: string;
  readonly partition: number;
  readonly records: LogRecord[];
  /** First offset of each leader's records, by leader epoch. */
  readonly epochs: number[];
  /** Readers that wait for news. */
  readonly waiting: Set<() => void>;
}

export interface Cluster {
  partition(topic: string, partition: number): Partition;
  partitionsOf(topic: string): number;
  create(topic: string, partitions: number): void;
  /** Drops the newest records, acknowledged or not: this many remain. */
  loseTail(topic: string, partition: number, left: number): void;
  /** An outsider adds partitions to a topic. */
  grow(topic: string, by: number): void;
  /** Topics that have lost records. */
  readonly lost: Set<string>;
  /** Appends at once. */
  land(record: Omit<LogRecord, 'offset' | 'timestampMs'>): LogRecord;
  readonly commits: Map<string, number>;
  /** No answers before this time: the broker is away. */
  awayUntilMs: number;
}

export function createCluster(scheduler: Scheduler, onRecord: (record: LogRecord) => void): Cluster {
  const topics = new Map<string, Partition[]>();
  const empty = (topic: string, partition: number): Partition => ({
    topic,
    partition,
    records: [],
    epochs: [0],
    waiting: new Set(),
  });
  const cluster: Cluster = {
    commits: new Map(),
    lost: new Set(),
    awayUntilMs: 0,
    create(topic, partitions) {
      topics.set(
        topic,
        Array.from({ length: partitions }, (_, partition) => empty(topic, partition)),
      );
    },
    grow(topic, by) {
      const partitions = topics.get(topic)!;
      for (let more = 0; more < by; more++) partitions.push(empty(topic, partitions.length));
    },
    partitionsOf: (topic) => topics.get(topic)?.length ?? 0,
    partition(topic, partition) {
      const found = topics.get(topic)?.[partition];
      if (found === undefined) throw new Error(`there is no ${topic}/${partition}`);
      return found;
    },
    loseTail(topic, number, left) {
      const { records, epochs, waiting } = cluster.partition(topic, number);
      scheduler.note(`lost ${topic}/${number}@${left} to ${records.length - 1}`);
      cluster.lost.add(topic);
      records.length = left;
      epochs.forEach((start, epoch) => {
        epochs[epoch] = Math.min(start, left);
      });
      epochs.push(left);
      for (const wake of [...waiting]) wake();
    },
    land(sent) {
      const partition = cluster.partition(sent.topic, sent.partition);
      const leaderEpoch = partition.epochs.length - 1;
      const record = { ...sent, offset: partition.records.length, timestampMs: scheduler.nowMs(), leaderEpoch };
      partition.records.push(record);
      scheduler.note(`landed ${sent.topic}/${sent.partition}@${record.offset}`);
      scheduler.note(sent.value);
      onRecord(record);
      for (const wake of [...partition.waiting]) wake();
      return record;
    },
  };
  return cluster;
}
