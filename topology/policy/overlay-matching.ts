/**
 * Finds the overlays that match a host or a URL, as ascending numbers. Hosts and domains are looked up label by
 * label, so their number does not matter. SURTs with a path are compared only if their host matches. Patterns are
 * tried one by one, or all at once if they run in linear time.
 */
import { hostKeyOf, withoutPort } from '../url/host-key.ts';
import { type CompilePatterns, javascriptPatterns } from '../url/patterns.ts';
import { isOfHosts, parseSurt, type Surt } from '../url/surt.ts';
import type { OverlayConfig } from './overlay-config.ts';

export interface Matching {
  /** Overlays that match a host as a whole. */
  ofHost(hostKey: string): readonly number[];
  /** Overlays that match a normal URL, including those that match its host. */
  ofUrl(url: string): readonly number[];
}

interface PartOfHost {
  readonly number: number;
  readonly surt: Surt;
}

export function compileMatching(
  overlays: readonly OverlayConfig[],
  compile: CompilePatterns = javascriptPatterns,
): Matching {
  const exact = new Map<string, number[]>();
  const domains = new Map<string, number[]>();
  const exactParts = new Map<string, PartOfHost[]>();
  const domainParts = new Map<string, PartOfHost[]>();
  const sources: string[] = [];
  /** Of each source, its overlay. */
  const numbers: number[] = [];
  overlays.forEach(({ match: { hosts = [], domains: suffixes = [], surts = [], patterns = [] } }, number) => {
    for (const host of hosts) push(exact, host.toLowerCase(), number);
    for (const domain of suffixes) push(domains, domain.toLowerCase().replace(/^\.|\.$/g, ''), number);
    for (const text of surts) {
      const surt = parseSurt(text);
      // Checked when the policy was read.
      if (typeof surt === 'string') continue;
      const key = surt.port === '' ? surt.name : `${surt.name}:${surt.port}`;
      if (!isOfHosts(surt)) push(surt.isOpen ? domainParts : exactParts, key, { number, surt });
      else push(surt.isOpen ? domains : exact, key, number);
    }
    for (const source of patterns) {
      sources.push(source);
      numbers.push(number);
    }
  });
  const patterns = compile(sources);
  const isOfHost = exact.size > 0 || domains.size > 0;
  const hasParts = exactParts.size > 0 || domainParts.size > 0;
  const ofHost = (hostKey: string) => (isOfHost ? sorted(lookUp(exact, domains, hostKey)) : none);
  return {
    ofHost,
    ofUrl(url) {
      const hostKey = hostKeyOf(url);
      const found = isOfHost ? lookUp(exact, domains, hostKey) : [];
      for (const { number, surt } of hasParts ? lookUp(exactParts, domainParts, hostKey) : [])
        if (url.startsWith(surt.scheme) && url.startsWith(surt.path, url.indexOf(hostKey) + hostKey.length))
          found.push(number);
      patterns.each(url, (index) => found.push(numbers[index]!));
      return sorted(found);
    },
  };
}

const none: readonly number[] = [];

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

/** Entries for the host key, the host name, and the domains that contain it. */
function lookUp<T>(exact: ReadonlyMap<string, T[]>, domains: ReadonlyMap<string, T[]>, hostKey: string): T[] {
  const hostname = withoutPort(hostKey);
  const found = [...(exact.get(hostname) ?? [])];
  if (hostname !== hostKey) found.push(...(exact.get(hostKey) ?? []));
  if (domains.size === 0) return found;
  for (let name = hostname; ; ) {
    found.push(...(domains.get(name) ?? []));
    const dot = name.indexOf('.');
    if (dot < 0) return found;
    name = name.slice(dot + 1);
  }
}

function sorted(found: readonly number[]): readonly number[] {
  return found.length < 2 ? found : [...new Set(found)].sort((a, b) => a - b);
}
