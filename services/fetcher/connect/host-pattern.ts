/** Patterns of host names in a user's rules: a name, `*.suffix` (any name below it) or `*`. */
import { z } from 'zod';

export const hostPatternSchema = z.string().regex(/^(\*|(\*\.)?[^\s/:*]+)$/, 'expected a host name, *.suffix or *');

/** The same, or a single origin: its scheme and port count. */
export const hostOrOriginSchema = z.union(
  [hostPatternSchema, z.string().regex(/^https?:\/\/(?:\[[0-9a-fA-F:.]+\]|[^\s/:*@[\]]+)(?::\d{1,5})?\/?$/)],
  'expected a host name, *.suffix, *, or an origin such as http://staging.example.org:8080',
);

/** Origin of the pattern, as URLs spell it; null: the pattern is one of names. */
export function originOfPattern(pattern: string): string | null {
  return pattern.includes('://') ? new URL(pattern).origin : null;
}

/** `hostname` as in a URL: in lower case. */
export function hostFits(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  if (pattern.includes('://')) return new URL(pattern).hostname === hostname;
  return pattern.startsWith('*.')
    ? hostname.endsWith(pattern.slice(1).toLowerCase())
    : hostname === pattern.toLowerCase();
}
