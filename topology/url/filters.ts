/**
 * Decides by its spelling alone whether a URL is worth fetching. Each refusal names its rule.
 *
 * Filters read normal URLs. Cheap and common checks run first; within a kind, deny beats allow. Lists are compiled to
 * sets once, so their length does not matter per URL.
 */
import { CrawlstreamError } from '../errors.ts';
import { deniedExtensions, requisiteExtensions } from './denied-extensions.ts';
import { hostKeyOf, hostnameOf } from './host-key.ts';
import { type CompilePatterns, javascriptPatterns, type PatternList } from './patterns.ts';
import { isBlockedPort, portOf } from './ports.ts';
import { compileSuffixSet } from './suffix-set.ts';
import { urlLimits } from './url-limits.ts';
import { type ListKind, type ListReference, type ListSource, listKinds, noLists } from './url-lists.ts';

export interface FilterConfig {
  /** Allowed schemes, without colon. Only `http` and `https` can be fetched. */
  readonly schemes: readonly string[];
  /** Longest URL, in characters. */
  readonly urlCharsMax: number;
  /** Refused file extensions (of the last path segment), lower-case, without dot. */
  readonly extensionsDenied: readonly string[];
  /**
   * Regular expressions without flags, in the syntax that `patterns` names, matched anywhere in the URL. If not
   * empty, one must match.
   */
  readonly include: readonly string[];
  /** Regular expressions. None may match. */
  readonly exclude: readonly string[];
  /** Allowed beginnings of URLs. If not empty, one must match. */
  readonly prefixesAllowed: readonly string[];
  /** Refused beginnings of URLs. */
  readonly prefixesDenied: readonly string[];
  /**
   * Host keys or host names, exactly. If the host and domain lists are not both empty, the URL must be on one of them.
   */
  readonly hostsAllowed: readonly string[];
  /** Refused hosts. */
  readonly hostsDenied: readonly string[];
  /** Domains with their subdomains, as for `hostsAllowed`. */
  readonly domainsAllowed: readonly string[];
  /** Refused domains, with their subdomains. */
  readonly domainsDenied: readonly string[];
  /** Allowed ports. Absent: all. Ports that browsers block (ports.ts) are always refused. */
  readonly portsAllowed?: readonly number[] | undefined;
  /** Longer lists, in files, identified by the hash of their content. Absent: none. */
  readonly lists?: readonly ListReference[] | undefined;
}

/** Why a URL is refused: the rule's name, and the entry of it that applied. */
export interface Verdict {
  readonly rule: string;
  readonly detail: string;
}

/** null: nothing speaks against the URL. */
export type Filter = (url: string, depth: number) => Verdict | null;

export const defaultFilters: FilterConfig = {
  schemes: ['http', 'https'],
  urlCharsMax: urlLimits.urlCharsMax,
  extensionsDenied: deniedExtensions,
  include: [],
  exclude: [],
  prefixesAllowed: [],
  prefixesDenied: [],
  hostsAllowed: [],
  hostsDenied: [],
  domainsAllowed: [],
  domainsDenied: [],
};

/** Filters of a crawl that also fetches styles, scripts and other parts of pages. */
export function withRequisites(filters: Partial<FilterConfig> = {}): Partial<FilterConfig> {
  const { extensionsDenied = deniedExtensions } = filters;
  return { ...filters, extensionsDenied: extensionsDenied.filter((extension) => !requisiteExtensions.has(extension)) };
}

/**
 * `maxDepth` null: any depth. `lists` gives what `config.lists` refers to, `compile` what its patterns match. Throws
 * INVALID_ARGUMENT for a regular expression that does not compile, or a list that is not there.
 */
export function compileFilters(
  partial: Partial<FilterConfig> = {},
  maxDepth: number | null = null,
  lists: ListSource = noLists,
  compile: CompilePatterns = javascriptPatterns,
): Filter {
  const config = { ...defaultFilters, ...partial };
  const rules: Filter[] = [
    schemeRule(config),
    lengthRule(config),
    portRule(config),
    ...hostRules(config),
    ...(config.extensionsDenied.length > 0 ? [extensionRule(config)] : []),
    ...prefixRules(config),
    ...patternRules(config, compile),
    ...listRules(config.lists ?? [], lists),
  ];
  if (maxDepth !== null) rules.push((_, depth) => depthVerdict(depth, maxDepth));
  return (url, depth) => {
    for (const rule of rules) {
      const verdict = rule(url, depth);
      if (verdict !== null) return verdict;
    }
    return null;
  };
}

export function depthVerdict(depth: number, maxDepth: number): Verdict | null {
  return depth > maxDepth ? { rule: 'depth', detail: `${depth} > ${maxDepth}` } : null;
}

function schemeRule(config: FilterConfig): Filter {
  const http = config.schemes.includes('http');
  const https = config.schemes.includes('https');
  return (url) => {
    if (url.startsWith('https:') ? https : http && url.startsWith('http:')) return null;
    return { rule: 'scheme', detail: url.slice(0, Math.max(0, url.indexOf(':'))) };
  };
}

function lengthRule({ urlCharsMax }: FilterConfig): Filter {
  return (url) => (url.length > urlCharsMax ? { rule: 'length', detail: `${url.length} > ${urlCharsMax}` } : null);
}

function portRule({ portsAllowed }: FilterConfig): Filter {
  return (url) => {
    const port = portOf(url);
    const allowed = portsAllowed?.includes(port) ?? true;
    return allowed && !isBlockedPort(port) ? null : { rule: 'port', detail: `${port}` };
  };
}

function hostRules(config: FilterConfig): Filter[] {
  const rules: Filter[] = [];
  const deniedHosts = new Set(config.hostsDenied.map((host) => host.toLowerCase()));
  const deniedDomains = compileSuffixSet(config.domainsDenied);
  if (deniedHosts.size > 0 || config.domainsDenied.length > 0) {
    rules.push((url) => {
      const hostname = hostnameOf(url);
      if (deniedHosts.has(hostname)) return { rule: 'hostsDenied', detail: hostname };
      const hostKey = hostKeyOf(url);
      if (deniedHosts.has(hostKey)) return { rule: 'hostsDenied', detail: hostKey };
      const domain = deniedDomains.match(hostname);
      return domain === null ? null : { rule: 'domainsDenied', detail: domain };
    });
  }
  const allowedHosts = new Set(config.hostsAllowed.map((host) => host.toLowerCase()));
  const allowedDomains = compileSuffixSet(config.domainsAllowed);
  if (allowedHosts.size > 0 || config.domainsAllowed.length > 0) {
    const rule = allowedHosts.size > 0 ? 'hostsAllowed' : 'domainsAllowed';
    rules.push((url) => {
      const hostname = hostnameOf(url);
      if (allowedHosts.has(hostname) || allowedHosts.has(hostKeyOf(url))) return null;
      return allowedDomains.match(hostname) === null ? { rule, detail: hostname } : null;
    });
  }
  return rules;
}

function extensionRule(config: FilterConfig): Filter {
  const denied = new Set(config.extensionsDenied.map((extension) => extension.toLowerCase().replace(/^\./, '')));
  const longest = Math.max(...[...denied].map((extension) => extension.length));
  return (url) => {
    const extension = extensionOf(url, longest);
    return extension !== '' && denied.has(extension) ? { rule: 'extension', detail: `.${extension}` } : null;
  };
}

/** The extension of the path's last segment, lower-case. Empty: none, or longer than `charsMax`. */
function extensionOf(url: string, charsMax: number): string {
  const question = url.indexOf('?');
  const end = question < 0 ? url.length : question;
  for (let at = end - 1; at >= end - charsMax - 1 && at > 8; at--) {
    const code = url.charCodeAt(at);
    if (code === 47) return '';
    // A dot with no slash before it would be in the host.
    if (code === 46) return url.indexOf('/', 8) < at ? url.slice(at + 1, end).toLowerCase() : '';
  }
  return '';
}

function prefixRules({ prefixesAllowed, prefixesDenied }: FilterConfig): Filter[] {
  const rules: Filter[] = [];
  if (prefixesDenied.length > 0) {
    const denied = compilePrefixes(prefixesDenied);
    rules.push((url) => {
      const prefix = denied(url);
      return prefix === null ? null : { rule: 'prefixesDenied', detail: prefix };
    });
  }
  if (prefixesAllowed.length > 0) {
    const allowed = compilePrefixes(prefixesAllowed);
    rules.push((url) => (allowed(url) === null ? { rule: 'prefixesAllowed', detail: 'no prefix matches' } : null));
  }
  return rules;
}

/** Asks for one slice per distinct length of prefix, rather than trying each prefix. */
function compilePrefixes(prefixes: readonly string[]): (url: string) => string | null {
  const members = new Set(prefixes);
  const lengths = [...new Set(prefixes.map((prefix) => prefix.length))].sort((a, b) => a - b);
  return (url) => {
    for (const length of lengths) {
      if (length > url.length) return null;
      const prefix = url.slice(0, length);
      if (members.has(prefix)) return prefix;
    }
    return null;
  };
}

function patternRules({ include, exclude }: FilterConfig, compile: CompilePatterns): Filter[] {
  const rules: Filter[] = [];
  if (exclude.length > 0) {
    const excluded = compiled('exclude', exclude, compile);
    rules.push((url) => {
      const source = excluded.first(url);
      return source === null ? null : { rule: 'exclude', detail: source };
    });
  }
  if (include.length > 0) {
    const included = compiled('include', include, compile);
    rules.push((url) => (included.first(url) === null ? { rule: 'include', detail: 'no pattern matches' } : null));
  }
  return rules;
}

/** A deny list refuses alone; of the allow lists of one kind together, one must contain the URL. */
function listRules(references: readonly ListReference[], source: ListSource): Filter[] {
  const loaded = references.map((reference) => ({ ...reference, list: source(reference) }));
  const denied = loaded.filter(({ verdict }) => verdict === 'deny');
  const rules: Filter[] = denied.map(({ name, list }) => (url) => {
    const entry = list.match(url);
    return entry === null ? null : { rule: name, detail: entry };
  });
  const allowRule = (kind: ListKind): Filter[] => {
    const allowed = loaded.filter((one) => one.kind === kind && one.verdict === 'allow');
    if (allowed.length === 0) return [];
    const rule = allowed.map(({ name }) => name).join(', ');
    return [
      (url) => (allowed.some(({ list }) => list.match(url) !== null) ? null : { rule, detail: 'not in the list' }),
    ];
  };
  return [...rules, ...listKinds.flatMap(allowRule)];
}

function compiled(field: 'include' | 'exclude', sources: readonly string[], compile: CompilePatterns): PatternList {
  try {
    return compile(sources);
  } catch (error) {
    const index = sources.findIndex((source) => !isCompiled(source, compile));
    const remedy = 'write a JavaScript regular expression without slashes and flags; escape special characters with \\';
    const message = `filters.${field}[${index}]: ${(error as Error).message}; ${remedy}`;
    throw new CrawlstreamError('INVALID_ARGUMENT', message, error);
  }
}

function isCompiled(source: string, compile: CompilePatterns): boolean {
  try {
    compile([source]);
    return true;
  } catch {
    return false;
  }
}
