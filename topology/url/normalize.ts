/**
 * The normaliser: many spellings of a URL, one to fetch.
 *
 * A URL is parsed as browsers do (WHATWG URL Standard: case, IDNA, default port, dot segments, empty path, white
 * space), then the steps of NormalizeConfig follow, in the order of `steps` below. By default the result is that of
 * crawler-commons' BasicURLNormalizer, but for these choices:
 *   - a host stays in its ASCII form (`xn--…`), as it goes over the wire and into keys;
 *   - `a=` and a nameless `=1` stay as they are, since servers may distinguish them (the seen key drops the first `=`);
 *   - a URL without a scheme or a host is refused here: only a seed may lack a scheme (seed.ts);
 *   - `//` stays where it spells an embedded `http://`.
 *
 * Invariants: normalise(normalise(u)) = normalise(u). The fast path (normal-scan.ts) agrees with the slow one.
 */
import { normalizeEscapes } from './escapes.ts';
import { hostnameOf, withoutPort } from './host-key.ts';
import { compileSessions } from './name-set.ts';
import { scanAuthority, scanPath, scanQuery } from './normal-scan.ts';
import { defaultNormalize, type NormalizeConfig } from './normalize-config.ts';
import { dropIndexPages, dropPathSessions, dropTrailingSlash, mergeSlashes, removeDotSegments } from './path-steps.ts';
import { compileDropRule, type DropStep, dropStepOf, normalizeQuery, sortByName } from './query-steps.ts';

export { resolveLink } from './resolve.ts';

/** Returns the URL to fetch; null if it is not an http(s) URL, or too long (`refusalOf` says which). */
export type Normalizer = (url: string) => string | null;

export type NormalizeRefusal = 'malformed' | 'scheme' | 'length';

export interface NormalizeStep {
  readonly step: string;
  readonly before: string;
  readonly after: string;
}

/**
 * Input longer than this many times the allowed length is not even parsed: droppable parameters are never that long.
 */
const inputFactorMax = 4;

/** A URL in parts, as steps see it. */
interface Parts {
  scheme: string;
  /** Host name with port. */
  host: string;
  path: string;
  /** Without `?`. Empty: none. */
  query: string;
  /** Without `#`. Empty: none. */
  fragment: string;
}

export function compileNormalizer(config: Partial<NormalizeConfig> = {}): Normalizer {
  const full = { ...defaultNormalize, ...config };
  const steps = stepsBeforeQuery(full);
  const drops = compileDropRule(full);
  const needsHost = Object.keys(full.hosts).length > 0;
  const escapesFragment = full.fragment === 'escape';
  const slow: Normalizer = (url) => {
    if (url.length > full.urlCharsMax * inputFactorMax) return null;
    const parts = parse(url);
    if (typeof parts === 'string') return null;
    for (const step of steps) step.apply(parts);
    if (parts.query !== '') {
      const host = needsHost ? withoutPort(parts.host) : '';
      parts.query = normalizeQuery(parts.query, host, drops, full.sortParameters);
    }
    const result = format(parts);
    return parts.host !== '' && result.length <= full.urlCharsMax ? result : null;
  };
  // The scans don't look for what these change.
  if (full.indexPages || full.www || full.trailingSlash === 'drop' || full.scheme !== undefined) return slow;

  return (url) => {
    if (url.length > full.urlCharsMax) return slow(url);
    const slash = scanAuthority(url);
    const pathEnd = slash < 0 ? -1 : scanPath(url, slash + 1);
    if (pathEnd < 0) return slow(url);
    if (pathEnd === url.length) return url;
    if (escapesFragment && url.includes('#!', pathEnd)) return slow(url);
    if (url.charCodeAt(pathEnd) === 35) return url.slice(0, pathEnd);
    const queryEnd = scanQuery(url, pathEnd + 1);
    if (queryEnd < 0) return slow(url);
    const query = url.slice(pathEnd + 1, queryEnd);
    const normal = normalizeQuery(query, needsHost ? hostnameOf(url) : '', drops, full.sortParameters);
    if (normal === '') return url.slice(0, pathEnd);
    if (normal === query) return queryEnd === url.length ? url : url.slice(0, queryEnd);
    const result = `${url.slice(0, pathEnd + 1)}${normal}`;
    return result.length <= full.urlCharsMax ? result : null;
  };
}

/** Why a normaliser of this configuration gave null for a URL. */
export function refusalOf(url: string, config: Partial<NormalizeConfig> = {}): NormalizeRefusal {
  const { urlCharsMax } = { ...defaultNormalize, ...config };
  if (url.length > urlCharsMax * inputFactorMax) return 'length';
  const parts = parse(url);
  if (typeof parts === 'string') return parts;
  for (const step of stepsOf({ ...defaultNormalize, ...config })) step.apply(parts);
  return parts.host === '' ? 'malformed' : 'length';
}

/**
 * The steps that changed a URL, in order: the output of `check url`. Empty if the URL is normal, or refused at once.
 */
export function explainNormalize(url: string, config: Partial<NormalizeConfig> = {}): NormalizeStep[] {
  const parts = parse(url);
  if (typeof parts === 'string') return [];
  const explained: NormalizeStep[] = [];
  let before = url;
  const note = (step: string, after: string) => {
    if (after !== before) explained.push({ step, before, after });
    before = after;
  };
  note('parse', format(parts));
  for (const step of stepsOf({ ...defaultNormalize, ...config })) {
    step.apply(parts);
    note(step.name, format(parts));
  }
  return explained;
}

/** WHATWG parsing; user and password are left behind, as no link may log us in. */
function parse(url: string): Parts | NormalizeRefusal {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return 'malformed';
  }
  const scheme = parsed.protocol;
  if (scheme !== 'http:' && scheme !== 'https:') return 'scheme';
  return {
    scheme,
    host: parsed.host,
    path: parsed.pathname,
    query: parsed.search.slice(1),
    fragment: parsed.hash.slice(1),
  };
}

function format(parts: Parts): string {
  const query = parts.query === '' ? '' : `?${parts.query}`;
  const fragment = parts.fragment === '' ? '' : `#${parts.fragment}`;
  return `${parts.scheme}//${parts.host}${parts.path}${query}${fragment}`;
}

interface Step {
  readonly name: string;
  readonly apply: (parts: Parts) => void;
}

/** All steps, the query's one by one, for explaining; `normalizeQuery` does those in one pass. */
function stepsOf(config: NormalizeConfig): Step[] {
  return [...stepsBeforeQuery(config), ...querySteps(config)];
}

function stepsBeforeQuery(config: NormalizeConfig): Step[] {
  const sessions = compileSessions(config.sessionParameters);
  const steps: (Step | false)[] = [
    { name: 'fragment', apply: config.fragment === 'escape' ? escapeFragment : dropFragment },
    config.trailingDot && { name: 'trailingDot', apply: dropTrailingDot },
    config.www && { name: 'www', apply: dropWww },
    {
      name: 'escapes',
      apply: (parts) => {
        parts.path = normalizeEscapes(parts.path);
        parts.query = normalizeEscapes(parts.query);
      },
    },
    { name: 'dotSegments', apply: (parts) => void (parts.path = removeDotSegments(parts.path)) },
    config.sessionParameters.length > 0 && {
      name: 'pathSessions',
      apply: (parts) => void (parts.path = dropPathSessions(parts.path, sessions)),
    },
    config.duplicateSlashes && {
      name: 'duplicateSlashes',
      apply: (parts) => void (parts.path = mergeSlashes(parts.path)),
    },
    config.indexPages && {
      name: 'indexPages',
      apply: (parts) => void (parts.path = dropIndexPages(parts.path, config.trailingSlash === 'drop')),
    },
    config.trailingSlash === 'drop' && {
      name: 'trailingSlash',
      apply: (parts) => void (parts.path = dropTrailingSlash(parts.path)),
    },
    config.scheme !== undefined && { name: 'scheme', apply: (parts) => setScheme(parts, config.scheme!) },
  ];
  return steps.filter((step) => step !== false);
}

function querySteps(config: NormalizeConfig): Step[] {
  const drops = compileDropRule(config);
  const dropStep = (wanted: DropStep): Step => ({
    name: wanted,
    apply: (parts) => {
      if (parts.query === '') return;
      const host = withoutPort(parts.host);
      const kept = parts.query.split('&').filter((piece) => dropStepOf(piece, host, drops) !== wanted);
      parts.query = kept.join('&');
    },
  });
  const steps: (Step | false)[] = [
    dropStep('emptyParameters'),
    dropStep('hosts'),
    config.trackingParameters.length > 0 && dropStep('trackingParameters'),
    config.sessionParameters.length > 0 && dropStep('sessionParameters'),
    config.dropParameters.length > 0 && dropStep('dropParameters'),
    config.hashes && dropStep('hashes'),
    config.emptyValues === 'drop' && dropStep('emptyValues'),
    config.sortParameters && { name: 'sortParameters', apply: sortParameters },
  ];
  return steps.filter((step) => step !== false);
}

function dropFragment(parts: Parts): void {
  parts.fragment = '';
}

/** The escaped value follows "Making AJAX applications crawlable" (Google, 2009): `%`, `#`, `&`, `+` and space. */
function escapeFragment(parts: Parts): void {
  const { fragment } = parts;
  parts.fragment = '';
  if (!fragment.startsWith('!')) return;
  const value = fragment.slice(1).replace(/[%#&+']/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  parts.query += `${parts.query === '' ? '' : '&'}_escaped_fragment_=${value}`;
}

function dropTrailingDot(parts: Parts): void {
  if (!parts.host.endsWith('.') && !parts.host.includes('.:')) return;
  setHost(parts, parts.host.replace(/(?<!\.)\.+(?=:|$)/, ''));
}

function dropWww(parts: Parts): void {
  let host = parts.host;
  while (/^www\.[^.]+\./.test(host)) host = host.slice(4);
  if (host !== parts.host) setHost(parts, host);
}

/** A host with a separate port answers by one scheme there. */
function setScheme(parts: Parts, scheme: 'http' | 'https'): void {
  if (!/:\d+$/.test(parts.host)) parts.scheme = `${scheme}:`;
}

/**
 * Parses the host again, because the rest may be another spelling of an address (`0x7f.1`). Sets it to empty if no
 * host is left.
 */
function setHost(parts: Parts, host: string): void {
  try {
    parts.host = new URL(`${parts.scheme}//${host}/`).host;
  } catch {
    parts.host = '';
  }
}

function sortParameters(parts: Parts): void {
  const pieces = parts.query.split('&');
  if (sortByName(pieces)) parts.query = pieces.join('&');
}
