/**
 * Returns the target of a page's canonical, for a policy that treats canonicals as redirects
 * (`equivalences.canonicals`).
 *
 * A canonical is accepted only within the same host, and only if parameters, an index page or http distinguish the two.
 * Each such step removes something, so canonicals cannot lead in a circle; and no site can claim another's page, or map
 * all of its pages to one by their paths. A slash or `www.` may be added as well as removed, and is left to redirects.
 */
import { rewritingsBetween } from '../../../topology/url/rewriting.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';

const believed = /^(?:https|index|query:.*)$/;

/** `canonical`: empty if the page names none. `url` and the result are normal; null: the page keeps its URL. */
export function canonicalTarget(
  url: string,
  canonical: string,
  normalize: (url: string) => string | null,
): string | null {
  const target = normalize(canonical);
  if (target === null || seenKey(target) === seenKey(url)) return null;
  const rewritings = rewritingsBetween(url, target);
  return rewritings?.every((one) => believed.test(one)) === true ? target : null;
}
