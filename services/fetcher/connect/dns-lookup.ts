/**
 * Resolves a name to its addresses: first in the hosts file, then at the name servers, as a system does.
 *
 * It waits only on sockets (c-ares). `getaddrinfo` would occupy one of four threads, which files need too, for as long
 * as a foreign name server likes. Its other parts are done here: the hosts file and the search list of resolv.conf (RFC
 * 1034 §3.1, resolv.conf(5)). Each look-up ends within `dnsDeadlineMs`.
 */
import { promises as dns } from 'node:dns';
import { requestLimits } from '../http/request-limits.ts';
import { createHostsFile, type HostsFile } from './hosts-file.ts';
import { readSearchList, type SearchList } from './search-list.ts';

export interface DnsAnswer {
  /** IPv4 before IPv6. */
  readonly addresses: readonly string[];
  readonly ttlMs: number;
}

/** Resolves with no address when the name has none; rejects when no server could be asked. */
export type DnsLookup = (hostname: string) => Promise<DnsAnswer>;

/** A record of a name, as c-ares returns it. */
interface DnsRecord {
  readonly address: string;
  readonly ttl: number;
}

export interface NameServers {
  resolve4(name: string, options: { readonly ttl: true }): Promise<readonly DnsRecord[]>;
  resolve6(name: string, options: { readonly ttl: true }): Promise<readonly DnsRecord[]>;
}

export interface DnsLookupOptions {
  /** Absent: the system's. */
  readonly servers?: NameServers;
  readonly hosts?: HostsFile;
  readonly search?: () => SearchList;
  readonly deadlineMs?: number;
}

/** Timeout of one try of a server, ms, and the number of tries. */
const tryMs = 2_000;
const tries = 2;
/** A name with an IPv4 address does not wait longer than this for others, ms: crawls prefer IPv4. */
const sixthMs = 100;

export function createDnsLookup(options: DnsLookupOptions = {}): DnsLookup {
  const servers = options.servers ?? new dns.Resolver({ timeout: tryMs, tries });
  const hosts = options.hosts ?? createHostsFile();
  const { search = readSearchList, deadlineMs = requestLimits.dnsDeadlineMs } = options;
  return async (hostname) => {
    const local = await hosts.find(hostname);
    if (local.length > 0) return { addresses: local, ttlMs: 0 };
    return inTime(deadlineMs, hostname, () => askInTurn(servers, search().namesFor(hostname)));
  };
}

/** The first of these names that has an address. Rejects if the last of them could not be asked. */
async function askInTurn(servers: NameServers, names: readonly string[]): Promise<DnsAnswer> {
  for (const name of names.slice(0, -1)) {
    const answer = await askServers(servers, name).catch(() => undefined);
    if (answer !== undefined && answer.addresses.length > 0) return answer;
  }
  return askServers(servers, names.at(-1)!);
}

async function askServers(servers: NameServers, name: string): Promise<DnsAnswer> {
  const fourth = recordsOf(servers.resolve4(name, { ttl: true }));
  const sixth = recordsOf(servers.resolve6(name, { ttl: true }));
  const v4 = await fourth;
  const v6 = v4.records.length > 0 ? await soonOf(sixth) : await sixth;
  const records = [...v4.records, ...v6.records];
  if (records.length > 0) {
    const ttlS = records.reduce((least, record) => Math.min(least, record.ttl), Number.POSITIVE_INFINITY);
    return { addresses: records.map((record) => record.address), ttlMs: ttlS * 1000 };
  }
  const failure = v4.failure ?? v6.failure;
  if (failure !== undefined) throw failure;
  return { addresses: [], ttlMs: 0 };
}

interface Asked {
  readonly records: readonly DnsRecord[];
  /** Absent: a server answered. */
  readonly failure?: Error;
}

async function recordsOf(asking: Promise<readonly DnsRecord[]>): Promise<Asked> {
  try {
    return { records: await asking };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === dns.NOTFOUND || code === dns.NODATA ? { records: [] } : { records: [], failure: error as Error };
  }
}

function soonOf(asking: Promise<Asked>): Promise<Asked> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve({ records: [] }), sixthMs);
    void asking.then((asked) => {
      clearTimeout(timer);
      resolve(asked);
    });
  });
}

function inTime(deadlineMs: number, hostname: string, ask: () => Promise<DnsAnswer>): Promise<DnsAnswer> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no name server answered for ${hostname} within ${deadlineMs / 1_000} s`));
    const timer = setTimeout(late, deadlineMs);
    ask()
      .then(resolve, reject)
      .finally(() => clearTimeout(timer));
  });
}
