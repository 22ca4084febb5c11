/** What was said of using a page, as its record has it. */
import { hash } from 'node:crypto';
import type { PageUsage } from '../../../schemas/types.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import { headerUsage, metaUsage, type UsageMeta } from '../../../topology/usage/response-usage.ts';
import { inOrder, type Statement } from '../../../topology/usage/statement.ts';
import type { Headers } from '../http/headers.ts';

/** What robots.txt says of using a URL. */
export interface SiteUsage {
  readonly said: readonly Statement[];
  /** Of the robots.txt, as `robots` has it. */
  readonly hash: string;
}

export const nothingSaid: SiteUsage = { said: [], hash: '' };

/** `contentHash`: SHA-256 of the body, hexadecimal. */
export function usageRecord(
  site: SiteUsage,
  headers: Headers,
  productToken: ProductTokens,
  metas: readonly UsageMeta[] = [],
  contentHash = '',
): PageUsage[] {
  const byHeader = headerUsage(headers, productToken);
  if (site.said.length === 0 && byHeader.length === 0 && metas.length === 0) return [];
  const told = [
    ...site.said.map((one) => ({ ...one, hash: site.hash })),
    ...byHeader.map((one) => ({ ...one, hash: hash('sha256', one.said, 'hex').slice(0, 32) })),
    ...metaUsage(metas).map((one) => ({ ...one, hash: contentHash.slice(0, 32) })),
  ];
  return inOrder(told);
}
