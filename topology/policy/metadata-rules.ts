/**
 * Rules on the facts of a link at its arrival, beside its URL: who found it, where, and with which metadata.
 *
 * A rule refuses a link that meets all its conditions. Facts of the page itself (type, size, language) are unknown here
 * and belong to the fetcher or to a consumer.
 */
import type { Intent } from '../../schemas/types.ts';
import type { Verdict } from '../url/filters.ts';
import { hostnameOf } from '../url/host-key.ts';
import { type CompilePatterns, javascriptPatterns } from '../url/patterns.ts';
import { compileSuffixSet } from '../url/suffix-set.ts';

export interface MetadataRule {
  /** Name of the rule in verdicts. */
  readonly name: string;
  /** A regular expression without flags, in the syntax that `patterns` names. The URL must match it. */
  readonly url?: string | undefined;
  /** Intent of the link: `discover` (found on a page), `refresh` (a known page changed), `force` (an operator's command). */
  readonly intents?: readonly Intent[] | undefined;
  /** Domains of the page that links, with their subdomains. Seeds and injections have none. */
  readonly sourceDomains?: readonly string[] | undefined;
  /** True: the linking page must be on another host. */
  readonly offHost?: boolean | undefined;
  /** The URL is at least this many links from a seed. */
  readonly depthFrom?: number | undefined;
  /** The URL was reached by at least this many redirects. */
  readonly hopFrom?: number | undefined;
  /** The link's lastmod (sitemaps, feeds) is before this: ms since the Unix epoch. Links without one don't meet it. */
  readonly modifiedBeforeMs?: number | undefined;
}

/** Facts about a link, from its link group and the link itself (schemas/types.ts). */
export interface LinkFacts {
  readonly depth: number;
  readonly hop: number;
  readonly intent: Intent;
  /** Empty: a seed or an injection. */
  readonly sourceUrl: string;
  /** 0: unknown. */
  readonly lastModifiedMs: number;
}

/** Returns the verdict of the rule that refuses a normal URL; null: no rule does. */
export type MetadataFilter = (url: string, facts: LinkFacts) => Verdict | null;

type Condition = (url: string, facts: LinkFacts) => boolean;

/** Throws SyntaxError for a `url` that does not compile; `validate.ts` reports the field. */
export function compileMetadataRules(
  rules: readonly MetadataRule[],
  compile: CompilePatterns = javascriptPatterns,
): MetadataFilter {
  const compiled = rules.map((rule) => ({ name: rule.name, conditions: conditionsOf(rule, compile) }));
  return (url, facts) => {
    for (const { name, conditions } of compiled)
      if (conditions.every((holds) => holds(url, facts))) return { rule: 'metadata', detail: name };
    return null;
  };
}

function conditionsOf(rule: MetadataRule, compile: CompilePatterns): Condition[] {
  const conditions: Condition[] = [];
  const { url, intents, sourceDomains, offHost, depthFrom, hopFrom, modifiedBeforeMs } = rule;
  if (intents !== undefined) conditions.push((_, { intent }) => intents.includes(intent));
  if (depthFrom !== undefined) conditions.push((_, { depth }) => depth >= depthFrom);
  if (hopFrom !== undefined) conditions.push((_, { hop }) => hop >= hopFrom);
  if (modifiedBeforeMs !== undefined)
    conditions.push((_, { lastModifiedMs }) => lastModifiedMs > 0 && lastModifiedMs < modifiedBeforeMs);
  if (sourceDomains !== undefined) {
    const domains = compileSuffixSet(sourceDomains);
    conditions.push((_, { sourceUrl }) => sourceUrl !== '' && domains.match(hostnameOf(sourceUrl)) !== null);
  }
  if (offHost !== undefined)
    conditions.push((at, { sourceUrl }) => sourceUrl !== '' && (hostnameOf(sourceUrl) !== hostnameOf(at)) === offHost);
  if (url !== undefined) {
    const pattern = compile([url]);
    conditions.push((at) => pattern.first(at) !== null);
  }
  return conditions;
}
