/**
 * The crawler's identity at hosts that agreed to another name than the crawl's: the User-Agent, and the product tokens
 * for robots.txt there. The contact stays in the User-Agent. The last rule that matches a host applies.
 */
import { invalid } from '../../../topology/errors.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import { hostKeyOf, hostnameOf } from '../../../topology/url/host-key.ts';
import { hostFits } from '../connect/host-pattern.ts';
import { type Identity, namesOf, productTokensOf, userAgentOf } from './identity.ts';
import type { RequestRuleInput } from './request-rules-schema.ts';

export interface AgreedIdentities {
  /** Null: the crawl's own. */
  of(hostKey: string): Identity | null;
  userAgentOf(hostKey: string): string;
  /** `origin`: or any URL there. */
  tokensOf(origin: string): ProductTokens;
  /** The names for records. */
  namesOf(hostKey: string): ReturnType<typeof namesOf>;
}

/** Throws INVALID_ARGUMENT for a name by which webmasters could not recognize the crawler. */
export function agreedIdentities(own: Identity, rules: readonly RequestRuleInput[] = []): AgreedIdentities {
  const agreed = rules.flatMap(({ hosts = [], identity }, index) => {
    if (identity === undefined) return [];
    const { userAgent, robotsTokens } = identity;
    const stray = robotsTokens?.find((token) => !userAgent.toLowerCase().includes(token.toLowerCase()));
    const field = `requests[${index}].identity`;
    if (stray !== undefined) throw invalid(`${field}.robotsTokens: ${stray} is not part of ${userAgent}; add it there`);
    if (robotsTokens === undefined && /^mozilla\b/i.test(userAgent))
      throw invalid(
        `${field}: ${userAgent} starts like the name of a browser; add robotsTokens, the names to look for in robots.txt`,
      );
    const { robotsTokens: _, ...rest } = own;
    const [first, ...more] = robotsTokens ?? [];
    return [
      { hosts, as: { ...rest, userAgent, ...(first !== undefined && { robotsTokens: [first, ...more] as const }) } },
    ];
  });
  const of = (hostKey: string): Identity | null => {
    if (agreed.length === 0) return null;
    const hostname = hostnameOf(`https://${hostKey}/`);
    return agreed.findLast(({ hosts }) => hosts.some((pattern) => hostFits(pattern, hostname)))?.as ?? null;
  };
  const ownTokens = productTokensOf(own);
  const ownNames = namesOf(own);
  return {
    of,
    userAgentOf: (hostKey) => userAgentOf(of(hostKey) ?? own),
    tokensOf(origin) {
      const identity = of(hostKeyOf(origin));
      return identity === null ? ownTokens : productTokensOf(identity);
    },
    namesOf(hostKey) {
      const identity = of(hostKey);
      return identity === null ? ownNames : namesOf(identity);
    },
  };
}
