/**
 * Sitemaps that the policy adds to those of robots.txt, and how often a host's sitemaps are read. Without this
 * setting, the sitemaps that robots.txt names are read each time robots.txt is read, with a lease of their host.
 *
 * A path applies to every host of its rule. Without a `recrawl` field, a host's sitemaps are read once.
 */

import { z } from 'zod';
import { canParse } from '../url/can-parse.ts';
import { hostKeyOf, withoutPort } from '../url/host-key.ts';
import type { Normalizer } from '../url/normalize.ts';
import { compileSuffixSet } from '../url/suffix-set.ts';

export interface SitemapsConfig {
  /** Time between two reads of a host's sitemaps, ms. */
  readonly everyMs: number;
  /** Sitemaps that robots.txt does not name. */
  readonly rules: readonly SitemapRule[];
}

export interface SitemapRule {
  /** Domains, with their subdomains, to which the paths apply. Absent: all hosts. */
  readonly hosts?: readonly string[] | undefined;
  /** URLs of sitemaps: absolute, or paths. */
  readonly urls: readonly string[];
}

/** Same period as for robots.txt (RFC 9309 §2.4). News sites add to their sitemaps hourly, and most others daily. */
export const sitemapsEveryMs = 24 * 3_600_000;

const location = z
  .string()
  .refine(
    (url) => url.startsWith('/') || (canParse(url) && /^https?:/i.test(url)),
    'write an absolute URL, or a path such as /sitemap.xml',
  );

export const sitemapsSchema: z.ZodType<SitemapsConfig> = z.strictObject({
  everyMs: z
    .int()
    .min(60_000)
    .max(365 * 24 * 3_600_000),
  rules: z.array(
    z.strictObject({ hosts: z.array(z.string().min(1)).min(1).optional(), urls: z.array(location).min(1).max(1_000) }),
  ),
});

export interface Sitemaps {
  readonly everyMs: number;
  /** Origins of sitemaps named by absolute URLs: they are read even if nothing else leads to their hosts. */
  readonly origins: readonly string[];
  /** The sitemaps of a host, as absolute URLs; paths are on `origin`. */
  of(hostKey: string, origin: string): readonly string[];
}

export function compileSitemaps({ everyMs, rules }: SitemapsConfig, normalize: Normalizer): Sitemaps {
  const byHost = new Map<string, Set<string>>();
  const origins = new Set<string>();
  const paths: { readonly fits: (hostname: string) => boolean; readonly path: string }[] = [];
  for (const { hosts, urls } of rules) {
    const domains = hosts === undefined ? null : compileSuffixSet(hosts);
    for (const url of urls) {
      if (url.startsWith('/')) {
        paths.push({ fits: (hostname) => domains === null || domains.match(hostname) !== null, path: url });
        continue;
      }
      const normal = normalize(url);
      if (normal === null) continue;
      const hostKey = hostKeyOf(normal);
      origins.add(new URL(normal).origin);
      byHost.set(hostKey, (byHost.get(hostKey) ?? new Set()).add(new URL(url).href));
    }
  }
  return {
    everyMs,
    origins: [...origins],
    of(hostKey, origin) {
      const hostname = withoutPort(hostKey);
      const all = new Set(byHost.get(hostKey));
      for (const { fits, path } of paths) if (fits(hostname)) all.add(new URL(path, origin).href);
      return [...all];
    },
  };
}
