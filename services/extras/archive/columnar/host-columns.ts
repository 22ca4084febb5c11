/** Columns for a host name: its labels, and its domains by the public suffix list. */
import { parse } from 'tldts';
import type { Cell } from '../../../runtime/table/table.ts';

/**
 * The columns from `url_host_tld` to `url_host_name_reversed`. Registered domains are those of registries; private ones
 * include services that give domains to users (`blogspot.com`). An IP address has none of these.
 */
export function hostColumns(hostname: string): readonly Cell[] {
  const registry = parse(hostname, { allowPrivateDomains: false });
  if (registry.isIp || hostname.startsWith('[')) return Array.from({ length: 10 }, () => null);
  const labels = hostname.replace(/\.$/, '').split('.').reverse();
  const open = parse(hostname, { allowPrivateDomains: true });
  const last = [0, 1, 2, 3, 4].map((at) => labels[at] ?? null);
  return [...last, registry.publicSuffix, registry.domain, open.publicSuffix, open.domain, labels.join('.')];
}
