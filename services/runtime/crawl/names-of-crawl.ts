/** How a crawl names URLs, by the newest policy on `control`: what counts as one URL is the crawl's own choice. */
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { readControl } from './control-log.ts';

/** Where there is no policy yet, or it refuses a URL, that is left as it is given. */
export async function namesOfCrawl(
  log: Pick<Log, 'offsets' | 'reader'>,
  codec: RecordCodec,
  crawl: string,
): Promise<(url: string) => string> {
  const { policy } = await readControl(log, codec, crawl);
  if (policy === null) return (url) => url;
  const normalize = compileNormalizer(parsePolicy(policy.json).normalize);
  return (url) => normalize(url) ?? url;
}
