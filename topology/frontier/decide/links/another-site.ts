/**
 * Whether a link comes from another site: another registrable domain. Links between hosts of one site count as the
 * site's own.
 */
import { hostKeyOf, partitionKeyOf } from '../../../url/host-key.ts';

/** `sourceUrl`: normal; empty: none. */
export function isOfAnotherSite(sourceUrl: string, hostKey: string): boolean {
  if (sourceUrl === '') return false;
  const source = hostKeyOf(sourceUrl);
  if (source === hostKey) return false;
  if (source !== last.source || hostKey !== last.hostKey) {
    const isOther = partitionKeyOf(source, 'domain') !== partitionKeyOf(hostKey, 'domain');
    last = { source, hostKey, isOther };
  }
  return last.isOther;
}

/** Cached, since the links of a page to one host come in a row. */
let last = { source: '', hostKey: '', isOther: false };
