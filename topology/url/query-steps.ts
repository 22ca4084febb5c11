/**
 * Steps of the normaliser on the query. They work on pieces as written between `&`, never through URLSearchParams: that
 * would rewrite `+`, `%20`, `a` and `a=`, which servers may distinguish, and costs four times as much.
 */
import { normalizeEscapes } from './escapes.ts';
import { compileNames, compileSessions, type NameSet } from './name-set.ts';
import type { HostRule, NormalizeConfig } from './normalize-config.ts';

const hash32 = /^[0-9a-f]{32}$/i;

/** Why a parameter is dropped: the name of a step. */
export type DropStep =
  | 'emptyParameters'
  | 'emptyValues'
  | 'trackingParameters'
  | 'sessionParameters'
  | 'hashes'
  | 'dropParameters'
  | 'hosts';

/** Returns the step that drops a parameter, or null to keep it. `name` is lower-case. */
export type DropRule = (name: string, value: string, host: string, hasEquals: boolean) => DropStep | null;

export function compileDropRule(config: NormalizeConfig): DropRule {
  const tracking = compileNames(config.trackingParameters);
  const sessions = compileSessions(config.sessionParameters);
  const dropped = compileNames(config.dropParameters);
  const ruleOf = compileHostRules(config.hosts);
  const dropsEmpty = config.emptyValues === 'drop';
  return (name, value, host, hasEquals) => {
    const rule = ruleOf?.(host);
    if (rule !== undefined) {
      if (rule.keep.has(name)) return null;
      if (rule.drop.has(name)) return 'hosts';
      if (rule.only !== null) return rule.only.has(name) ? null : 'hosts';
    }
    // Markup that was escaped twice.
    const meant = name.startsWith('amp;') ? name.slice(4) : name;
    if (tracking.has(meant)) return 'trackingParameters';
    if (sessions.has(meant, value)) return 'sessionParameters';
    if (dropped.has(name)) return 'dropParameters';
    if (config.hashes && hash32.test(value)) return 'hashes';
    return dropsEmpty && value === '' && hasEquals ? 'emptyValues' : null;
  };
}

interface CompiledHostRule {
  readonly keep: NameSet;
  readonly drop: NameSet;
  readonly only: NameSet | null;
}

/** null: there are no rules, so the host is not needed. */
function compileHostRules(
  hosts: Readonly<Record<string, HostRule>>,
): ((host: string) => CompiledHostRule | undefined) | null {
  const rules = new Map<string, CompiledHostRule>();
  for (const [host, rule] of Object.entries(hosts)) {
    const only = rule.only === undefined ? null : compileNames(rule.only);
    rules.set(host.toLowerCase(), { keep: compileNames(rule.keep ?? []), drop: compileNames(rule.drop ?? []), only });
  }
  if (rules.size === 0) return null;
  return (host) => {
    for (let name = host; ; ) {
      const rule = rules.get(name);
      if (rule !== undefined) return rule;
      const next = name.indexOf('.');
      if (next < 0) return undefined;
      name = name.slice(next + 1);
    }
  };
}

/**
 * Normalises a parsed query without its `?`: escapes in one form, dropped parameters removed, sorted if `sort` is
 * set.
 */
export function normalizeQuery(query: string, host: string, drops: DropRule, sort: boolean): string {
  const normal = normalizeEscapes(query);
  // One parameter, the commonest query: nothing to split or sort.
  if (!normal.includes('&')) return dropStepOf(normal, host, drops) === null ? normal : '';
  const pieces = normal.split('&');
  const kept = pieces.filter((piece) => dropStepOf(piece, host, drops) === null);
  const sorted = sort && sortByName(kept);
  return kept.length === pieces.length && !sorted ? normal : kept.join('&');
}

export function dropStepOf(piece: string, host: string, drops: DropRule): DropStep | null {
  if (piece === '') return 'emptyParameters';
  const equals = piece.indexOf('=');
  if (equals < 0) return drops(piece.toLowerCase(), '', host, false);
  return drops(piece.slice(0, equals).toLowerCase(), piece.slice(equals + 1), host, true);
}

/** Sorts in place, by name in code-unit order and stable; false if it was sorted. */
export function sortByName(pieces: string[]): boolean {
  let sorted = true;
  for (let i = 1; i < pieces.length && sorted; i++) sorted = compareNames(pieces[i - 1]!, pieces[i]!) <= 0;
  if (!sorted) pieces.sort(compareNames);
  return !sorted;
}

/** Compares the names before `=`, without copying them. */
function compareNames(a: string, b: string): number {
  for (let at = 0; ; at++) {
    const left = nameCode(a, at);
    const right = nameCode(b, at);
    if (left !== right) return left - right;
    if (left < 0) return 0;
  }
}

/** Char code of the name at `at`; -1 after its end. */
function nameCode(piece: string, at: number): number {
  const code = at < piece.length ? piece.charCodeAt(at) : 61;
  return code === 61 ? -1 : code;
}
