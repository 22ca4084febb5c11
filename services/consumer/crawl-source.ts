/**
 * The source of a consumer's records: a data folder, while a crawl runs on it or not, or Kafka.
 *
 * A data folder's log belongs to the process that crawls. So a consumer beside it only reads the log, and stores its
 * own data (positions, dead letters) in `DATA/consumers/<group>/`, which one process at a time can hold. On Kafka,
 * positions are with the group, and dead letters on `dead-letters`.
 */
import { join } from 'node:path';
import type { DeadLetter } from '../../schemas/types.ts';
import { CrawlstreamError } from '../../topology/errors.ts';
import type { AvroTopic } from '../../topology/topics.ts';
import type { RecordCodec } from '../runtime/avro/record-codec.ts';
import { openCodec } from '../runtime/avro/record-codec.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Consumer } from '../runtime/consumer/consumer.ts';
import { openGroupFolder } from '../runtime/consumer/group-folder.ts';
import type { Positions } from '../runtime/consumer/positions.ts';
import { groupPositions } from '../runtime/consumer/positions.ts';
import { readControl } from '../runtime/crawl/control-log.ts';
import { openKafkaAccess } from '../runtime/crawl/kafka-access.ts';
import { readDataFolder } from '../runtime/data-folder/data-folder.ts';
import { parseManifest } from '../runtime/data-folder/manifest.ts';
import { appendDeadLetters } from '../runtime/log/append-dead-letters.ts';
import type { Log } from '../runtime/log/log.ts';
import { openReadOnlyLog } from '../runtime/log/read-only.ts';

/** `data`: a crawl's data folder. `brokers`: `host:port`, comma-separated, with the crawl's name and its registry, if any. */
export type CrawlAddress =
  | { readonly data: string }
  | { readonly brokers: string; readonly registry?: string; readonly crawl?: string };

export interface CrawlSource {
  readonly log: Pick<Log, 'reader' | 'offsets' | 'offsetAt'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly positions: Positions;
  deadLetter(deadLetters: readonly { readonly deadLetter: DeadLetter; readonly key: Buffer | null }[]): Promise<void>;
  /** Gives the consumer its partitions. */
  join(consumer: Consumer, topics: readonly AvroTopic[], onFailure: (error: unknown) => void): Promise<void>;
  /** Leaves the group, so that others take over at once. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export function openSource(address: CrawlAddress, group: string, clock: Clock): Promise<CrawlSource> {
  if (!/^[A-Za-z0-9._-]{1,100}$/.test(group)) {
    const remedy = 'use at most 100 letters, digits, ".", "_" and "-"';
    throw new CrawlstreamError('INVALID_ARGUMENT', `group ${JSON.stringify(group)}: ${remedy}`);
  }
  return 'data' in address ? openFolder(address.data, group, clock) : openKafka(address, group);
}

async function openFolder(data: string, group: string, clock: Clock): Promise<CrawlSource> {
  const folder = await readDataFolder(data);
  const { crawl, partitions } = folder.manifest;
  const log = await openReadOnlyLog(folder.part('log'), clock);
  try {
    const own = await openGroupFolder(join(folder.part('consumers'), group));
    return {
      log,
      codec: await openCodec(log.registry, crawl),
      crawl,
      positions: own.positions,
      deadLetter: (deadLetters) => own.keepDeadLetters(deadLetters.map(({ deadLetter }) => deadLetter)),
      join: async (consumer) => consumer.assign(Array.from({ length: partitions }, (_, partition) => partition)),
      leave: async () => {},
      close: async () => {
        await own.close();
        await log.close();
      },
    };
  } catch (error) {
    await log.close();
    throw error;
  }
}

async function openKafka(
  { brokers, registry, crawl = 'crawl' }: Extract<CrawlAddress, { brokers: string }>,
  name: string,
): Promise<CrawlSource> {
  const { log, codec } = await openKafkaAccess({ brokers, registry, crawl, role: name, stays: true, onNotice: warn });
  codec.waits.onWait = ({ message }) => warn(`${message}; retrying until it is available`);
  const group = `${crawl}.${name}`;
  let leave = async () => {};
  return {
    log,
    codec,
    crawl,
    positions: groupPositions(log, group),
    deadLetter: async (deadLetters) => {
      await appendDeadLetters(log, codec, `${crawl}.dead-letters`, deadLetters);
    },
    join: async (consumer, topics, onFailure) => {
      const names = topics.map((topic) => `${crawl}.${topic}`);
      for (const topic of names) {
        if ((await log.partitionsOf(topic)) > 0) continue;
        const message = `topic ${topic} does not exist on these brokers: check the name of the crawl, or start it first`;
        throw new CrawlstreamError('INVALID_ARGUMENT', message);
      }
      // Keys lead to partitions by the crawl's own count: partitions that were added to a topic contain none of its
      // records.
      const { manifest } = await readControl(log, codec, crawl);
      const membership = await log.join({
        group,
        topics: names,
        ...(manifest !== null && { partitions: parseManifest(manifest, brokers).partitions }),
        onFailure,
        onAssigned: (partitions) => consumer.assign(partitions),
      });
      leave = () => membership.leave();
    },
    leave: () => leave(),
    close: () => log.close(),
  };
}

/** Messages go where Node's own warnings do: a program that reads pages has no other place for them. */
function warn(text: string): void {
  process.emitWarning(text, 'CrawlstreamWarning');
}
