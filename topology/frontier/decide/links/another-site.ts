/** Whether a link comes from another site: another registrable domain. Hosts of one site link to each other, and mean it. */
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

/** The links of a page to a host come in a row. */
let last = { source: '', hostKey: '', isOther: false };
