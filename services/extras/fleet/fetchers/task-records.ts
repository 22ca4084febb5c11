/**
 * Tasks of all crawls of a fleet on one topic, keyed by host: the owner of the partition has the host, for every crawl.
 * A header names the crawl. Another header marks the answer of a host for another's moved robots.txt, which goes to the
 * owner of that other host.
 */
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import type { AppendRecord, Log, LogRecord } from '../../../runtime/log/log.ts';

export interface FleetTasksTopic {
  readonly topic: string;
  readonly partitions: number;
}

/** A host's answer to a request for another's robots.txt. */
export interface MovedAnswer {
  /** The chain of URLs; the last one gave this answer. */
  readonly asked: readonly string[];
  readonly status: number;
  readonly location: string | null;
  /** Base64. */
  readonly body: string;
  readonly retryAfterMs: number;
  readonly blockedAddress: boolean;
  readonly detail: string;
}

const [crawlHeader, kindHeader, moved] = ['crawlstream-crawl', 'crawlstream-kind', 'moved-robots'];

/** The partition is the same for all crawls. */
export function fleetPartitionOf(hostKey: string, partitions: number): number {
  return partitionOf(partitionKeyOf(hostKey, 'host'), partitions);
}

/** A crawl's log that sends tasks to the fleet's topic. Their offsets are those of that topic. */
export function sendingTasks<T extends Log>(log: T, crawl: string, { topic, partitions }: FleetTasksTopic): T {
  const tasks = `${crawl}.tasks`;
  return {
    ...log,
    append: (records, options) =>
      log.append(
        records.map((record) => {
          if (record.topic !== tasks) return record;
          const { key, value, headers } = record;
          const partition = fleetPartitionOf(Buffer.from(key!).toString(), partitions);
          return { topic, partition, key, value, headers: { ...headers, [crawlHeader]: crawl } };
        }),
        options,
      ),
  };
}

export function movedRecord(crawl: string, answer: MovedAnswer, { topic, partitions }: FleetTasksTopic): AppendRecord {
  const hostKey = hostKeyOf(answer.asked[0]!);
  return {
    ...{ topic, partition: fleetPartitionOf(hostKey, partitions), key: Buffer.from(hostKey) },
    value: Buffer.from(JSON.stringify(answer)),
    headers: { [crawlHeader]: crawl, [kindHeader]: moved },
  };
}

/** undefined: it is nobody's. */
export function crawlOfRecord({ headers }: LogRecord): string | undefined {
  return headers[crawlHeader];
}

/** undefined: it is a task. */
export function movedAnswerOf({ headers, value }: LogRecord): MovedAnswer | undefined {
  return headers[kindHeader] === moved ? (JSON.parse(value.toString()) as MovedAnswer) : undefined;
}
