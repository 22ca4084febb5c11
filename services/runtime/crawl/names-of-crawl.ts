/** The normal form of URLs in a crawl, by the newest policy on `control`. */
import { parsePolicy } from '../../../topology/policy/validate.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import type { RecordCodec } from '../avro/record-codec.ts';
import type { Log } from '../log/log.ts';
import { readControl } from './control-log.ts';

/** A URL is returned unchanged if there is no policy yet, or the policy refuses it. */
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
