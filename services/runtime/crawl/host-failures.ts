/** Why hosts could not be reached: the newest reason of each, from `results`, as far back as it goes. */
import type { OutcomeKind } from '../../../schemas/types.ts';
import { failsHost } from '../../../topology/fetch/outcome.ts';
import { partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

export interface HostFailure {
  readonly kind: OutcomeKind;
  /** In plain words. */
  readonly detail: string;
  /** ms since the Unix epoch. */
  readonly atMs: number;
}

/** Failures by host key, without hosts that have answered since. `only`: a host key; only its partition is read. */
export async function hostFailures(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions, keyMode }: CrawlTopics,
  only?: string,
): Promise<ReadonlyMap<string, HostFailure>> {
  const own = only === undefined ? undefined : partitionOf(partitionKeyOf(only, keyMode), partitions);
  const topic = `${crawl}.results`;
  const failures = new Map<string, HostFailure>();
  for (let partition = own ?? 0; partition < (own === undefined ? partitions : own + 1); partition++) {
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      const result = await readRecord(codec, 'results', value);
      if (result === undefined || (only !== undefined && result.hostKey !== only)) continue;
      for (const outcome of result.outcomes) {
        const { kind, detail, status, originOnly } = outcome;
        if (failsHost(outcome)) failures.set(result.hostKey, { kind, detail, atMs: result.completedAtMs });
        else if (status > 0 || originOnly) failures.delete(result.hostKey);
      }
    }
  }
  return failures;
}
