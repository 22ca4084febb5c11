/** Seeds that a person types on the dashboard. */
import type { PolicyConfig } from '../../../../topology/policy/policy.ts';
import { parseSeed } from '../../../../topology/url/seed.ts';
import { listsOfCrawl } from '../../../hosting/connect/policy-lists.ts';
import type { KafkaFlags } from '../../../hosting/options/crawl-place.ts';
import { normalSeeds, seedCheck } from '../../../hosting/policy/seeds.ts';

/**
 * Under a policy, the returned function gives the seed that a typed URL means. It throws INVALID_SEED for what is no
 * seed, and for what the policy refuses.
 */
export function seedReader(flags: Pick<KafkaFlags, 'brokers' | 'data'>) {
  return async (policy: PolicyConfig): Promise<(typed: string) => string> => {
    const check = seedCheck(policy, await listsOfCrawl(policy, flags));
    return (typed) => {
      const url = normalSeeds([parseSeed(typed)])[0]!;
      check(url);
      return url;
    };
  };
}
