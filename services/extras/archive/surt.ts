/**
 * The search key of a URL in an archive's index: a SURT (sort-friendly URI reordering transform) of its canonical form,
 * so that spellings and sessions of one page have the same key. Readers compute the same key from the requested URL, so
 * every rule counts. The rules are those of the Internet Archive's `surt` (0.3.1), which pywb uses, on top of the rules
 * for Safe Browsing's URLs.
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
  const plain = hostname.replaceAll('..', '.');
  let [start, end] = [0, plain.length];
  while (plain[start] === '.') start += 1;
  while (end > start && plain[end - 1] === '.') end -= 1;
  const massaged = plain.slice(start, end).replace(/^www\d*\./, '');
  return massaged.split('.').reverse().join(',');
}

/** The slash behind one may be that before the next. */
const pathSessions = [/\/\((?:[a-z]\([0-9a-z]{24}\))+\)(?=\/)/g, /\/\([0-9a-z]{24}\)(?=\/)/g];

function canonicalPath(path: string): string {
  let canonical = escaped(withoutDots(unescaped(path))).toLowerCase();
  for (const session of pathSessions) canonical = withoutPathSession(canonical, session);
  return canonical.length > 1 && canonical.endsWith('/') ? canonical.slice(0, -1) : canonical;
}

/** The last session before the name of an `.aspx` page goes. Each part of the path is looked at once. */
function withoutPathSession(path: string, session: RegExp): string {
  const places = [...path.matchAll(session)].map(({ index, 0: { length } }) => ({ index, rest: index + length + 1 }));
  let [page, query, seen] = [-1, -1, path.length];
  for (const { index, rest } of places.reverse()) {
    const part = path.slice(rest, seen);
    const pageHere = path.slice(rest + 1, seen + pageName.length).indexOf(pageName);
    const queryHere = part.indexOf('?');
    if (pageHere >= 0) page = rest + 1 + pageHere;
    if (queryHere >= 0) query = rest + queryHere;
    if (page >= 0 && (query < 0 || query > page)) return path.slice(0, index + 1) + path.slice(rest);
    seen = rest;
  }
  return path;
}

const pageName = '.aspx';
const querySessions = [
  /jsessionid=[0-9a-z]{32}(?=&|$)/gi,
  /phpsessid=[0-9a-z]{32}(?=&|$)/gi,
  /sid=[0-9a-z]{32}(?=&|$)/gi,
  /aspsessionid[a-z]{8}=[a-z]{24}(?=&|$)/gi,
];

function canonicalQuery(query: string): string {
  let canonical = escaped(unescaped(query));
  for (const session of querySessions) {
    const last = [...canonical.matchAll(session)].at(-1);
    if (last !== undefined) canonical = cutOut(canonical, last.index, last.index + last[0].length);
  }
  canonical = inOrder(withoutColdFusion(canonical).toLowerCase());
  return canonical === '' ? '' : `?${canonical}`;
}

/** The last `cfid=…&cftoken=…` goes. */
function withoutColdFusion(query: string): string {
  const names = query.toLowerCase().split('&');
  let end = query.length;
  for (let at = names.length - 1; at > 0; at--) {
    const [name, token] = [names[at - 1]!, names[at]!];
    const start = end - token.length - 1 - name.length;
    // With something behind it.
    const id = token.startsWith('cftoken=') && token.length > 8 ? name.slice(0, -1).lastIndexOf('cfid=') : -1;
    if (id >= 0) return cutOut(query, start + id, end);
    end -= token.length + 1;
  }
  return query;
}

/** With the `&` behind it. */
function cutOut(query: string, start: number, end: number): string {
  return query.slice(0, start) + query.slice(end + 1);
}

/** Sorts by name, then by value; a name without `=` precedes the same name with one. */
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

/** Until nothing is left to unescape, in one pass: what an escape gives may end another. Bytes, a character each. */
function unescaped(text: string): string {
  const bytes = Buffer.from(text);
  let end = 0;
  for (const byte of bytes) {
    bytes[end++] = byte;
    while (end >= 3 && bytes[end - 3] === percent) {
      const [high, low] = [digitOf(bytes[end - 2]!), digitOf(bytes[end - 1]!)];
      if (high < 0 || low < 0) break;
      end -= 2;
      bytes[end - 1] = 16 * high + low;
    }
  }
  return bytes.toString('latin1', 0, end);
}

const percent = 0x25;

/** Value of a hexadecimal digit; -1: none. */
function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const small = byte | 0x20;
  return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** All but visible ASCII, and `%` and `#`. */
function escaped(bytes: string): string {
  return bytes.replace(/[^!"$&-~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
