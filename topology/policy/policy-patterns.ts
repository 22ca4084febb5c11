/** Finds the patterns in a policy, and checks them with the policy's engine. */
import { CrawlstreamError } from '../errors.ts';
import type { FilterConfig } from '../url/filters.ts';
import { linearFault, linearFaultOfAll, linearPatterns } from '../url/linear-patterns.ts';
import { type CompilePatterns, javascriptPatterns } from '../url/patterns.ts';
import type { PolicyConfig } from './policy.ts';

interface NamedPattern {
  /** Path of the field below `policy`. */
  readonly field: string;
  readonly source: string;
}

function ofFilters(at: string, { include = [], exclude = [] }: Partial<FilterConfig>): NamedPattern[] {
  return [
    ...include.map((source, index) => ({ field: `${at}.include[${index}]`, source })),
    ...exclude.map((source, index) => ({ field: `${at}.exclude[${index}]`, source })),
  ];
}

function patternsOf({ filters, metadata = [], recrawl, score, overlays = [] }: PolicyConfig): NamedPattern[] {
  const ofRules = (field: string, rules: readonly { readonly url?: string | undefined }[]) =>
    rules.flatMap(({ url }, index) => (url === undefined ? [] : [{ field: `${field}[${index}].url`, source: url }]));
  const pageKinds = (score?.kind !== 'opic' && score?.pageKinds) || [];
  return [
    ...ofFilters('filters', filters),
    ...pageKinds.map(({ pattern: source }, index) => ({ field: `score.pageKinds[${index}].pattern`, source })),
    ...ofRules('metadata', metadata),
    ...ofRules('recrawl.rules', recrawl?.rules ?? []),
    ...overlays.flatMap(({ match: { patterns = [] }, set }, index) => [
      ...patterns.map((source, at) => ({ field: `overlays[${index}].match.patterns[${at}]`, source })),
      ...ofFilters(`overlays[${index}].set.filters`, set.filters ?? {}),
    ]),
  ];
}

/** True if a URL is compared with patterns or overlays. */
export function hasPatterns(config: PolicyConfig): boolean {
  return patternsOf(config).length > 0 || (config.overlays ?? []).length > 0;
}

export function patternCompilerOf(config: PolicyConfig): CompilePatterns {
  if (config.patterns !== 'linear') return javascriptPatterns;
  return linearPatterns(patternsOf(config).map(({ source }) => source));
}

/** Throws INVALID_ARGUMENT, naming the field, for a pattern that its engine does not take. */
export function checkPatterns(config: PolicyConfig): void {
  const patterns = patternsOf(config);
  const isLinear = config.patterns === 'linear';
  const together = isLinear ? linearFaultOfAll(patterns.map(({ source }) => source)) : null;
  if (together !== null) throw refused('', together, 'write prefixes, hosts or domains instead where possible');
  for (const { field, source } of patterns) {
    const fault = isLinear ? linearFault(source) : javascriptFault(source);
    if (fault !== null) throw refused(`.${field}`, fault, 'correct this pattern');
  }
}

function javascriptFault(source: string): string | null {
  try {
    new RegExp(source);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function refused(field: string, why: string, remedy: string): CrawlstreamError {
  return new CrawlstreamError('INVALID_ARGUMENT', `policy${field}: ${why}; ${remedy}`);
}
