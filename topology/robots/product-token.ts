/**
 * The names by which robots.txt, X-Robots-Tag and robots meta elements address a crawler (RFC 9309 §2.2.1).
 *
 * An operator may have several names. In robots.txt, the first name that has a group counts; on a page, directives
 * for any of the names count.
 */
import { parseRobots } from './rules.ts';

/** One token, or several in the order in which a robots.txt is searched for them. */
export type ProductTokens = string | readonly [string, ...string[]];

/** In lower case. */
export function lowerTokens(tokens: ProductTokens | null): readonly string[] {
  if (tokens === null) return [];
  return (typeof tokens === 'string' ? [tokens] : tokens).map((token) => token.toLowerCase());
}

/** The token that applies if a file names none of them. */
export function firstToken(tokens: ProductTokens): string {
  return typeof tokens === 'string' ? tokens : tokens[0];
}

/**
 * Returns the token of the group that applies: the first one that the file names, or else the first token (the group
 * `*` then applies).
 */
export function tokenInForce(body: Uint8Array, tokens: ProductTokens): string {
  if (typeof tokens === 'string' || tokens.length === 1) return firstToken(tokens);
  return tokens.find((token) => parseRobots(body, token, '').named) ?? firstToken(tokens);
}

/**
 * Returns whether a meta element with this name addresses this crawler. `tokens`: its product tokens, in lower case.
 */
export function isRobotsName(name: string, tokens: readonly string[]): boolean {
  const lower = name.trim().toLowerCase();
  return lower === 'robots' || (lower !== '' && tokens.includes(lower));
}
