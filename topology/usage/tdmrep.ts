/**
 * Reservation of text and data mining: W3C TDMRep, final community group report of 10 May 2024.
 *
 * `tdm-reservation` is 1 or 0; any other value has no effect (§5.1). It reserves mining, and so bars ai-input and
 * ai-train; for search, the site's other statements decide. `tdm-policy` is stored, and not read. In the file
 * (/.well-known/tdmrep.json), the first rule with a matching path applies (§6.1).
 */

import { canonicalPath } from '../robots/escapes.ts';
import { pathPattern } from '../robots/path-pattern.ts';
import { bestRank, indexPatterns, type PatternIndex } from '../robots/pattern-index.ts';
import { canParse } from '../url/can-parse.ts';
import { type Statement, statement } from './statement.ts';
import { usageLimits } from './usage-limits.ts';

export const tdmrepPath = '/.well-known/tdmrep.json';

export interface TdmRule {
  readonly index: PatternIndex;
  readonly reserved: boolean;
  readonly policy: string;
  readonly said: string;
}

export function tdmReservation(value: string, source: string, said: string): Statement[] {
  const text = value.trim();
  if (text !== '1' && text !== '0') return [];
  const preference = text === '1' ? 'deny' : 'allow';
  return [statement('ai-input', preference, source, said), statement('ai-train', preference, source, said)];
}

export function tdmPolicy(value: string, source: string): Statement[] {
  return canParse(value.trim()) ? [statement('licence', 'terms', source, value.trim())] : [];
}

/** Readable rules in their order; none if the body is not a TDMRep file. */
export function parseTdmrep(body: Uint8Array): TdmRule[] {
  const given = readJson(body);
  if (!Array.isArray(given) || given.length > usageLimits.tdmRulesMax) return [];
  const rules: TdmRule[] = [];
  for (const one of given as unknown[]) {
    if (typeof one !== 'object' || one === null) continue;
    const { location, 'tdm-reservation': reservation, 'tdm-policy': policy } = one as Record<string, unknown>;
    const pattern = typeof location === 'string' ? pathPattern(octetsOf(location)) : undefined;
    const value = typeof reservation === 'number' || typeof reservation === 'string' ? String(reservation) : '';
    if (pattern === undefined || (value !== '1' && value !== '0')) continue;
    rules.push({
      index: indexPatterns([{ pattern, allow: false }]),
      reserved: value === '1',
      policy: typeof policy === 'string' ? policy : '',
      said: `${location as string} tdm-reservation: ${value}`,
    });
  }
  return rules;
}

export function tdmStatements(rules: readonly TdmRule[], url: string): Statement[] {
  if (rules.length === 0) return [];
  const path = canonicalPath(url);
  const rule = rules.find(({ index }) => bestRank(index, path) >= 0);
  if (rule === undefined) return [];
  return [
    ...tdmReservation(rule.reserved ? '1' : '0', 'tdmrep.json', rule.said),
    ...tdmPolicy(rule.policy, 'tdmrep.json'),
  ];
}

function readJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return null;
  }
}

function octetsOf(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
