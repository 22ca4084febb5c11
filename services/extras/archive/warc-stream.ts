/**
 * The responses of a crawl as one WARC file, generated while it is read: nothing is stored besides the crawl's own
 * log, and only requested parts are read.
 *
 * Records are the same as in the archive (archiver.ts), each a separate gzip member, and the same log gives the same
 * bytes. There are no revisits, because no payloads are remembered: each payload is written every time.
 */
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import { readPurges } from '../../runtime/crawl/purges.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { cdxTime } from './cdxj.ts';
import { gzipMember } from './gzip-member.ts';
import { isRendered, mayArchive, payloadDigest, recordsOfResponse, renderedRecord } from './response-records.ts';
import { recordId } from './warc-record.ts';
import { type WarcinfoOptions, warcinfo } from './warcinfo.ts';

/** A crawl's log, and the prefix of its topics. */
export interface ArchivedLog {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
}

/**
 * The responses that exist at the start, for a crawl with one partition. Without a response, the file has no record,
 * and no bytes.
 */
export async function* warcOf(
  { log, codec, crawl }: ArchivedLog,
  options: Omit<WarcinfoOptions, 'crawl'>,
): AsyncGenerator<Buffer> {
  const topic = `${crawl}.responses`;
  const { start, end } = await log.offsets(topic, 0);
  const purges = await readPurges(log, codec, { crawl, partitions: 1 });
  let warcinfoId: string | undefined;
  for await (const { offset, value } of recordsOf(log, topic, 0, start, end)) {
    const response = await readRecord(codec, 'responses', value);
    if (response === undefined || !mayArchive(response) || purges.refuses(response.url, response.fetchedAtMs)) continue;
    if (warcinfoId === undefined) {
      const name = `${crawl}-${cdxTime(response.fetchedAtMs)}-0-${offset}`;
      const first = warcinfo(name, response, { ...options, crawl });
      warcinfoId = recordId(first.identity);
      yield await gzipMember(first);
    }
    const identity = `${topic} 0 ${offset} ${response.fetchedAtMs} ${response.url}`;
    if (isRendered(response)) {
      yield await gzipMember(renderedRecord(response, identity, warcinfoId, null));
      continue;
    }
    const records = recordsOfResponse(response, identity, warcinfoId, payloadDigest(response), undefined);
    for (const record of [records.request, records.answer, records.metadata])
      if (record !== undefined) yield await gzipMember(record);
  }
}
