/**
 * Lists that a policy refers to, because they are too long to be part of it.
 *
 * The policy names a list by the SHA-256 of its bytes; the path is only a hint for finding it. A loaded list must
 * have that hash, so that a policy version means the same entries on every machine and in every replay. A changed
 * list has another hash, and needs another version of the policy.
 *
 * Text, one entry a line; empty lines and lines that begin with `#` are skipped. Pure: the caller reads and hashes
 * the file, and passes its text to `compileList`.
 */
import { CrawlstreamError } from '../errors.ts';
import { hostKeyOf, hostnameOf } from './host-key.ts';
import { listLimits } from './list-limits.ts';
import { markTexts } from './marked-texts.ts';
import { compileNumberList, type NumberListKind } from './number-list.ts';
import { type RuleName, ruleDomain, ruleHost, rulePrefix } from './rule-names.ts';
import { sortTexts } from './sorted-texts.ts';

export const listKinds = ['hosts', 'domains', 'prefixes', 'patterns'] as const;
export type ListKind = (typeof listKinds)[number];

/** A reference from a policy to a list of any kind. */
export interface ListName {
  /** Name of the list in messages, and of its rule in verdicts. */
  readonly name: string;
  /** Type of the file's entries. The file has one entry a line. */
  readonly kind: ListKind | NumberListKind;
  /** Path of the file: absolute, or relative to the policy. */
  readonly path: string;
  /** SHA-256 of the file, as 64 hexadecimal digits, lower-case. */
  readonly sha256: string;
}

/** A reference to a list that filters URLs. */
export interface ListReference extends ListName {
  readonly kind: ListKind;
  /** `deny`: refuse URLs on the list. `allow`: refuse URLs that are on no allow list of this kind. */
  readonly verdict: 'allow' | 'deny';
}

export interface CompiledList {
  readonly size: number;
  /** Held in memory, about. */
  readonly bytes: number;
  /** The entry that holds the URL, or null. `url` is normal. */
  match(url: string): string | null;
  /** The number of the URL's domain, if the list contains numbers; null: not in the list. */
  readonly numberOf?: (url: string) => number | null;
}

/** Returns the list with this SHA-256; throws INVALID_ARGUMENT if it is not loaded. */
export type ListSource = (reference: ListName) => CompiledList;

export const noLists: ListSource = (list) => {
  const remedy = `the list ${list.path} is not loaded, since its path starts at the policy file; give the policy as a file`;
  throw new CrawlstreamError('INVALID_ARGUMENT', `${fieldOfList(list)}: ${remedy}`);
};

/** The policy field that refers to the list, for messages. */
export function fieldOfList({ name, kind }: Pick<ListName, 'name' | 'kind'>): string {
  return `${listKinds.includes(kind as ListKind) ? 'filters' : 'score'}.lists ${JSON.stringify(name)}`;
}

/** `name` for messages. Throws INVALID_ARGUMENT with the line of an entry that is invalid for the kind. */
export function compileList(kind: ListName['kind'], text: string, name: string): CompiledList {
  if (kind === 'authority' || kind === 'traffic' || kind === 'quality') {
    const { size, numberOf } = compileNumberList(kind, text, name);
    return { size, bytes: size * numberBytes, match: () => null, numberOf };
  }
  const entries = entriesOf(text, name);
  switch (kind) {
    case 'hosts':
      return compileHosts(entries.map((entry) => normalEntry(entry, ruleHost)));
    case 'domains':
      return compileDomains(entries.map((entry) => normalEntry(entry, ruleDomain)));
    case 'prefixes':
      return compilePrefixList(entries.map((entry) => normalEntry(entry, rulePrefix)));
    case 'patterns':
      return compilePatterns(entries, name);
  }
}

/** Millions of entries are spelt as they should be, and a URL parser takes a microsecond. */
const plainName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/;

/** The entry in the spelling of normal URLs. An entry that no URL can have stays unchanged, and matches nothing. */
function normalEntry(entry: string, bring: (text: string) => RuleName): string {
  if (plainName.test(entry)) return entry;
  const named = bring(entry);
  return 'name' in named ? named.name : entry.toLowerCase();
}

/** A domain and its number in a map, about. */
const numberBytes = 100;

function entriesOf(text: string, name: string): string[] {
  const entries: string[] = [];
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const entry = text.slice(start, end).trim();
    start = end + 1;
    if (entry === '' || entry.startsWith('#')) continue;
    if (entry.length > listLimits.entryCharsMax || /\s/.test(entry))
      throw invalid(
        name,
        line,
        `an entry cannot contain spaces or have more than ${listLimits.entryCharsMax} characters`,
      );
    entries.push(entry);
    if (entries.length > listLimits.entriesMax)
      throw invalid(
        name,
        line,
        `more than ${listLimits.entriesMax} entries; split the crawl, or list domains instead of hosts`,
      );
  }
  return entries;
}

const blank = 32;
const dot = 46;

/** Host keys and host names, exactly: each ends in a blank, which no host has. */
function compileHosts(hosts: readonly string[]): CompiledList {
  const texts = markTexts(
    hosts.map((host) => `${host} `),
    blank,
  );
  const holds = (host: string) =>
    texts.beginningOf((i) => (i < host.length ? host.charCodeAt(i) : blank), host.length + 1) > 0;
  return {
    size: texts.size,
    bytes: texts.bytes,
    match(url) {
      const hostname = hostnameOf(url);
      if (holds(hostname)) return hostname;
      const hostKey = hostKeyOf(url);
      return hostKey !== hostname && holds(hostKey) ? hostKey : null;
    },
  };
}

/** Domains backwards, with a dot at the end: those that hold a host are the beginnings of it, backwards. */
function compileDomains(domains: readonly string[]): CompiledList {
  const texts = markTexts(
    domains.map((domain) => `${backwards(domain.replace(/^(?:\*?\.)|\.$/g, ''))}.`),
    dot,
  );
  return {
    size: texts.size,
    bytes: texts.bytes,
    match(url) {
      const host = hostnameOf(url);
      const last = host.length - 1;
      const found = texts.beginningOf((i) => (i <= last ? host.charCodeAt(last - i) : dot), host.length + 1);
      return found < 0 ? null : host.slice(host.length - (found - 1));
    },
  };
}

function backwards(text: string): string {
  let out = '';
  for (let at = text.length - 1; at >= 0; at--) out += text[at];
  return out;
}

function compilePrefixList(prefixes: readonly string[]): CompiledList {
  const texts = sortTexts(prefixes);
  return {
    size: texts.size,
    bytes: texts.bytes,
    match(url) {
      const found = texts.prefixOf((i) => url.charCodeAt(i), url.length);
      return found < 0 ? null : url.slice(0, found);
    },
  };
}

function compilePatterns(sources: readonly string[], name: string): CompiledList {
  if (sources.length > listLimits.patternsMax) {
    const why = `${sources.length} patterns are too many, since each is tried in turn; write at most ${listLimits.patternsMax}, or use prefixes`;
    throw invalid(name, sources.length, why);
  }
  const patterns = sources.map((source, index) => {
    try {
      return new RegExp(source);
    } catch (error) {
      throw invalid(name, index + 1, `${(error as Error).message}; write a JavaScript regular expression`);
    }
  });
  return {
    size: patterns.length,
    bytes: sources.reduce((sum, source) => sum + 500 + source.length, 0),
    match: (url) => patterns.find((pattern) => pattern.test(url))?.source ?? null,
  };
}

function invalid(name: string, entry: number, why: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `list ${JSON.stringify(name)}, entry ${entry}: ${why}`);
}
