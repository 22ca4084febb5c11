/** Reads the usage preferences of a URL's page from its newest record, and the result under the policy's `uses`. */
import type { PageUsage } from '../../../schemas/types.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface UrlUsage {
  /** The statements in its newest page record. */
  readonly said: readonly PageUsage[];
  /** The reason why its newest outcome has no page, if a preference bars a wanted use. Empty: it has one. */
  readonly barred: string;
}

interface Kept {
  readonly log: Pick<Log, 'offsets' | 'reader'>;
  readonly codec: RecordCodec;
  readonly crawl: string;
  readonly partition: number;
}

/** `url` is normal, of a host of that partition. */
export async function urlUsage({ log, codec, crawl, partition }: Kept, url: string): Promise<UrlUsage> {
  const spelt = Buffer.from(url);
  let said: readonly PageUsage[] = [];
  let barred = '';
  for (const name of ['pages', 'results'] as const) {
    const topic = `${crawl}.${name}`;
    const { start, end } = await log.offsets(topic, partition);
    for await (const { value } of recordsOf(log, topic, partition, start, end)) {
      // Most records do not contain the URL's bytes, and are not decoded.
      if (!value.includes(spelt)) continue;
      if (name === 'pages') {
        const page = await readRecord(codec, 'pages', value);
        if (page?.url === url) said = page.usage;
        continue;
      }
      for (const outcome of (await readRecord(codec, 'results', value))?.outcomes ?? [])
        if (outcome.url === url) barred = / bars [a-z-]+: /.test(outcome.detail) ? outcome.detail : '';
    }
  }
  return { said, barred };
}
