/**
 * Opens the records of a fleet for reading: those of each crawl, and the fleet's own; in its folder or on Kafka,
 * running or not.
 */
import { join } from 'node:path';
import { CrawlstreamError } from '../../../../topology/errors.ts';
import { logFolder } from '../../../hosting/connect/crawl-folder.ts';
import { openCodec } from '../../../runtime/avro/record-codec.ts';
import { SystemClock } from '../../../runtime/clock.ts';
import { crawlsTopic } from '../../../runtime/crawl/fleet-names.ts';
import { accessOn, type KafkaAccess, openBrokers, openRegistry } from '../../../runtime/crawl/kafka-access.ts';
import { readDataFolder } from '../../../runtime/data-folder/data-folder.ts';
import { foldLog } from '../../../runtime/log/folded/folded-log.ts';
import { openReadOnlyLog, type ReadOnlyLog } from '../../../runtime/log/read-only.ts';
import { crawlsIn } from '../../fleet/crawl-topics.ts';
import type { ReadableDocuments } from '../../fleet/documents/documents.ts';
import { folderDocuments } from '../../fleet/documents/folder-documents.ts';
import { readTopicDocuments } from '../../fleet/documents/topic-documents.ts';
import type { FleetSource } from '../fleet-audit.ts';

export interface FleetRecords {
  readonly sources: readonly FleetSource[];
  readonly documents: ReadableDocuments;
}

/** `crawls`: names of the crawls in the folder. */
export async function withFleetFolder<T>(
  data: string,
  crawls: readonly string[],
  act: (records: FleetRecords) => Promise<T>,
): Promise<T> {
  const logs: ReadOnlyLog[] = [];
  try {
    const sources: FleetSource[] = [];
    for (const name of crawls) {
      const folder = await readDataFolder(join(data, 'crawls', name));
      const log = await openReadOnlyLog(logFolder(folder), new SystemClock());
      logs.push(log);
      const { crawl, partitions } = folder.manifest;
      sources.push({ name, source: { log, codec: await openCodec(log.registry, crawl), crawl, partitions } });
    }
    return await act({ sources, documents: folderDocuments(data) });
  } finally {
    await Promise.all(logs.map((log) => log.close()));
  }
}

/** Throws CRAWL_MISSING if the brokers have no fleet of that name. */
export async function withKafkaFleet<T>(
  access: Omit<KafkaAccess, 'crawl'>,
  fleet: string,
  act: (records: FleetRecords) => Promise<T>,
): Promise<T> {
  const log = foldLog(await openBrokers({ ...access, crawl: fleet }), { isExact: true });
  try {
    const topic = crawlsTopic(fleet);
    if ((await log.partitionsOf(topic)) === 0) throw noFleet(fleet);
    const documents = await readTopicDocuments(log, topic);
    const registry = access.registry === undefined ? undefined : await openRegistry(access.registry);
    const sources: FleetSource[] = [];
    for (const name of await crawlsIn(documents)) {
      const crawl = `${fleet}.${name}`;
      const { codec } = await accessOn(log, { ...access, registry, crawl });
      sources.push({ name, source: { log, codec, crawl, partitions: await log.partitionsOf(`${crawl}.results`) } });
    }
    return await act({ sources, documents });
  } finally {
    await log.close();
  }
}

function noFleet(fleet: string): CrawlstreamError {
  const message = `no fleet ${fleet} exists on these brokers: check --brokers and --fleet, or start it with crawlstream fleet --brokers LIST --fleet ${fleet}`;
  return new CrawlstreamError('CRAWL_MISSING', message);
}
