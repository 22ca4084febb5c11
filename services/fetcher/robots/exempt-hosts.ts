/**
 * Hosts whose robots.txt is not asked, as an overlay of the policy says with its reason (one's own sites, legal deposit). A
 * request to them goes by no robots.txt and records none; the audit holds it against the policy.
 *
 * Go by the newest policy that was read: until a fetcher has heard of an exemption, it asks.
 */
import { firstToken, type ProductTokens } from '../../../topology/robots/product-token.ts';
import { noRules } from '../../../topology/robots/rules.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { noUsage } from '../../../topology/usage/robots-usage.ts';
import type { Robots, RobotsCache } from './cache.ts';

/** `isExempt`: by host key. */
export function exceptHosts(
  cache: RobotsCache,
  isExempt: (hostKey: string) => boolean,
  productToken: ProductTokens,
): RobotsCache {
  const robots: Robots = {
    status: 'allowAll',
    rules: noRules,
    usage: noUsage,
    token: firstToken(productToken),
    hash: '',
    fetchedAtMs: 0,
    stale: false,
    detail: '',
    silent: false,
    blockedAddress: false,
    retryAfterMs: 0,
  };
  const answer = Promise.resolve({ robots, fresh: false });
  return {
    get: (origin, fetch) => (isExempt(hostKeyOf(origin)) ? answer : cache.get(origin, fetch)),
    has: (origin) => isExempt(hostKeyOf(origin)) || cache.has(origin),
    hop: cache.hop,
    forgetMoves: cache.forgetMoves,
    get size() {
      return cache.size;
    },
  };
}
