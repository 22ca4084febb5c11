/** How a URL's page may be used, from the newest of its records, and what a policy's `uses` made of that. */
import type { PageUsage } from '../../../schemas/types.ts';
import { readRecord } from '../../runtime/avro/read-record.ts';
import type { RecordCodec } from '../../runtime/avro/record-codec.ts';
import type { Log } from '../../runtime/log/log.ts';
import { recordsOf } from '../../runtime/log/records-of.ts';

export interface UrlUsage {
  /** As its newest page record has it. */
  readonly said: readonly PageUsage[];
  /** Why its newest outcome left no page, where a use that is wanted is barred; empty: it did. */
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
      // A record that does not hold its letters is not decoded: most do not.
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
