/**
 * robots.txt: which URLs of a host one product token may fetch (RFC 9309), with Crawl-delay and Sitemap.
 *
 * Bytes in, verdict out. A file is read once, and only the records for the crawler's token are kept. Choices where
 * the RFC is silent: a Crawl-delay, or a usage preference, belongs to the user-agent lines directly above it and does
 * not end their group. If merged groups have several delays, the largest wins. Sitemaps and licences belong to no
 * group.
 */

import { canParse } from '../url/can-parse.ts';
import { canonicalPath } from './escapes.ts';
import { eachRecord } from './lines.ts';
import { pathPattern } from './path-pattern.ts';
import { bestRank, indexPatterns, type PatternIndex, type Rule } from './pattern-index.ts';
import { robotsLimits } from './robots-limits.ts';

/** A group's usage lines, unparsed: `usage/robots-usage.ts` parses them. */
export interface UsageRecord {
  readonly field: 'content-usage' | 'content-signal';
  /** Octets after the colon. */
  readonly value: string;
}

export interface RobotsRules {
  readonly index: PatternIndex;
  /** Wait between requests that the file asks of us, ms. null: none. */
  readonly crawlDelayMs: number | null;
  /** Absolute http(s) URLs, each once, in the order of the file. */
  readonly sitemaps: readonly string[];
  /** The file has a group for our token. */
  readonly named: boolean;
  /** Usage preferences of the group, in the order of the file. */
  readonly usage: readonly UsageRecord[];
  /** Values of License records (RSL). */
  readonly licences: readonly string[];
}

interface Group {
  readonly rules: Rule[];
  readonly usage: UsageRecord[];
  crawlDelayMs: number | null;
  named: boolean;
}

/** The rules of a host without a robots.txt: everything is allowed. */
export const noRules: RobotsRules = {
  index: indexPatterns([]),
  crawlDelayMs: null,
  sitemaps: [],
  named: false,
  usage: [],
  licences: [],
};

/**
 * `productToken`: ours, bare (`ExampleBot`, not `ExampleBot/1.0`).
 * `robotsUrl`: what relative sitemap URLs resolve against.
 */
export function parseRobots(body: Uint8Array, productToken: string, robotsUrl: string): RobotsRules {
  const token = productToken.toLowerCase();
  const own: Group = { rules: [], usage: [], crawlDelayMs: null, named: false };
  const all: Group = { rules: [], usage: [], crawlDelayMs: null, named: false };
  const sitemapValues: string[] = [];
  const licences: string[] = [];
  // The groups that the current run of user-agent lines names. A delay, or a usage preference, ends the run only for
  // its own kind.
  let forOwn = false;
  let forAll = false;
  let delayForOwn = false;
  let delayForAll = false;
  let usageForOwn = false;
  let usageForAll = false;
  let rulesSeen = true;
  let delaySeen = true;
  let usageSeen = true;
  eachRecord(body, (key, value) => {
    switch (key) {
      case 'user-agent': {
        if (rulesSeen) forOwn = forAll = false;
        if (rulesSeen || delaySeen) delayForOwn = delayForAll = false;
        if (rulesSeen || usageSeen) usageForOwn = usageForAll = false;
        rulesSeen = delaySeen = usageSeen = false;
        if (namesEveryone(value)) forAll = delayForAll = usageForAll = all.named = true;
        else if (namesToken(value, token)) forOwn = delayForOwn = usageForOwn = own.named = true;
        return;
      }
      case 'allow':
      case 'disallow': {
        rulesSeen = true;
        const rule = readRule(key === 'allow', value);
        if (rule === undefined) return;
        if (forOwn) own.rules.push(rule);
        if (forAll) all.rules.push(rule);
        return;
      }
      case 'crawl-delay': {
        delaySeen = true;
        const delayMs = readDelay(value);
        if (delayMs === null) return;
        if (delayForOwn) own.crawlDelayMs = Math.max(own.crawlDelayMs ?? 0, delayMs);
        if (delayForAll) all.crawlDelayMs = Math.max(all.crawlDelayMs ?? 0, delayMs);
        return;
      }
      case 'content-usage':
      case 'content-signal':
        usageSeen = true;
        if (usageForOwn) own.usage.push({ field: key, value });
        if (usageForAll) all.usage.push({ field: key, value });
        return;
      case 'license':
        if (licences.length < robotsLimits.licencesMax) licences.push(fromUtf8(value));
        return;
      case 'sitemap':
        if (sitemapValues.length < robotsLimits.sitemapsMax) sitemapValues.push(value);
    }
  });
  const group = own.named ? own : all;
  return {
    index: indexPatterns(group.rules),
    crawlDelayMs: group.crawlDelayMs,
    sitemaps: absolute(sitemapValues.map(sitemapOf), robotsUrl),
    named: own.named,
    usage: group.usage,
    licences,
  };
}

/**
 * Returns whether an absolute `url` is allowed. `/robots.txt` is always allowed (RFC 9309 §2.2.2), and so is a URL
 * that no rule matches.
 */
export function isAllowed(rules: RobotsRules, url: string): boolean {
  const path = canonicalPath(url);
  if (path === '/robots.txt' || path.startsWith('/robots.txt?')) return true;
  const rank = bestRank(rules.index, path);
  return rank < 0 || rank % 2 === 1;
}

/** Sitemap values as the file spells them, each once. */
export function sitemapValues(body: Uint8Array): string[] {
  const values = new Set<string>();
  eachRecord(body, (key, value) => {
    if (key === 'sitemap' && values.size < robotsLimits.sitemapsMax) values.add(sitemapOf(value));
  });
  return [...values];
}

function namesEveryone(value: string): boolean {
  return value.charCodeAt(0) === 0x2a && (value.length === 1 || value.charCodeAt(1) <= 0x20);
}

/**
 * Does a user-agent line name this token? §2.2.1: the line's token is its longest run of letters, `-` and `_`,
 * compared without case; a version after it does not count. The RFC allows no tokens with other characters (digits);
 * such a token matches the first word of the line.
 */
function namesToken(value: string, token: string): boolean {
  const head = value.slice(0, token.length).toLowerCase();
  if (head !== token) return false;
  const next = value.charAt(token.length);
  return /^[a-z_-]+$/.test(token) ? !/[A-Za-z_-]/.test(next) : next === '' || /[\s/]/.test(next);
}

function readRule(allow: boolean, value: string): Rule | undefined {
  const pattern = pathPattern(value);
  return pattern === undefined ? undefined : { allow, pattern };
}

function readDelay(value: string): number | null {
  if (!/^(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})$/.test(value)) return null;
  return Math.min(Math.round(Number(value) * 1000), robotsLimits.crawlDelayMsMax);
}

const utf8 = new TextDecoder();

/** A no-break space around it is not part of the URL, in UTF-8 or, at the beginning, in Latin-1. */
function sitemapOf(octets: string): string {
  return fromUtf8(octets.replace(/^[\xa0\0-\x20]+/, '')).trim();
}

function fromUtf8(octets: string): string {
  return utf8.decode(Buffer.from(octets, 'latin1'));
}

function absolute(values: readonly string[], robotsUrl: string): string[] {
  const base = canParse(robotsUrl) ? robotsUrl : undefined;
  const urls = new Set<string>();
  for (const value of values) {
    if (value === '' || !canParse(value, base)) continue;
    const url = new URL(value, base);
    url.hash = '';
    if (url.protocol === 'http:' || url.protocol === 'https:') urls.add(url.href);
  }
  return [...urls];
}
