/** The search list of resolv.conf(5): short names of a cluster or an office network are completed by its domains. */
import { readFileSync } from 'node:fs';

export interface SearchList {
  /** Returns the names to look up, in order. The last is the given name, or the given name is before it. */
  namesFor(hostname: string): readonly string[];
}

/** The limits of glibc: number of domains, and of dots from which a name is looked up unchanged first. */
const domainsMax = 6;
const dotsDefault = 1;

export function parseSearchList(text: string): SearchList {
  let domains: readonly string[] = [];
  let dotsMin = dotsDefault;
  for (const line of text.split(/\r?\n/)) {
    const [word = '', ...values] = line
      .replace(/[#;].*/, '')
      .trim()
      .split(/[ \t]+/);
    // The last of these lines counts.
    if (word === 'search' || word === 'domain') domains = values.slice(0, word === 'domain' ? 1 : domainsMax);
    const dots =
      word === 'options' ? values.map((value) => /^ndots:(\d+)$/.exec(value)?.[1]).find((n) => n) : undefined;
    if (dots !== undefined) dotsMin = Number(dots);
  }
  const suffixes = domains.map((domain) => domain.replace(/^\.|\.$/g, '')).filter((domain) => domain !== '');
  return {
    namesFor(hostname) {
      if (hostname.endsWith('.')) return [hostname];
      const completed = suffixes.map((suffix) => `${hostname}.${suffix}`);
      const dots = hostname.split('.').length - 1;
      return dots >= dotsMin ? [hostname, ...completed] : [...completed, hostname];
    },
  };
}

let system: SearchList | undefined;

/** The machine's search list at the time of the first call. */
export function readSearchList(): SearchList {
  system ??= parseSearchList(textOf('/etc/resolv.conf'));
  return system;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
