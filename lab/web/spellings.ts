/**
 * One URL, written in many ways. Each spelling here leads to the same page once normalised (RFC 3986 §6.2, and the
 * parameters every crawler drops), so a crawler that misses one fetches a page twice, and the checker sees it.
 */

/** The normal form. The default port is left out, as RFC 3986 §6.2.3 has it. */
export function urlOf(name: string, path: string, port: number): string {
  return port === 80 ? `http://${name}${path}` : `http://${name}:${port}${path}`;
}

/** What a page writes into `href`: a path for links within the host, an absolute URL for the others. */
export function plainHref(name: string, path: string, port: number, sameHost: boolean): string {
  return sameHost ? path : urlOf(name, path, port);
}

/** A spelling drawn by `dice` (32 bits). `sameHost` allows forms relative to the page's host. */
export function spelledHref(name: string, path: string, port: number, sameHost: boolean, dice: number): string {
  const token = (dice >>> 4).toString(16).padStart(7, '0');
  const mark = path.indexOf('?');
  const bare = mark < 0 ? path : path.slice(0, mark);
  const query = mark < 0 ? '' : path.slice(mark);
  const join = mark < 0 ? '?' : '&';
  switch (dice % 10) {
    case 0:
      return urlOf(name.toUpperCase(), path, port);
    case 1: // a scheme in capitals, and a port with its default or a leading zero
      return `HTTP://${name}:${port === 80 ? '' : '0'}${port}${path}`;
    case 2:
      return sameHost ? `/x/..${bare}${query}` : urlOf(name, `/./y/..${path}`, port);
    case 3:
      return urlOf(name, bare.replace('~', '%7e').replace('/p/', '/%70/') + query, port);
    case 4:
      return `${sameHost ? path : urlOf(name, path, port)}#part-${token}`;
    case 5:
      return urlOf(name, `${path}${join}utm_source=feed&utm_campaign=${token}`, port);
    case 6:
      return urlOf(name, `${bare};jsessionid=${token.toUpperCase()}${query}`, port);
    case 7:
      return urlOf(name, `${path}${join}PHPSESSID=${token}`, port);
    case 8: // parameters in the opposite order
      return urlOf(
        name,
        bare + (mark < 0 ? `?gclid=${token}` : `?${query.slice(1).split('&').reverse().join('&')}`),
        port,
      );
    default: // an empty path, or the scheme of the page
      return path === '/' ? urlOf(name, '', port) : urlOf(name, path, port).slice('http:'.length);
  }
}
