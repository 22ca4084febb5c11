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
  /**
   * The operator's User-Agent, with `{contact}` and `{version}` as placeholders. If `{contact}` is missing, the contact
   * is added at the end.
   */
  readonly userAgent?: string | undefined;
  /** Absent: the first word of the User-Agent. */
  readonly robotsTokens?: readonly [string, ...string[]] | undefined;
  /** Mail address of the crawl's operator, sent as `From`. Absent: not sent. */
  readonly from?: string | undefined;
  /** Preferred languages of pages. Absent: not sent. */
  readonly acceptLanguage?: string | undefined;
  /** Absent: requests are not signed. */
  readonly signing?: Signing | undefined;
}

/** Product tokens for robots.txt and robots directives. */
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

/** The names for records. */
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
