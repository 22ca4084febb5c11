/**
 * Asks the DNS for the addresses of a name.
 *
 * c-ares first: it tells TTLs and waits on sockets, while getaddrinfo would occupy one of four threads per name. Names
 * that only the system knows (hosts file, mDNS) are looked up by getaddrinfo when the DNS has no answer.
 */
import { promises as dns } from 'node:dns';

export interface DnsAnswer {
  /** IPv4 before IPv6. */
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

/** Resolves with no address when the name has none; rejects when no server could be asked. */
export type DnsLookup = (hostname: string) => Promise<DnsAnswer>;

/** Timeout of one try of a server, ms, and the number of tries: together they stay below the connect timeout. */
const tryMs = 2_000;
const tries = 2;

export function createDnsLookup(): DnsLookup {
  const resolver = new dns.Resolver({ timeout: tryMs, tries });
  return async (hostname) => {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(hostname, { ttl: true }),
      resolver.resolve6(hostname, { ttl: true }),
    ]);
    const records = [...(v4.status === 'fulfilled' ? v4.value : []), ...(v6.status === 'fulfilled' ? v6.value : [])];
    if (records.length > 0) {
      const ttlS = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
      return { addresses: records.map((record) => record.address), ttlMs: ttlS * 1000 };
    }
    return lookupBySystem(hostname);
  };
}

async function lookupBySystem(hostname: string): Promise<DnsAnswer> {
  try {
    const found = await dns.lookup(hostname, { all: true, verbatim: false });
    return { addresses: found.map((one) => one.address), ttlMs: 0 };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTFOUND' || code === 'ENODATA') return { addresses: [], ttlMs: 0 };
    throw error;
  }
}
