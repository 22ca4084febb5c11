/**
 * The usage preferences in a robots.txt, for a URL that it allows to fetch.
 *
 * Paths match as in Allow and Disallow (draft-ietf-aipref-attach-05 §3.1). Of the Content-Usage rules, those with the
 * longest matching pattern apply; the Content-Signal lines are handled in the same way, separately. Rules with the same
 * pattern are combined, and a rule that bars a use wins. If the longest rule's value for a use is unreadable, the next
 * longest applies: a mistake never lifts the ban of a wider rule.
 */
import { canonicalPath } from '../robots/escapes.ts';
import { pathPattern } from '../robots/path-pattern.ts';
import { bestRank, indexPatterns, type PatternIndex } from '../robots/pattern-index.ts';
import type { RobotsRules, UsageRecord } from '../robots/rules.ts';
import { contentSignal, unreadSignals } from './content-signal.ts';
import { contentUsage, unreadUses } from './content-usage.ts';
import { rslLicence } from './rsl.ts';
import { type Statement, type Use, uses } from './statement.ts';
import { usageLimits } from './usage-limits.ts';

export interface RobotsUsage {
  readonly rules: readonly UsageRule[];
  readonly licences: readonly Statement[];
}

interface UsageRule {
  readonly field: UsageRecord['field'];
  /** Canonical; empty: every path. */
  readonly pattern: string;
  /** Null: every path. */
  readonly index: PatternIndex | null;
  readonly statements: readonly Statement[];
  /** Uses with unreadable statements. */
  readonly unread: readonly Use[];
}

export const noUsage: RobotsUsage = { rules: [], licences: [] };

export function compileUsage({ usage, licences }: Pick<RobotsRules, 'usage' | 'licences'>): RobotsUsage {
  if (usage.length === 0 && licences.length === 0) return noUsage;
  return { rules: usage.flatMap(ruleOf), licences: licences.flatMap(rslLicence) };
}

/** Compiles a rule. Beyond the bound, rules that allow are dropped, and those that bar apply to every path. */
function ruleOf({ field, value }: UsageRecord, at: number): UsageRule[] {
  const blank = value.search(/[ \t]/);
  const first = value.slice(0, Math.max(0, blank));
  // A leading `*` begins a path, as in Disallow. A dictionary may begin so too, but with `=` or `,` in it.
  const hasPath = first.startsWith('/') || /^\*[^=,]*$/.test(first);
  const pattern = hasPath ? pathPattern(first) : '';
  const preferences = hasPath ? value.slice(blank).trim() : value;
  const said = `${field === 'content-usage' ? 'Content-Usage' : 'Content-Signal'}: ${value}`;
  const read =
    field === 'content-usage'
      ? contentUsage([preferences], 'robots.txt', said)
      : contentSignal(preferences, 'robots.txt', said);
  if (at >= usageLimits.rulesMax) {
    const statements = read.filter(({ preference }) => preference === 'deny');
    return statements.length === 0 ? [] : [{ field, pattern: everywhere, index: null, statements, unread: [] }];
  }
  const unread = field === 'content-usage' ? unreadUses(preferences) : unreadSignals(preferences);
  if (pattern === undefined || unread === null) return [];
  const index = pattern === '' ? null : indexPatterns([{ pattern, allow: false }]);
  return [{ field, pattern, index, statements: read, unread }];
}

/** A pattern that no file can contain. */
const everywhere = ' ';

export function robotsUsage({ rules, licences }: RobotsUsage, url: string): readonly Statement[] {
  if (rules.length === 0) return licences;
  const path = canonicalPath(url);
  return [...longest(rules, 'content-usage', path), ...longest(rules, 'content-signal', path), ...licences];
}

function longest(rules: readonly UsageRule[], field: UsageRecord['field'], path: string): Statement[] {
  const matching = rules.filter(
    (rule) => rule.field === field && (rule.index === null || bestRank(rule.index, path) >= 0),
  );
  return uses.flatMap((use) => {
    let best = -1;
    let found: Statement[] = [];
    const always: Statement[] = [];
    for (const { pattern, statements, unread } of matching) {
      const about = statements.filter((one) => one.use === use);
      if (pattern === everywhere) always.push(...about);
      else if (!unread.includes(use) && pattern.length >= best) {
        found = pattern.length > best ? about : [...found, ...about];
        best = pattern.length;
      }
    }
    return [...found, ...always];
  });
}
