/** Seeds that a person types on the dashboard. */
import type { PolicyConfig } from '../../../topology/policy/policy.ts';
import { withScheme } from '../../../topology/url/seed.ts';
import { listsOfCrawl } from '../connect/policy-lists.ts';
import type { KafkaFlags } from '../options/crawl-place.ts';
import { checkSeeds, normalSeeds } from '../policy/seeds.ts';

/** The returned function gives the seed that a typed URL means. It throws INVALID_SEED if the policy refuses it. */
export function seedReader(flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  return async (typed: string, policy: PolicyConfig): Promise<string> => {
    const [url = typed] = normalSeeds([withScheme(typed.trim())]);
    checkSeeds([url], policy, await listsOfCrawl(policy, flags));
    return url;
  };
}
