/**
 * Directives of a page for crawlers: `<meta name=robots>` and X-Robots-Tag.
 *
 * Neither has a standard; the source is the public documentation of the large search engines. This file reads
 * noindex, nofollow and none; usage/robots-tag.ts reads directives about use (noarchive, noai, unavailable_after, …).
 * Directives for everyone and for the crawler's own token are combined: the strictest applies.
 */
import { isRobotsName, lowerTokens, type ProductTokens } from '../robots/product-token.ts';

export interface Directives {
  readonly noindex: boolean;
  readonly nofollow: boolean;
}

export const noDirectives: Directives = { noindex: false, nofollow: false };

export function bothDirectives(a: Directives, b: Directives): Directives {
  return { noindex: a.noindex || b.noindex, nofollow: a.nofollow || b.nofollow };
}

/**
 * Parses the `content` of a meta element named `robots` or our token: words separated by commas or blanks, in any
 * case.
 */
export function metaDirectives(content: string): Directives {
  let noindex = false;
  let nofollow = false;
  for (const word of content.toLowerCase().split(/[\s,;]+/)) {
    noindex ||= word === 'noindex' || word === 'none';
    nofollow ||= word === 'nofollow' || word === 'none';
  }
  return { noindex, nofollow };
}

/** Rules with a value, so that `name:` before them is not a crawler's name. */
const valuedRules = new Set(['unavailable_after', 'max-snippet', 'max-image-preview', 'max-video-preview']);
const scope = /^\s*([a-z][\w.-]*|\*)\s*:(.*)$/is;

/**
 * `values`: each X-Robots-Tag header. A value may begin with `name:`, or have it after a comma; the directives up to
 * the next name or the end of the value are then for that crawler alone.
 */
export function headerDirectives(values: readonly string[], productToken: ProductTokens | null): Directives {
  const tokens = lowerTokens(productToken);
  let found = noDirectives;
  for (const value of values) {
    let forUs = true;
    for (const part of value.split(',')) {
      const scoped = scope.exec(part);
      const name = scoped?.[1]?.toLowerCase();
      if (name === undefined || valuedRules.has(name)) {
        if (forUs && name === undefined) found = bothDirectives(found, metaDirectives(part));
        continue;
      }
      forUs = name === '*' || isRobotsName(name, tokens);
      if (forUs) found = bothDirectives(found, metaDirectives(scoped![2]!));
    }
  }
  return found;
}
