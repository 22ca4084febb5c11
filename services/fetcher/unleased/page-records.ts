/** A page and its links as records for the log, for services that publish pages without having leases. */
import type { Outcome } from '../../../schemas/types.ts';
import { hostKeyOf, type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';
import { DiscoveredBatch } from '../publish/discovered-batch.ts';
import type { UrlReport } from '../publish/publisher.ts';

export function pageRecords(
  {
    page,
    groups,
    outcome,
    withdrawn,
  }: Pick<UrlReport, 'page' | 'groups' | 'withdrawn'> & { readonly outcome?: Pick<Outcome, 'url'> },
  codec: RecordCodec,
  { crawl, partitions, keyMode }: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode },
): AppendRecord[] {
  const found = new DiscoveredBatch({ codec, partitions, keyMode });
  for (const group of groups) found.add(group);
  const records = found.records(`${crawl}.discovered`);
  const url = page?.url ?? (withdrawn === true ? outcome?.url : undefined);
  if (url !== undefined) {
    const partition = partitionOf(partitionKeyOf(hostKeyOf(url), keyMode), partitions);
    const value = page === null ? Buffer.alloc(0) : codec.encode('pages', page);
    records.push({ topic: `${crawl}.pages`, partition, key: Buffer.from(url), value });
  }
  return records;
}
