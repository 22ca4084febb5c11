/**
 * What lists say of domains (authority, traffic, quality), for the score: it takes precedence over what the crawl has
 * found out itself. Lists are part of the policy, by the hash of what they hold, so that a replay knows the same.
 */
import type { ListSource } from '../../url/url-lists.ts';
import type { DomainInputs } from './inputs.ts';
import type { ScoreList } from './score-config.ts';

/** Adds to what is known of a URL's domain. */
export type ListedDomains = (url: string, known: DomainInputs) => DomainInputs;

/** null: there are no lists. Throws INVALID_ARGUMENT for one that `source` does not have. */
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
