/**
 * Page requisites (images, styles, scripts) as links. They go to the frontier like other links, so that each is fetched
 * once, at its host's pace, if robots.txt and the policy allow it. They go before the host's next pages, so that a page
 * is soon complete. Requisites do not become pages. A style sheet's links are followed, up to the limit of redirects.
 */
import type { Outcome } from '../../../schemas/types.ts';
import { decodePage } from '../../../topology/parse/charset.ts';
import { linkSpelling } from '../../../topology/parse/legacy-encodings.ts';
import { cssRequisites, htmlRequisites } from '../../../topology/parse/requisites.ts';
import { gatherLinks, type LinkMaker, type LinkOrigin, type PageLinks } from '../publish/page-links.ts';
import type { Answer } from './answer.ts';
import { bare, type PageReader, type PageReport } from './page-reader.ts';
import type { PageType } from './page-type.ts';

/** Is an answer of this media type part of pages, and none itself? */
export function isRequisite(mediaType: string): boolean {
  return /^(?:image|font)\/|^text\/css$|^(?:text|application)\/(?:x-)?(?:java|ecma)script$/.test(mediaType);
}

export function requisiteReport(
  links: LinkMaker,
  from: LinkOrigin,
  { item, head, response, outcome: answered }: Answer,
): PageReport {
  const { mediaType, contentType } = head;
  const outcome: Outcome = { ...answered, kind: 'refused', detail: `type ${mediaType} is not read` };
  if (mediaType !== 'text/css') return bare(outcome);
  const startMs = performance.now();
  const { text } = decodePage(response.body, contentType);
  const on = { depth: item.depth, hop: item.hop + 1, front: true, share: 0 };
  const { groups, pending } = gatherLinks(links, from, cssRequisites(text, from.url), on);
  return { outcome, page: null, groups, pending, readMs: performance.now() - startMs };
}

/** Adds a page's requisites to its links. */
export function withRequisites(
  reader: Pick<PageReader, 'requisites' | 'links'>,
  type: PageType,
  from: LinkOrigin,
  { item, head, response }: Pick<Answer, 'item' | 'head' | 'response'>,
  found: PageLinks,
): PageLinks {
  if (type !== 'html' || reader.requisites?.() !== true) return found;
  const { text, charset } = decodePage(response.body, head.contentType);
  const needed = htmlRequisites(text, from.url, linkSpelling(charset));
  const { groups, pending } = gatherLinks(reader.links, from, needed, {
    depth: item.depth,
    hop: 0,
    front: true,
    share: 0,
  });
  return { ...found, groups: [...found.groups, ...groups], pending: [...found.pending, ...pending] };
}
