/** The least that the log port needs of a client of Kafka: durable appends in order, and reading from offset 0 on. */
import type { AppendRecord } from '../../../../services/runtime/log/log.ts';

export interface BareClient {
  /** Idempotent, acked by all replicas. */
  append(records: readonly AppendRecord[]): Promise<unknown>;
  /** Reads `count` records of a topic that has no more; resolves with the bytes of their values. */
  readAll(topic: string, partitions: number, count: number): Promise<number>;
  close(): Promise<void>;
}

export type OpenClient = (brokers: readonly string[]) => Promise<BareClient>;
