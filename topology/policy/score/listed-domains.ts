/**
 * Values of domains from lists (authority, traffic, quality), for the score. They override what the crawl has
 * measured. Lists are part of the policy, by the hash of their content, so that a replay uses the same values.
 */
import type { ListSource } from '../../url/url-lists.ts';
import type { DomainInputs } from './inputs.ts';
import type { ScoreList } from './score-config.ts';

/** Returns `known` with the listed values of the URL's domain. */
export type ListedDomains = (url: string, known: DomainInputs) => DomainInputs;

/** null: the policy has no lists. Throws INVALID_ARGUMENT for a list that `source` does not have. */
export function compileListedDomains(lists: readonly ScoreList[], source: ListSource): ListedDomains | null {
  if (lists.length === 0) return null;
  const loaded = lists.map((list) => ({ kind: list.kind, numberOf: source(list).numberOf }));
  return (url, known) => {
    const found = { authority: known.listedAuthority, traffic: known.trafficRank, quality: known.listedQuality };
    for (const { kind, numberOf } of loaded) found[kind] = numberOf?.(url) ?? found[kind];
    const { authority: listedAuthority, traffic: trafficRank, quality: listedQuality } = found;
    return { ...known, listedAuthority, trafficRank, listedQuality };
  };
}
