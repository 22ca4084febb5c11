/**
 * Host keys and partition keys (docs/design.md §2), cut out of URLs that are already normal: http(s), lower-case ASCII host, no
 * user, a path. No parser runs here.
 */
import { registrableDomain } from './registrable-domain.ts';

/** The unit a topic is partitioned by. `domain` is for broad crawls: budgets then hold per registrable domain. */
export type KeyMode = 'host' | 'domain';

const slash = 47;
const colon = 58;
const openBracket = 91;

/** Host name, with `:port` if the URL has one (a normal URL names no default port). IP literals stay as they are. */
export function hostKeyOf(url: string): string {
  const start = url.charCodeAt(4) === colon ? 7 : 8;
  const end = url.indexOf('/', start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}

/** Host name of a normal URL, without port. */
export function hostnameOf(url: string): string {
  const start = url.charCodeAt(4) === colon ? 7 : 8;
  if (url.charCodeAt(start) === openBracket) return withoutPort(hostKeyOf(url));
  for (let at = start; at < url.length; at++) {
    const code = url.charCodeAt(at);
    if (code === slash || code === colon) return url.slice(start, at);
  }
  return url.slice(start);
}

/** Host keys with ports nest inside their host name's partition; addresses and unknown names are their own domain. */
export function partitionKeyOf(hostKey: string, mode: KeyMode): string {
  const hostname = withoutPort(hostKey);
  return mode === 'host' ? hostname : (registrableDomain(hostname) ?? hostname);
}

/** Host name of a host key. */
export function withoutPort(hostKey: string): string {
  // `[::1]` has colons; a port can only follow the bracket.
  const end = hostKey.charCodeAt(0) === openBracket ? hostKey.indexOf(']') + 1 : hostKey.indexOf(':');
  return end <= 0 || end === hostKey.length ? hostKey : hostKey.slice(0, end);
}
