/** The line of robots.txt by which a fetcher was denied a URL, in the newest copy that the crawl keeps on `robots`. */
import type { RobotsCopy } from '../../../schemas/types.ts';
import { CrawlstreamError } from '../../../topology/errors.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';
import { decidingLine } from './robots-line.ts';

export interface RobotsDenial {
  /** null: the copy that denied it is not kept any more, or allows it by now. */
  readonly line: number | null;
  readonly rule: string | null;
  readonly robotsUrl: string | null;
  readonly fetchedAtMs: number | null;
}

interface Kept {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partition: number;
}

/** `url` is normal, of a host of that partition. */
export async function robotsDenial({ log, codec, crawl, partition }: Kept, url: string): Promise<RobotsDenial> {
  const topic = `${crawl}.robots`;
  const { origin } = new URL(url);
  let newest: RobotsCopy | undefined;
  // The bytes of a file that several origins have are kept once.
  const bodies = new Map<string, Uint8Array>();
  const { start, end } = await log.offsets(topic, partition).catch(withoutTopic);
  for await (const { value } of recordsOf(log, topic, partition, start, end)) {
    await codec.prepare('robots', value);
    const copy = codec.decode('robots', value);
    if (copy.origin !== origin && copy.body.length === 0) continue;
    if (copy.origin === origin && (newest === undefined || copy.fetchedAtMs >= newest.fetchedAtMs)) newest = copy;
    if (copy.body.length > 0) bodies.set(copy.hash, copy.body);
  }
  const body = newest === undefined ? undefined : bodies.get(newest.hash);
  const line = newest === undefined || body === undefined ? null : decidingLine(body, newest.token, url);
  if (newest === undefined || line === null || line.allow) return nothingKept;
  return { line: line.line, rule: line.text, robotsUrl: newest.url, fetchedAtMs: newest.fetchedAtMs };
}

const nothingKept: RobotsDenial = { line: null, rule: null, robotsUrl: null, fetchedAtMs: null };

/** A crawl that an older release made has no such topic. */
function withoutTopic(error: unknown): { readonly start: number; readonly end: number } {
  if (error instanceof CrawlstreamError && error.code === 'INVALID_ARGUMENT') return { start: 0, end: 0 };
  throw error;
}
