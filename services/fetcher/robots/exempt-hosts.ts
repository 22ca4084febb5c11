/**
 * Skips robots.txt for hosts that an overlay of the policy exempts with a reason (the operator's sites, legal deposit).
 * Requests to them are not checked against robots.txt and refer to none; the audit checks them against the policy.
 *
 * The newest policy that was read decides: until a fetcher has read an exemption, it requests robots.txt.
 */
import { firstToken, type ProductTokens } from '../../../topology/robots/product-token.ts';
import { noRules } from '../../../topology/robots/rules.ts';
import { hostKeyOf } from '../../../topology/url/host-key.ts';
import { noUsage } from '../../../topology/usage/robots-usage.ts';
import type { RobotsCache } from './cache.ts';
import type { Robots } from './copies.ts';

/** `isExempt`: called with a host key. */
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
