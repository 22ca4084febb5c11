/** Patterns of host names in a user's rules: a name, `*.suffix` (any name below it) or `*`. */
import { z } from 'zod';

export const hostPatternSchema = z.string().regex(/^(\*|(\*\.)?[^\s/:*]+)$/, 'expected a host name, *.suffix or *');

/** `hostname` as in a URL: in lower case. */
export function hostFits(pattern: string, hostname: string): boolean {
  if (pattern === '*') return true;
  return pattern.startsWith('*.')
    ? hostname.endsWith(pattern.slice(1).toLowerCase())
    : hostname === pattern.toLowerCase();
}
