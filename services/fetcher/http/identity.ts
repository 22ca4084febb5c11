/** The headers that every request carries: who we are, and what we accept. */
import type { Result } from '../../../schemas/types.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import type { Signing } from './web-bot-auth.ts';

/** Our name in robots.txt, and the first word of our User-Agent, where an operator gives no other. */
export const productToken = 'crawlstream';

export const pageAccept = 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1';
export const sitemapAccept = 'application/xml,text/xml,application/feed+json,text/plain;q=0.8,*/*;q=0.1';

export interface Identity {
  /** Release of the product. */
  readonly version: string;
  /** A URL or mail address; empty only against a web of our own. */
  readonly contact: string;
  /** An operator's own. `{contact}` and `{version}` stand for those; a contact that it leaves out is put behind it. */
  readonly userAgent?: string | undefined;
  /** Absent: the first word of the User-Agent. */
  readonly robotsTokens?: readonly [string, ...string[]] | undefined;
  /** Mail address of whoever runs the crawl, sent as `From`. Absent: it is not sent. */
  readonly from?: string | undefined;
  /** Preferred languages of pages. Absent: not sent. */
  readonly acceptLanguage?: string | undefined;
  /** Absent: requests are not signed. */
  readonly signing?: Signing | undefined;
}

/** What robots.txt and robots directives are read for. */
export function productTokensOf({
  userAgent,
  robotsTokens,
}: Pick<Identity, 'userAgent' | 'robotsTokens'>): ProductTokens {
  return robotsTokens ?? userAgent?.split(/[/\s]/, 1)[0] ?? productToken;
}

export function userAgentOf({ userAgent, version, contact }: Identity): string {
  const name = userAgent ?? `${productToken}/{version}`;
  const filled = name.replaceAll('{version}', version).replaceAll('{contact}', contact);
  return contact === '' || filled.includes(contact) ? filled : `${filled} (+${contact})`;
}

/** As records have them. */
export function namesOf(identity: Identity): Pick<Result, 'userAgent' | 'robotsTokens'> {
  const tokens = productTokensOf(identity);
  return { userAgent: userAgentOf(identity), robotsTokens: typeof tokens === 'string' ? tokens : tokens.join(' ') };
}

export function requestHeaders(identity: Identity, accept: string, encoding: string): string[] {
  const { from, acceptLanguage } = identity;
  return [
    ...['user-agent', userAgentOf(identity), 'accept', accept, 'accept-encoding', encoding],
    ...(from === undefined ? [] : ['from', from]),
    ...(acceptLanguage === undefined ? [] : ['accept-language', acceptLanguage]),
  ];
}
