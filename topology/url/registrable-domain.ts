import { getDomain } from 'tldts';

/**
 * The registrable domain of a host (`www.example.co.uk` → `example.co.uk`) by the public suffix list, its private
 * section included: `a.github.io` and `b.github.io` belong to different people.
 *
 * null: an IP address, a public suffix, a single label, or no host name. Lower-case; IDNA form as given. The list's
 * version is part of a crawl's manifest, as partitions follow from it.
 */
export function registrableDomain(host: string): string | null {
  return getDomain(host, suffixOptions);
}

const suffixOptions = { allowPrivateDomains: true } as const;
