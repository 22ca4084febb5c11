/** Whose a page is: nobody else can put pages under a registrable domain. */
import { hostKeyOf, partitionKeyOf } from '../../topology/url/host-key.ts';

/** Of a normal URL; addresses are their own. */
export function domainOf(url: string): string {
  return partitionKeyOf(hostKeyOf(url), 'domain');
}
