/**
 * The normal form of a request target, so that every spelling of a URL is recognised.
 *
 * Written apart from the crawler's own normalisation on purpose: a checker that shared its code would share its bugs.
 * Covers the spellings of the synthetic web: fragments, dot segments, escapes of unreserved characters (RFC 3986
 * §6.2.2), `;jsessionid`, tracking and session parameters, parameter order.
 */

const dropped = /^(utm_[a-z]+|gclid|fbclid|phpsessid|jsessionid|sid)(=|$)/i;

/** `target`: a request target in origin form, or the part of a URL after its authority. */
export function normalPath(target: string): string {
  if (isPlain(target)) return target;
  let rest = target;
  const hash = rest.indexOf('#');
  if (hash >= 0) rest = rest.slice(0, hash);
  const mark = rest.indexOf('?');
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  let path = mark < 0 ? rest : rest.slice(0, mark);
  path = decodeUnreserved(path.replace(/;jsessionid=[^/]*/i, ''));
  path = withoutDots(path);
  const parameters = query.split('&').filter((parameter) => parameter !== '' && !dropped.test(parameter));
  return parameters.length === 0 ? path : `${path}?${decodeUnreserved(parameters.sort().join('&'))}`;
}

/** Nothing to change: the case of nearly every request. */
function isPlain(target: string): boolean {
  for (let i = 0; i < target.length; i++) {
    const c = target.charCodeAt(i);
    // % . ; ? #
    if (c === 37 || c === 46 || c === 59 || c === 63 || c === 35) return false;
  }
  return target !== '';
}

function decodeUnreserved(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%([0-9a-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return /[A-Za-z0-9\-._~]/.test(character) ? character : escaped.toUpperCase();
  });
}

/** RFC 3986 §5.2.4, for absolute paths. */
function withoutDots(path: string): string {
  if (path === '') return '/';
  if (!path.includes('/.')) return path;
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [i, segment] of segments.entries()) {
    const dots = segment === '.' || segment === '..';
    if (segment === '..' && kept.length > 1) kept.pop();
    if (!dots) kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  }
  return kept.join('/');
}
