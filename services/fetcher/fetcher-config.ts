/** Configuration of a fetcher, beside the policy of the crawl. */

import type { Outcome, Page } from '../../schemas/types.ts';
import type { PolicyConfig } from '../../topology/policy/policy.ts';
import type { Outside } from '../runtime/leases/outside.ts';
import type { ResolveOverride } from './connect/resolve-override.ts';
import type { NamedHooks } from './hooks/fetch-hooks.ts';
import type { HttpResponse } from './http/client.ts';
import type { ExchangeLimits } from './http/exchange.ts';
import type { RequestRuleInput } from './http/request-rules-schema.ts';
import type { Signing } from './http/web-bot-auth.ts';
import type { DocumentReader } from './pages/document-reader.ts';
import type { ExtractRules } from './pages/extract-rules.ts';
import type { OpenPayments } from './pay/payments.ts';
import type { ArchiveConfig } from './publish/exchange-records.ts';

export interface FetcherConfig {
  /** Release of the product, for the User-Agent. */
  readonly version: string;
  /** URL or mail address for the User-Agent. Empty only against a web of our own. */
  readonly contact: string;
  /** Replaces the product's name (http/identity.ts). */
  readonly userAgent?: string | undefined;
  /** Product tokens for robots.txt. Absent: the first word of the User-Agent. */
  readonly robotsTokens?: readonly [string, ...string[]] | undefined;
  /** `From` (RFC 9110 §10.1.2) and `Accept-Language` of every request. Absent: not sent. */
  readonly from?: string | undefined;
  readonly acceptLanguage?: string | undefined;
  /** Signatures of requests. Absent: requests are not signed. */
  readonly signing?: Signing | undefined;
  /** Connect to loopback, private and other special addresses too: all (true), or these networks (CIDR). */
  readonly allowPrivate: boolean | readonly string[];
  readonly resolve: readonly ResolveOverride[];
  /** Time between starts on one address, ms, for the whole group of fetchers. 0: no limit. */
  readonly addressDelayMs: number;
  /** Fetchers in the group, now. */
  readonly groupSize: () => number;
  /** Links published per page at most. */
  readonly linksMax: number;
  readonly limits?: Partial<ExchangeLimits>;
  readonly leasesMax?: number;
  readonly requestsMax?: number;
  readonly connectionsPerOrigin?: number;
  readonly linkCacheEntries?: number;
  /** Publish exchanges with hosts too, for archives. Absent: none. */
  readonly archive?: ArchiveConfig;
  /** Headers, cookies, credentials, proxies and methods, by host or URL. */
  readonly requests?: readonly RequestRuleInput[];
  /** Extraction from pages beyond links and text. Absent: nothing. */
  readonly extract?: ExtractRules;
  /** Readers of documents that are no web pages. Absent: none. */
  readonly readers?: readonly DocumentReader[];
  /** Keep a page's links in its record too, for a graph of pages. */
  readonly outlinks?: boolean;
  /** Use HTTP/2 if the server offers it. Default: yes. */
  readonly http2?: boolean;
  /** Certificates trusted beside the system's, PEM. */
  readonly ca?: string;
  /** Names and addresses, in lower case, without certificate checks. Their requests say so in `results`. */
  readonly insecureHosts?: readonly string[];
  /** Hooks of plugins for requests, responses, pages and links, in this order. Absent: none. */
  readonly hooks?: readonly NamedHooks[];
  /** Opens the payments of plugins that pay. Absent: nothing is paid. */
  readonly openPayments?: OpenPayments;
  /** Called with the policy in force before the first request, and with each later one. Failures are passed to `say`, never thrown. */
  readonly onPolicy?: (policy: PolicyConfig, say: (text: string) => void) => void;
  /** Programs that may fetch pages instead of this fetcher. Absent: there are none. */
  readonly outside?: Outside | undefined;
  /** Called with every outcome, its page, and the depth of its URL. */
  readonly onReport?: (outcome: Outcome, page: Page | null, depth: number) => void;
  /** Origins of the crawl's seeds, which may have the credentials of rules that name their hosts. Absent: none is known. */
  readonly seedOrigins?: readonly string[] | undefined;
  /** Called with one line for each problem that prevents requests, such as a proxy that is down. */
  readonly say?: (text: string) => void;
  /** Called with every page and its response, before the page is published. */
  readonly onPage?: (page: Page, response: HttpResponse) => void;
  /**
   * Asked before each page. A promise: too many pages are pending, so wait for it; if it resolves to false, the rest of
   * the lease is returned.
   */
  readonly room?: (untilMs: number, signal: AbortSignal) => Promise<boolean> | undefined;
}
