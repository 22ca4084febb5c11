/**
 * Where a page's canonical leads, for a policy by which that is the page's identity (`equivalences.canonicals`).
 *
 * It is believed of the same host alone, and where parameters, an index page or http tell the two apart: each such step
 * takes something away, so canonicals cannot lead in a circle, and no site can name another's page or send all of its own to
 * one by their paths. A slash or `www.` may be put as well as taken away, and is left to redirects.
 */
import { rewritingsBetween } from '../../../topology/url/rewriting.ts';
import { seenKey } from '../../../topology/url/seen-key.ts';

const believed = /^(?:https|index|query:.*)$/;

/** `canonical`: empty where the page names none. `url` and the answer are normal; null: the page is what it is. */
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
