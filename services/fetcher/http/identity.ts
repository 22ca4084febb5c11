/** Who we say we are, and what we say we read: the headers that every request carries. */

/** Our name in robots.txt, and the first word of our User-Agent. */
export const productToken = 'crawlstream';

export const pageAccept = 'text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1';
export const sitemapAccept = 'application/xml,text/xml,application/feed+json,text/plain;q=0.8,*/*;q=0.1';

export interface Identity {
  readonly version: string;
  readonly contact: string;
  readonly userAgent?: string;
}

/** What robots.txt is read for. */
export function productTokenOf({ userAgent }: Pick<Identity, 'userAgent'>): string {
  return userAgent?.split(/[/\s]/, 1)[0] ?? productToken;
}

/** `version`: release of the product. `contact`: a URL or mail address; empty only against a web of our own. */
export function requestHeaders(config: Identity, accept: string, encoding: string): string[] {
  const contact = config.contact === '' ? '' : ` (+${config.contact})`;
  const userAgent = config.userAgent ?? `${productToken}/${config.version}${contact}`;
  return ['user-agent', userAgent, 'accept', accept, 'accept-encoding', encoding];
}
