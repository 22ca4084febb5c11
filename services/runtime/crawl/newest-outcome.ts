/** The last outcome of one URL, from `results`, as far back as the topic goes. */
import type { Outcome, Result } from '../../../schemas/types.ts';
import { hostKeyOf, partitionKeyOf } from '../../../topology/url/host-key.ts';
import { partitionOf } from '../../../topology/url/partition.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';
import { readRecord } from '../avro/read-record.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { recordsOf } from '../log/records-of.ts';
import type { CrawlTopics } from './requests.ts';

export interface NewestOutcome
  extends Pick<Outcome, 'kind' | 'status' | 'detail' | 'redirectUrl' | 'bytes' | 'truncated'> {
  readonly atMs: number;
  /** For a page that was found unchanged: the details of the visit that fetched it. Empty: there are none. */
  readonly fetchedDetail: string;
}

/** `url` is normal. null: none is kept. */
export async function newestOutcome(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  { crawl, partitions, keyMode }: CrawlTopics,
  url: string,
  normalize: (url: string) => string | null,
): Promise<NewestOutcome | null> {
  const hostKey = hostKeyOf(url);
  const partition = partitionOf(partitionKeyOf(hostKey, keyMode), partitions);
  const topic = `${crawl}.results`;
  const { start, end } = await log.offsets(topic, partition);
  const name = Buffer.from(hostKey);
  const key = seenKey(url);
  const isIt = (other: string) => other === url || seenKey(normalize(other) ?? other) === key;
  let newest: NewestOutcome | null = null;
  let fetchedDetail = '';
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    if (!value.includes(name)) continue;
    const result: Result | undefined = await readRecord(codec, 'results', value);
    for (const outcome of result?.outcomes ?? []) {
      // The outcome of a URL that was not started contains nothing about the URL.
      if (outcome.kind === 'returned' || !isIt(outcome.url)) continue;
      const { kind, status, detail, redirectUrl, bytes, truncated } = outcome;
      if (kind === 'fetched') fetchedDetail = detail;
      newest = { kind, status, detail, redirectUrl, bytes, truncated, atMs: result!.completedAtMs, fetchedDetail };
    }
  }
  return newest;
}
