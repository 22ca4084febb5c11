/**
 * Decides which `link` elements lead to pages: rel next, prev, canonical and alternate. The `type` of an alternate
 * decides.
 *
 * An alternate may be the page in another language, a feed, or a format for machines. Of the feeds, only the first is
 * followed: "if there are multiple, the first is the default feed" (HTML §4.6.7.1); the others, of comments and
 * categories, repeat links of the pages. Formats for machines (oEmbed, a JSON API's copy of the page, an edit form of
 * a wiki) are not pages.
 */
const followedRels = new Set(['next', 'prev', 'canonical']);
const pageTypes = new Set(['', 'text/html', 'application/xhtml+xml', 'application/pdf', 'text/plain']);
const feedTypes = new Set([
  'application/rss+xml',
  'application/atom+xml',
  'application/rdf+xml',
  'application/feed+json',
]);

export type LinkMeaning = 'page' | 'feed' | 'none';

/** `rel`: its words in lower case. `type`: the attribute as written; empty if absent. */
export function meaningOf(rel: readonly string[], type: string): LinkMeaning {
  if (rel.some((word) => followedRels.has(word))) return 'page';
  if (!rel.includes('alternate')) return 'none';
  const mediaType = type.split(';', 1)[0]!.trim().toLowerCase();
  if (feedTypes.has(mediaType)) return 'feed';
  return pageTypes.has(mediaType) ? 'page' : 'none';
}
