/** Factors of the page itself, and of who named it. Each gives a share from 0 to 1, or null if unknown. */
import { frontQueueCount, frontQueueOf } from '../../url/front-queue.ts';
import { logShare, share } from './curves.ts';
import type { LinkSource, PageInputs, PageKind } from './inputs.ts';
import type { Scales, SourceShares } from './score-config.ts';

export function cash({ cash }: PageInputs): number | null {
  return cash === null ? null : share(cash);
}

export function inLinks({ inLinks }: PageInputs, { inLinksMost }: Scales): number | null {
  return inLinks === null ? null : logShare(inLinks, inLinksMost);
}

/** Depth and spelling, as front queues judge them (front-queue.ts). */
export function depth({ depth }: PageInputs, url: string): number {
  return 1 - frontQueueOf(url, depth) / (frontQueueCount - 1);
}

/** Value of a page type to a crawl: links and text, then text alone. */
const typeShare: Readonly<Record<PageKind, number>> = { html: 1, feed: 0.9, text: 0.5, document: 0.4, other: 0.1 };

export function type({ type }: PageInputs): number | null {
  return type === null ? null : typeShare[type];
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
