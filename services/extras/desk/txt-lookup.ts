/** Queries DNS for the TXT records of a name. The only such file of the webmaster page. */
import { promises as dns } from 'node:dns';

/** TXT records with their parts joined (RFC 1035 §3.3.14). None: the name has none. Rejects when no server answers. */
export type TxtLookup = (name: string) => Promise<readonly string[]>;

/** Timeout of one try of a server, ms, and the number of tries. */
const tryMs = 2_000;
const tries = 2;

/** `servers`: addresses, with a port or without. Empty: the system's. */
export function createTxtLookup(servers: readonly string[]): TxtLookup {
  const resolver = new dns.Resolver({ timeout: tryMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  return async (name) => {
    try {
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      if (['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
      throw error;
    }
  };
}
