/** A record of `responses` as it goes into the log, for services that have no leases. */
import type { Response } from '../../../schemas/types.ts';
import { type KeyMode, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { AppendRecord } from '../../runtime/log/log.ts';

export function responseMessage(
  response: Response,
  codec: RecordCodec,
  { crawl, partitions, keyMode }: { readonly crawl: string; readonly partitions: number; readonly keyMode: KeyMode },
): AppendRecord {
  const { hostKey } = response;
  const partition = partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  return {
    topic: `${crawl}.responses`,
    partition,
    key: Buffer.from(hostKey),
    value: codec.encode('responses', response),
  };
}
