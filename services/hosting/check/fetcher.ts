/**
 * Fetches a page for the checking commands: with the crawler's client and address guard, robots.txt first.
 *
 * It fetches one page of one host, so its only pacing is one request after another, and it follows only the redirects
 * of robots.txt.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { compileAddressGuard } from '../../../topology/fetch/address.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import { robotsLimits } from '../../../topology/robots/robots-limits.ts';
import { createDnsLookup } from '../../fetcher/connect/dns-lookup.ts';
import { compileOverrides, type ResolveOverride } from '../../fetcher/connect/resolve-override.ts';
import { createResolver } from '../../fetcher/connect/resolver.ts';
import { createHttpClient, type HttpRequest, type HttpResponse } from '../../fetcher/http/client.ts';
import { acceptEncoding } from '../../fetcher/http/content-coding.ts';
import { headerOf } from '../../fetcher/http/headers.ts';
import { productTokensOf, requestHeaders } from '../../fetcher/http/identity.ts';
import { createSigner } from '../../fetcher/http/web-bot-auth.ts';
import { createRobotsCache } from '../../fetcher/robots/cache.ts';
import type { Robots } from '../../fetcher/robots/copies.ts';
import { SystemClock } from '../../runtime/clock.ts';
import { trustSettings } from '../options/fetching.ts';
import { type IdentityFlags, identityOf } from '../options/identity.ts';

export interface FetchFlags extends IdentityFlags {
  readonly allowPrivate?: true | string[];
  readonly resolve?: ResolveOverride[];
  readonly ca?: string[];
  readonly insecure?: string[];
}

export interface CheckFetcher {
  /** Throws INVALID_ARGUMENT if no response arrives. `url` is normal. */
  page(url: string): Promise<HttpResponse>;
  /**
   * Follows RFC 9309's rules for redirects and failures. `tokens`: the product tokens to match groups with. Absent:
   * ours.
   */
  robots(url: string, tokens?: ProductTokens): Promise<FetchedRobots>;
}

export interface FetchedRobots {
  readonly robots: Robots;
  /** The last URL that was requested, after redirects. */
  readonly url: string;
  /** 0: no response. */
  readonly status: number;
  readonly body: Uint8Array;
  /** The reason why it could not be read, and the remedy; empty: it was read. */
  readonly why: string;
}

export async function withCheckFetcher<T>(flags: FetchFlags, act: (fetcher: CheckFetcher) => Promise<T>): Promise<T> {
  const clock = new SystemClock();
  const resolver = createResolver({
    clock,
    lookup: createDnsLookup(),
    overrides: compileOverrides(flags.resolve ?? []),
    isBlocked: compileAddressGuard(flags.allowPrivate ?? false),
  });
  const { ca, insecureHosts } = trustSettings(flags);
  const trust = {
    ...(ca !== undefined && { ca }),
    ...(insecureHosts !== undefined && { insecureHosts: new Set(insecureHosts) }),
  };
  const identity = identityOf(flags);
  const { signing } = identity;
  const signed = signing === undefined ? {} : { signer: createSigner(signing, clock.nowMs()) };
  const client = createHttpClient({ clock, resolver, ...trust, ...signed });
  const headers = requestHeaders(identity, '*/*', acceptEncoding);
  const request = async (asked: HttpRequest): Promise<HttpResponse> => {
    const response = await client.request(asked);
    return response.misread === true ? await client.request(asked) : response;
  };
  try {
    return await act({
      async page(url) {
        const response = await request({ url, headers });
        if (response.failure !== null) throw unreachable(url, response);
        return response;
      },
      async robots(url, tokens = productTokensOf(identity)) {
        let last: Omit<FetchedRobots, 'robots'> | undefined;
        const answer = await createRobotsCache(clock, tokens).get(new URL(url).origin, async (asked) => {
          const at = asked.at(-1)!;
          const {
            status,
            headers: got,
            body,
            failure,
          } = await request({
            url: at,
            headers,
            bodyBytesMax: robotsLimits.bodyBytesMax,
          });
          const answered = failure === null ? status : 0;
          last = { url: at, status: answered, body, why: failure === null ? '' : whyNot(failure) };
          return {
            status: answered,
            location: headerOf(got, 'location') || null,
            body,
            retryAfterMs: 0,
            blockedAddress: failure?.kind === 'blockedAddress',
            detail: failure?.detail ?? '',
          };
        });
        return { robots: answer!.robots, ...last! };
      },
    });
  } finally {
    await client.close();
  }
}

function unreachable(url: string, { failure }: HttpResponse): CrawlstreamError {
  const isPrivate = failure?.kind === 'blockedAddress';
  const remedy = isPrivate ? '' : '; check the URL, or save the page and read it with --file';
  return new CrawlstreamError(
    'INVALID_ARGUMENT',
    `url ${url}: ${failure === null ? 'no answer' : whyNot(failure)}${remedy}`,
  );
}

function whyNot({ kind, detail }: NonNullable<HttpResponse['failure']>): string {
  return kind === 'blockedAddress' ? `${detail}; add --allow-private to reach private addresses` : detail;
}
