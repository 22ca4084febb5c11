/**
 * Steps of the normaliser on the path. Each takes and returns a path that begins with `/` and has its escapes in
 * normal form. Each is idempotent, and linear in the path's length.
 */
import type { SessionSet } from './name-set.ts';

/**
 * `/a/./b/../c` → `/a/c` (RFC 3986 §5.2.4). Parsing has already done this, with two exceptions: dot segments that
 * other steps create, and a fault of Node 20's parser, which overlooks dot segments after a segment like `.;x`
 * (`http://a//.;x/.`).
 */
export function removeDotSegments(path: string): string {
  if (!path.includes('/.')) return path;
  const segments = path.slice(1).split('/');
  const kept: string[] = [];
  for (const [at, segment] of segments.entries()) {
    const dots = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!dots) kept.push(segment);
    else if (at === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}

/** `/(S(x0…))/`: ASP.NET without cookies keeps session (S), authentication (F) and anonymous id (A) in the path. */
const aspSegment = /^\((?:[AFSX]\([A-Za-z0-9_-]{1,512}\)){1,4}\)$/;

/** Takes `;jsessionid=…` off segments, and ASP.NET's session segments out. */
export function dropPathSessions(path: string, sessions: SessionSet): string {
  if (!path.includes(';') && !path.includes('/(')) return path;
  const kept: string[] = [];
  for (const segment of path.slice(1).split('/')) {
    const plain = segment.includes(';') ? dropMatrixSessions(segment, sessions) : segment;
    if (!aspSegment.test(plain)) kept.push(plain);
  }
  // Dropping a session can create a dot segment: `/.;sid=1/` becomes `/./`.
  return removeDotSegments(`/${kept.join('/')}`);
}

function dropMatrixSessions(segment: string, sessions: SessionSet): string {
  const [name, ...parameters] = segment.split(';');
  const kept = parameters.filter((parameter) => {
    const equals = parameter.indexOf('=');
    return equals < 0 || !sessions.has(parameter.slice(0, equals).toLowerCase(), parameter.slice(equals + 1));
  });
  return [name, ...kept].join(';');
}

/** Merges slashes. `http://` inside a path (archives, proxies) keeps both, because it spells a URL. */
export function mergeSlashes(path: string): string {
  if (!path.includes('//')) return path;
  let out = '';
  let copied = 0;
  for (let at = path.indexOf('//'); at !== -1; at = path.indexOf('//', copied)) {
    let end = at + 2;
    while (path.charCodeAt(end) === 47) end++;
    out += `${path.slice(copied, at)}${embedsScheme(path, at) ? '//' : '/'}`;
    copied = end;
  }
  return out + path.slice(copied);
}

function embedsScheme(path: string, end: number): boolean {
  const segment = path.slice(path.lastIndexOf('/', end - 1) + 1, end);
  return segment === 'http:' || segment === 'https:';
}

/** `/a/` → `/a`; `/` stays. */
export function dropTrailingSlash(path: string): string {
  let end = path.length;
  while (end > 1 && path.charCodeAt(end - 1) === 47) end--;
  return path.slice(0, end);
}

/** File names that web servers serve for a folder. */
const indexPage = /\/(?:index|default)\.(?:html?|shtml|phtml|php[3-8]?|aspx?|jspa?|cfm|cgi|pl)$/i;

/**
 * Drops index pages. `alsoSlashed`: also drops one that only removing a trailing slash reveals, as in `/index.html/`.
 */
export function dropIndexPages(path: string, alsoSlashed: boolean): string {
  let folder = path;
  for (;;) {
    const bare = alsoSlashed ? dropTrailingSlash(folder) : folder;
    const next = bare.replace(indexPage, '/');
    if (next === bare) return folder;
    folder = next;
  }
}
