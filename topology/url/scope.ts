/**
 * How far a crawl may go from its seeds (docs/design.md §5). The default is their registrable domains, so that a
 * first crawl does not leave them.
 */
import type { Verdict } from './filters.ts';
import { hostKeyOf, hostnameOf, partitionKeyOf } from './host-key.ts';
import { compileSuffixSet } from './suffix-set.ts';

export type ScopeKind = 'host' | 'domain' | 'all';

export interface ScopeConfig {
  /** `host`: the hosts named. `domain`: the registrable domains named. `all`: anywhere. */
  readonly kind: ScopeKind;
  /** `host`: host keys, exactly. `domain`: domains with their subdomains. `all`: ignored. */
  readonly names: readonly string[];
}

/** `seeds` are normal URLs. A seed on an IP address or an unlisted name is a separate domain. */
export function scopeOf(kind: ScopeKind, seeds: readonly string[]): ScopeConfig {
  if (kind === 'all') return { kind, names: [] };
  const nameOf = kind === 'host' ? hostKeyOf : (seed: string) => partitionKeyOf(hostKeyOf(seed), 'domain');
  return { kind, names: [...new Set(seeds.map(nameOf))].sort() };
}

/** Takes normal URLs; null: in scope. */
export function compileScope(config: ScopeConfig): (url: string) => Verdict | null {
  if (config.kind === 'all') return () => null;
  if (config.kind === 'host') {
    const hosts = new Set(config.names);
    return (url) => (hosts.has(hostKeyOf(url)) ? null : { rule: 'scope', detail: hostKeyOf(url) });
  }
  const domains = compileSuffixSet(config.names);
  return (url) => {
    const hostname = hostnameOf(url);
    return domains.match(hostname) === null ? { rule: 'scope', detail: hostname } : null;
  };
}
