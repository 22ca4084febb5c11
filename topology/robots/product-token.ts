/**
 * The names that robots.txt, X-Robots-Tag and robots meta elements address a crawler by (RFC 9309 §2.2.1).
 *
 * An operator may answer to several: the first that a robots.txt has a group for holds, and what a page says to any of
 * them counts.
 */
import { parseRobots } from './rules.ts';

/** One, or several in the order in which a robots.txt is asked for them. */
export type ProductTokens = string | readonly [string, ...string[]];

/** In lower case. */
export function lowerTokens(tokens: ProductTokens | null): readonly string[] {
  if (tokens === null) return [];
  return (typeof tokens === 'string' ? [tokens] : tokens).map((token) => token.toLowerCase());
}

/** The one for a file that names none of them. */
export function firstToken(tokens: ProductTokens): string {
  return typeof tokens === 'string' ? tokens : tokens[0];
}

/** Whose group of the file holds: the first token that it names, else the first of all (as `*` then holds for each). */
export function tokenInForce(body: Uint8Array, tokens: ProductTokens): string {
  if (typeof tokens === 'string' || tokens.length === 1) return firstToken(tokens);
  return tokens.find((token) => parseRobots(body, token, '').named) ?? firstToken(tokens);
}

/** Is a meta element of this name meant for us? `tokens`: our product tokens, in lower case. */
export function isRobotsName(name: string, tokens: readonly string[]): boolean {
  const lower = name.trim().toLowerCase();
  return lower === 'robots' || (lower !== '' && tokens.includes(lower));
}
