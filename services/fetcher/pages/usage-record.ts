/** Usage statements on a page, as in its record. */
import { hash } from 'node:crypto';
import type { PageUsage } from '../../../schemas/types.ts';
import type { ProductTokens } from '../../../topology/robots/product-token.ts';
import { headerUsage, metaUsage, type UsageMeta } from '../../../topology/usage/response-usage.ts';
import { inOrder, type Statement } from '../../../topology/usage/statement.ts';
import type { Headers } from '../http/headers.ts';

/** The usage preferences for a URL in a file of the site: robots.txt, and tdmrep.json if it is requested. */
export interface SiteUsage {
  readonly said: readonly Statement[];
  /** First 16 bytes of the file's SHA-256, hexadecimal. */
  readonly hash: string;
}

/** `contentHash`: SHA-256 of the body, hexadecimal. */
export function usageRecord(
  site: readonly SiteUsage[],
  headers: Headers,
  productToken: ProductTokens,
  metas: readonly UsageMeta[] = [],
  contentHash = '',
): PageUsage[] {
  const byHeader = headerUsage(headers, productToken);
  if (byHeader.length === 0 && metas.length === 0 && site.every(({ said }) => said.length === 0)) return [];
  const bySite = site.flatMap(({ said, hash: file }) => said.map((one) => ({ ...one, hash: file })));
  const statements = [
    ...bySite,
    ...byHeader.map((one) => ({ ...one, hash: hash('sha256', one.said, 'hex').slice(0, 32) })),
    ...metaUsage(metas).map((one) => ({ ...one, hash: contentHash.slice(0, 32) })),
  ];
  return inOrder(statements);
}
