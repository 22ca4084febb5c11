/** The owner of a page, by its registrable domain: only the owner can put pages there. */
import { hostKeyOf, partitionKeyOf } from './host-key.ts';

/** The registrable domain of a normal URL; for an IP address, the address. */
export function domainOf(url: string): string {
  return partitionKeyOf(hostKeyOf(url), 'domain');
}
