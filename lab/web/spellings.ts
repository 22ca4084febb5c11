/**
 * One URL in many spellings. Each spelling here leads to the same page once normalised (RFC 3986 §6.2, and the
 * parameters that every crawler drops), so a crawler that misses one fetches a page twice, and the checker sees it.
 */

export type Scheme = 'http' | 'https';

/** The normal form. The default port is left out (RFC 3986 §6.2.3). */
export function urlOf(name: string, path: string, port: number, scheme: Scheme = 'http'): string {
  return port === defaultPorts[scheme] ? `${scheme}://${name}${path}` : `${scheme}://${name}:${port}${path}`;
}

const defaultPorts = { http: 80, https: 443 } as const;

/** The `href` that a page writes: a path for links within the host, an absolute URL for the others. */
export function plainHref(name: string, path: string, port: number, sameHost: boolean, scheme?: Scheme): string {
  return sameHost ? path : urlOf(name, path, port, scheme);
}

/** A spelling drawn by `dice` (32 bits). `sameHost` allows forms relative to the page's host. */
export function spelledHref(
  name: string,
  path: string,
  port: number,
  sameHost: boolean,
  dice: number,
  scheme: Scheme = 'http',
): string {
  const url = (of: string, at: string) => urlOf(of, at, port, scheme);
  const token = (dice >>> 4).toString(16).padStart(7, '0');
  const mark = path.indexOf('?');
  const bare = mark < 0 ? path : path.slice(0, mark);
  const query = mark < 0 ? '' : path.slice(mark);
  const join = mark < 0 ? '?' : '&';
  switch (dice % 10) {
    case 0:
      return url(name.toUpperCase(), path);
    case 1: // a scheme in capitals, and a port with its default or a leading zero
      return `${scheme.toUpperCase()}://${name}:${port === defaultPorts[scheme] ? '' : '0'}${port}${path}`;
    case 2:
      return sameHost ? `/x/..${bare}${query}` : url(name, `/./y/..${path}`);
    case 3:
      return url(name, bare.replace('~', '%7e').replace('/p/', '/%70/') + query);
    case 4:
      return `${sameHost ? path : url(name, path)}#part-${token}`;
    case 5:
      return url(name, `${path}${join}utm_source=feed&utm_campaign=${token}`);
    case 6:
      return url(name, `${bare};jsessionid=${token.toUpperCase()}${query}`);
    case 7:
      return url(name, `${path}${join}PHPSESSID=${token}`);
    case 8: // parameters in the opposite order
      return url(name, bare + (mark < 0 ? `?gclid=${token}` : `?${query.slice(1).split('&').reverse().join('&')}`));
    default: // an empty path, or the scheme of the page
      return path === '/' ? url(name, '') : url(name, path).slice(`${scheme}:`.length);
  }
}
