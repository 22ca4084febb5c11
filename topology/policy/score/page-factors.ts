/** Factors of the page itself, and of who named it. Each gives a share from 0 to 1, or null if unknown. */
import { frontQueueCount, frontQueueOf } from '../../url/front-queue.ts';
import { logShare, share } from './curves.ts';
import type { LinkSource, PageInputs, PageKind } from './inputs.ts';
import type { PageKindRule, Scales, SourceShares } from './score-config.ts';

export function cash({ cash }: PageInputs): number | null {
  return cash === null ? null : share(cash);
}

export function inLinks({ inLinks }: PageInputs, { inLinksMost }: Scales): number | null {
  return inLinks === null ? null : logShare(inLinks, inLinksMost);
}

/**
 * Depth and spelling, as front queues judge them (front-queue.ts); among pages of one front queue, each segment of the
 * path counts. Together they never make up a front queue, so that depth alone gives the queue of `frontQueueOf`.
 */
export function depth({ depth }: PageInputs, url: string): number {
  const byQueue = 1 - frontQueueOf(url, depth) / (frontQueueCount - 1);
  return Math.max(0, byQueue - segmentCost * Math.min(segmentsMost, segmentsOf(url)));
}

const segmentCost = 0.01;
const segmentsMost = 6;

/** Segments of the path of a normal URL: 0 for a front page. */
function segmentsOf(url: string): number {
  const query = url.indexOf('?', 8);
  const end = query < 0 ? url.length : query;
  let segments = 0;
  for (let at = url.indexOf('/', 8) + 1; at > 0 && at < end; at = url.indexOf('/', at) + 1) segments += 1;
  return segments;
}

/** Value of a page type to a crawl: links and text, then text alone. */
const typeShare: Readonly<Record<PageKind, number>> = { html: 1, feed: 0.9, text: 0.5, document: 0.4, other: 0.1 };

/** `kind`: the kind of the page by its URL. It is more exact than that of the content, which most pages share. */
export function type({ type }: PageInputs, kind: Pick<PageKindRule, 'value'> | undefined): number | null {
  return kind?.value ?? (type === null ? null : typeShare[type]);
}

/** Value of a link by the place where it was found: the likelihood that a reader follows it. */
const sourceShare: Readonly<Record<LinkSource, number | null>> = {
  operator: 1,
  seed: 1,
  redirect: 0.8,
  feed: 0.8,
  sitemap: 0.7,
  // An author wrote it for readers of the page.
  content: 0.6,
  // Repeated on every page of the site, so it says little about the target.
  navigation: 0.4,
  footer: 0.1,
  link: null,
};

export function source({ source }: PageInputs, sources: SourceShares = {}): number | null {
  const own = sources[source];
  return own === undefined ? sourceShare[source] : own;
}
