/** Seeds in their normal form, and whether a policy admits them. */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compilePolicy, defaultPolicy, type PolicyConfig } from '../../../topology/policy/policy.ts';
import { isHashbang } from '../../../topology/url/fragment.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { type ListSource, noLists } from '../../../topology/url/url-lists.ts';

/**
 * Normalizes seeds with the default policy. The crawl's own treatment of `#!…` is unknown here, so that part is kept.
 */
export function normalSeeds(seeds: readonly string[]): string[] {
  const normalize = compileNormalizer(defaultPolicy().normalize);
  return seeds.map((seed) => {
    const url = normalize(seed);
    const hash = seed.indexOf('#');
    return url === null ? seed : hash >= 0 && isHashbang(seed, hash) ? `${url}${seed.slice(hash)}` : url;
  });
}

/** Throws on a seed that the policy itself refuses, since the crawl would be empty. */
export function checkSeeds(seeds: readonly string[], policy: PolicyConfig, lists: ListSource = noLists): void {
  const check = seedCheck(policy, lists);
  for (const seed of seeds) check(seed);
}

/** The returned function throws on a seed that the policy itself refuses. */
export function seedCheck(policy: PolicyConfig, lists: ListSource): (seed: string) => void {
  const { admit } = compilePolicy(policy, lists);
  return (seed) => {
    const verdict = admit(seed, 0, 0);
    if (verdict.ok) return;
    const why = `${verdict.rule} (${verdict.detail})`;
    throw new CrawlstreamError(
      'INVALID_SEED',
      `seed ${seed} is refused by rule ${why}: change the seed or that option (for an existing crawl, use crawlstream policy set)`,
    );
  };
}
