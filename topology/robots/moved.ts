/**
 * Allowed targets of a redirect of robots.txt (RFC 9309 §2.3.1.2).
 *
 * Within a host, a redirect may lead to any file; among the hosts of one registrable domain, to any path that ends in
 * `/robots.txt`. On any other host, the crawler follows it only to `/robots.txt`, which every crawler requests anyway.
 * So an attacker cannot make the crawler request a chosen page from a victim. The crawl's scope does not apply here,
 * because it is about pages: the robots.txt of a site in scope may be anywhere.
 */
import { hostnameOf } from '../url/host-key.ts';
import { registrableDomain } from '../url/registrable-domain.ts';

export type RobotsMove =
  /** To the same host name or registrable domain. */
  | 'near'
  /** To the `/robots.txt` of another site; blocks of hosts apply. */
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
