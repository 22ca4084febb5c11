/**
 * Lists of a policy that are too long to stand in it: by reference.
 *
 * The policy names a list by the SHA-256 of its bytes; the path beside it only says where to look. What is loaded must
 * have that hash, so that a policy version means the same entries on every machine and in every replay. A list that
 * changes is another hash, and so another version of the policy.
 *
 * Text, one entry a line; empty lines and lines that begin with `#` are skipped. Pure: whoever reads the file hashes it
 * and gives the text to `compileList`.
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

/** Any list of a policy. */
export interface ListName {
  /** Name of the list in messages, and of its rule in verdicts. */
  readonly name: string;
  /** What each line of the file is. */
  readonly kind: ListKind | NumberListKind;
  /** Path of the file: absolute, or relative to the policy. */
  readonly path: string;
  /** SHA-256 of the file, as 64 hexadecimal digits, lower-case. */
  readonly sha256: string;
}

/** One that filters. */
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
  /** The number of the URL's domain, where the list holds numbers; null: it is not in it. */
  readonly numberOf?: (url: string) => number | null;
}

/** By SHA-256; throws INVALID_ARGUMENT for a list that is not there. */
export type ListSource = (reference: ListName) => CompiledList;

export const noLists: ListSource = (list) => {
  const remedy = `the list ${list.path} is not loaded; name the file of the policy, so that the list is found beside it`;
  throw new CrawlstreamError('INVALID_ARGUMENT', `${fieldOfList(list)}: ${remedy}`);
};

/** Where a policy names the list, for messages. */
export function fieldOfList({ name, kind }: Pick<ListName, 'name' | 'kind'>): string {
  return `${listKinds.includes(kind as ListKind) ? 'filters' : 'score'}.lists ${JSON.stringify(name)}`;
}

/** `name` for messages. Throws INVALID_ARGUMENT with the line of an entry that cannot be one of the kind. */
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

/** As normal URLs have it. What no URL can have stays, and holds none. */
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
