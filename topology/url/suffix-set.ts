/** A set of domains that also holds their subdomains: `example.org` holds `www.example.org`, not `anexample.org`. */
export interface SuffixSet {
  /** The member that holds the host, or null. At most one look-up per label. */
  match(host: string): string | null;
}

export function compileSuffixSet(domains: readonly string[]): SuffixSet {
  const members = new Set(domains.map((domain) => domain.toLowerCase().replace(/^\.|\.$/g, '')));
  return {
    match(host) {
      if (members.size === 0) return null;
      for (let name = host; ; ) {
        if (members.has(name)) return name;
        const dot = name.indexOf('.');
        if (dot < 0) return null;
        name = name.slice(dot + 1);
      }
    },
  };
}
