/** The policy in force in a crawl, compiled, and the lists that it names. */
import { compilePolicy, type Policy } from '../../../topology/policy/policy.ts';
import { parsePolicy } from '../../../topology/policy/validate.ts';
import type { ListSource } from '../../../topology/url/url-lists.ts';
import { readControl } from '../../runtime/crawl/control-log.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import type { ExplainedCrawl } from './explain-reads.ts';
import { noPolicy } from './no-policy.ts';

export async function policyOfCrawl(
  { log, codec, topics }: Pick<ExplainedCrawl, 'log' | 'codec' | 'topics'>,
  flags: Pick<KafkaFlags, 'brokers' | 'data'>,
): Promise<{ readonly policy: Policy; readonly lists: ListSource }> {
  const { policy } = await readControl(log, codec, topics.crawl);
  if (policy === null) throw noPolicy();
  const config = parsePolicy(policy.json);
  const lists = await listsOfCrawl(config, flags);
  return { policy: compilePolicy(config, lists), lists };
}
