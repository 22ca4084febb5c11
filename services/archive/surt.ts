/**
 * The search key of a URL in an index of an archive: a SURT (sort-friendly URI reordering transform) of the URL's
 * canonical form, so that spellings of one page, and sessions, meet at one key. Those who look a URL up compute the same
 * key from what they were asked for, so every rule counts: they are those of the Internet Archive's `surt` (0.3.1), which
 * pywb uses, over the rules for Safe Browsing's URLs.
 *
 * `http://www.Example.org:8080/a/?C=1&b=2` → `org,example:8080)/a?b=2&c=1`.
 */

/** `url`: http or https, in the normal form of the URL standard. */
export function surtOf(url: string): string {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const host = reversed(hostname.replace(/^\[(.*)\]$/, '$1'));
  const isDefault = port === '' || port === (protocol === 'https:' ? '443' : '80');
  return `${host}${isDefault ? '' : `:${port}`})${canonicalPath(pathname)}${canonicalQuery(search.slice(1))}`;
}

function reversed(hostname: string): string {
  const plain = hostname.replaceAll('..', '.').replace(/^\.+|\.+$/g, '');
  const massaged = plain.replace(/^www\d*\./, '');
  return massaged.split('.').reverse().join(',');
}

const pathSessions = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/i,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/i,
];

function canonicalPath(path: string): string {
  let canonical = escaped(withoutDots(unescaped(path))).toLowerCase();
  for (const session of pathSessions) canonical = canonical.replace(session, '$1$2');
  return canonical.length > 1 && canonical.endsWith('/') ? canonical.slice(0, -1) : canonical;
}

const querySessions = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/i,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/i,
];

function canonicalQuery(query: string): string {
  let canonical = escaped(unescaped(query));
  for (const session of querySessions) {
    canonical = canonical.replace(session, (_, before: string, after = '') => before + after);
  }
  canonical = inOrder(canonical.toLowerCase());
  return canonical === '' ? '' : `?${canonical}`;
}

/** By name, then by value; a name without `=` goes before the same name with one. */
function inOrder(query: string): string {
  if (query.length <= 1) return query;
  return query
    .split('&')
    .map((argument): [string, string | undefined] => {
      const at = argument.indexOf('=');
      return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
    })
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x === undefined ? '' : `=${x}`, y === undefined ? '' : `=${y}`))
    .map(([name, value]) => (value === undefined ? name : `${name}=${value}`))
    .join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `.` and `..` that were escaped, and empty segments, go. Bytes, a character each. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/').slice(1)) {
    if (segment === '.') continue;
    if (segment === '..' && kept.length > 0) kept.pop();
    else kept.push(segment);
  }
  const last = kept.pop() ?? '';
  return `/${kept
    .filter((segment) => segment !== '')
    .map((segment) => `${segment}/`)
    .join('')}${last}`;
}

/** Until nothing is left to unescape. Bytes, a character each. */
function unescaped(text: string): string {
  let bytes = Buffer.from(text).toString('latin1');
  for (;;) {
    const once = bytes.replace(/%([0-9a-f]{2})/gi, (_, digits: string) =>
      String.fromCharCode(Number.parseInt(digits, 16)),
    );
    if (once === bytes) return bytes;
    bytes = once;
  }
}

/** All but visible ASCII, and `%` and `#`. */
function escaped(bytes: string): string {
  return bytes.replace(/[^!"$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
