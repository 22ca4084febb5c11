/** Factors of a page's domain. Each gives a share from 0 to 1, or null if unknown. */
import { logShare, saturation, share } from './curves.ts';
import type { DomainInputs } from './inputs.ts';
import type { Scales } from './score-config.ts';

/**
 * Authority from the number of distinct domains that link to the host. Further links from one domain say little,
 * because its templates repeat them.
 */
export function authority(inputs: DomainInputs, { linkingDomainsMost }: Scales): number | null {
  const { listedAuthority, linkingDomains } = inputs;
  if (listedAuthority !== null) return share(listedAuthority);
  return linkingDomains === null ? null : logShare(linkingDomains, linkingDomainsMost);
}

/** 1 for rank 1, 0 at the end of the list and beyond, with equal steps per decade of rank. */
export function traffic({ trafficRank }: DomainInputs, { trafficRankMost }: Scales): number | null {
  if (trafficRank === null) return null;
  return Math.max(0, 1 - Math.log(Math.max(1, trafficRank)) / Math.log(trafficRankMost));
}

/** The share of the host's pages that were worth fetching; close to one half while few pages are known. */
export function quality(inputs: DomainInputs, { pagesHalf }: Scales): number | null {
  const { listedQuality, pagesGood, pagesFetched } = inputs;
  if (listedQuality !== null) return share(listedQuality);
  if (pagesGood === null || pagesFetched === null || pagesFetched <= 0) return null;
  const trust = saturation(pagesFetched, pagesHalf);
  return trust * Math.min(1, Math.max(0, pagesGood) / pagesFetched) + (1 - trust) / 2;
}
