/** Path patterns of robots.txt, and of files that use its rules (RFC 9309 §2.2.2). */
import { canonicalPattern } from './escapes.ts';

/**
 * The canonical form of a pattern, given as octets. A pattern begins with `/`; a leading `*` is understood too.
 * Undefined: it is invalid, and ignored.
 */
export function pathPattern(value: string): string | undefined {
  const first = value.charCodeAt(0);
  if (first !== 0x2f && first !== 0x2a) return undefined;
  const anchored = value.endsWith('$');
  const canonical = canonicalPattern(anchored ? value.slice(0, -1) : value);
  return anchored ? `${canonical}$` : canonical;
}
