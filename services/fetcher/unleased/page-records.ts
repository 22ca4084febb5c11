/** A page and its links as records for the log, for services that publish pages without having leases. */
import type { LinkGroup, Page } from '../../../schemas/types.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { discoveredMessages } from '../publish/discovered-batch.ts';

export function pageRecords(
  { page, groups }: { readonly page: Page | null; readonly groups: readonly LinkGroup[] },
  codec: RecordCodec,
  { crawl, partitions, keyMode }: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode },
): AppendRecord[] {
  const records: AppendRecord[] = discoveredMessages(groups, partitions, keyMode).map((message) => ({
    topic: `${crawl}.discovered`,
    partition: message.partition,
    key: Buffer.from(message.key),
    value: codec.encode('discovered', { groups: message.groups }),
  }));
  if (page !== null) {
    const partition = partitionOf(partitionKeyOf(page.hostKey, keyMode), partitions);
    const key = Buffer.from(page.hostKey);
    records.push({ topic: `${crawl}.pages`, partition, key, value: codec.encode('pages', page) });
  }
  return records;
}
