/**
 * Rewritings of URLs that lead to the same page on many hosts. A redirect from one URL to another can prove a
 * rewriting, and the crawl then applies it to further URLs of the host. Each rewriting is one step and leaves the
 * rest of path and query unchanged, so that no combination turns all URLs into one.
 *
 *   https       http becomes https; without a port
 *   www, bare   `www.` is added to the host, or removed: the registrable domain stays
 *   slash, noSlash   a trailing slash is added or removed, unless the last segment looks like a file
 *   index       index.html, default.aspx and the like become their folder
 *   query:NAME  the parameter is dropped
 */
export type Rewriting = string;

/** Longer names of parameters are not learnt. */
const nameCharsMax = 64;

interface Parts {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: readonly string[];
}

const shape = /^(https?):\/\/([^/?#]+)(\/[^?#]*)(?:\?([^#]*))?$/;
const indexName = /\/(?:index|default)\.[a-z]{2,5}$/;
const opposites: Readonly<Record<string, Rewriting>> = { www: 'bare', bare: 'www', slash: 'noSlash', noSlash: 'slash' };

/** The rewriting that undoes it; undefined: none does. */
export function oppositeOf(rewriting: Rewriting): Rewriting | undefined {
  return opposites[rewriting];
}

/** Sorts rewritings into the order in which they are applied, each once. */
export function inOrder(rewritings: Iterable<Rewriting>): Rewriting[] {
  const rank = (one: Rewriting) => order.indexOf(one);
  return [...rewritings].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
}

const dropped = 'query:';
/** Parameters are dropped before all of these. */
const order = ['index', 'noSlash', 'slash', 'bare', 'www', 'https'];

/** The normal URL after the rewriting; the same URL if the rewriting does not apply. */
export function rewritten(url: string, rewriting: Rewriting): string {
  const parts = partsOf(url);
  if (parts === null) return url;
  const { scheme, host, path, query } = parts;
  if (rewriting.startsWith(dropped)) {
    const name = rewriting.slice(dropped.length);
    return query.some((piece) => nameOf(piece) === name)
      ? joined({ ...parts, query: query.filter((piece) => nameOf(piece) !== name) })
      : url;
  }
  switch (rewriting) {
    case 'https':
      return scheme === 'http' && !hasPort(host) ? joined({ ...parts, scheme: 'https' }) : url;
    case 'www':
      return host.startsWith('www.') ? url : joined({ ...parts, host: `www.${host}` });
    case 'bare':
      return host.startsWith('www.') ? joined({ ...parts, host: host.slice(4) }) : url;
    case 'slash':
      return path.endsWith('/') || looksLikeFile(path) ? url : joined({ ...parts, path: `${path}/` });
    case 'noSlash':
      return path.endsWith('/') && path !== '/' ? joined({ ...parts, path: path.slice(0, -1) }) : url;
    case 'index':
      return joined({ ...parts, path: path.replace(indexName, '/') });
    default:
      return url;
  }
}

/** The rewritings that lead from one normal URL to another, all of them needed; null: none do. */
export function rewritingsBetween(from: string, to: string): Rewriting[] | null {
  const [a, b] = [partsOf(from), partsOf(to)];
  if (a === null || b === null || from === to) return null;
  const kept = new Set(b.query.map(nameOf));
  const names = new Set(a.query.map(nameOf).filter((name) => !kept.has(name)));
  const found = [
    ...[...names].map((name) => `${dropped}${name}`),
    ...(a.path === b.path ? [] : [pathRewriting(a.path, b.path)]),
    ...(a.host === b.host ? [] : [b.host === `www.${a.host}` ? 'www' : 'bare']),
    ...(a.scheme === b.scheme ? [] : ['https']),
  ];
  const rewritings = inOrder(found);
  const isLong = rewritings.some((one) => one.length > dropped.length + nameCharsMax);
  return !isLong && rewritings.reduce(rewritten, from) === to ? rewritings : null;
}

function pathRewriting(from: string, to: string): Rewriting {
  if (indexName.test(from)) return 'index';
  return to.length > from.length ? 'slash' : 'noSlash';
}

function partsOf(url: string): Parts | null {
  const found = shape.exec(url);
  if (found === null) return null;
  const [, scheme = '', host = '', path = '', query = ''] = found;
  return { scheme, host, path, query: query === '' ? [] : query.split('&') };
}

function joined({ scheme, host, path, query }: Parts): string {
  return `${scheme}://${host}${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function nameOf(piece: string): string {
  const end = piece.indexOf('=');
  return end < 0 ? piece : piece.slice(0, end);
}

function hasPort(host: string): boolean {
  return /:\d+$/.test(host);
}

function looksLikeFile(path: string): boolean {
  return path.slice(path.lastIndexOf('/')).includes('.');
}
