/**
 * Tasks of all crawls of a fleet on one topic, keyed by host: the owner of a partition has its hosts for every crawl. A
 * header names the crawl. Another header marks an answer for a robots.txt that has moved to another host. The fetcher of
 * the new host sends the answer to the fetcher of the host that the robots.txt is for.
 */
import { hostKeyOf, partitionKeyOf } from '../../../../topology/url/host-key.ts';
import { partitionOf } from '../../../../topology/url/partition.ts';
import type { AppendRecord, Log, LogRecord } from '../../../runtime/log/log.ts';

export interface FleetTasksTopic {
  readonly topic: string;
  readonly partitions: number;
}

/** The answer of a host to a request for the robots.txt of another host. */
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

/** Returns the partition of a host, the same for all crawls. */
export function fleetPartitionOf(hostKey: string, partitions: number): number {
  return partitionOf(partitionKeyOf(hostKey, 'host'), partitions);
}

/** Returns a crawl's log that appends tasks to the fleet's topic. The offsets of tasks are those of that topic. */
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

/** undefined: the record belongs to no crawl. */
export function crawlOfRecord({ headers }: LogRecord): string | undefined {
  return headers[crawlHeader];
}

/** undefined: the record is a task. */
export function movedAnswerOf({ headers, value }: LogRecord): MovedAnswer | undefined {
  return headers[kindHeader] === moved ? (JSON.parse(value.toString()) as MovedAnswer) : undefined;
}
