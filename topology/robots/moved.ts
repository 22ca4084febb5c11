/**
 * Where a redirect of robots.txt may lead (RFC 9309 §2.3.1.2).
 *
 * Within a host, and among the hosts of one registrable domain, a redirect may lead to any file. If it leads to any
 * other host, that host is asked only for what every crawler asks for anyway: `/robots.txt`. So nobody can have us ask
 * a victim for a page of their choice. A crawl's scope is about its pages and has no say here: the robots.txt of a site
 * in scope may lie anywhere.
 */
import { hostnameOf } from '../url/host-key.ts';
import { registrableDomain } from '../url/registrable-domain.ts';

export type RobotsMove =
  /** To the same host name or registrable domain. */
  | 'near'
  /** To the robots.txt of another site, for which blocks apply. */
  | 'far'
  | 'refused';

/** Both are normal URLs. */
export function robotsMove(from: string, to: string): RobotsMove {
  const [source, target] = [hostnameOf(from), hostnameOf(to)];
  if (source === target) return 'near';
  const domain = registrableDomain(target);
  const { pathname, search } = new URL(to);
  if (domain !== null && domain === registrableDomain(source) && search === '' && pathname.endsWith('/robots.txt')) {
    return 'near';
  }
  return pathname === '/robots.txt' && search === '' ? 'far' : 'refused';
}
