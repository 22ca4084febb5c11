/**
 * Kinds of pages by their URLs, for the factor `type`: articles and products are what most crawls are for; lists of
 * them lead there; pages for logging in, carts and searches hold no content.
 */
import type { CompilePatterns } from '../../url/patterns.ts';
import type { PageKindRule } from './score-config.ts';

/** A word that is a segment of the path, or its end after a dash. */
const segment = (words: string) => `^[^?]*[/-](?:${words})(?:[/.?]|$)`;

/** From the clearest to the vaguest: `/shop/cart` is a cart, `/blog/page/2` a listing. */
export const defaultPageKinds: readonly PageKindRule[] = [
  {
    name: 'login',
    pattern: segment('login|log-in|logout|signin|sign-in|signup|sign-up|register|password|my-account'),
    value: 0.05,
  },
  { name: 'cart', pattern: segment('cart|basket|checkout|wishlist|add-to-cart'), value: 0.05 },
  { name: 'search', pattern: `${segment('search|suche|recherche')}|[?&](?:q|query|search|s)=`, value: 0.2 },
  {
    name: 'listing',
    pattern: segment('category|categories|tag|tags|archive|archives|browse|collections|topics|page/[0-9]+'),
    value: 0.5,
  },
  { name: 'product', pattern: '^[^?]*/(?:product|products|item|items|dp|p)/[^/?]', value: 0.9 },
  {
    name: 'article',
    pattern: '^[^?]*/(?:article|articles|news|story|stories|blog|post|posts|(?:19|20)[0-9]{2}/[01]?[0-9])/[^/?]',
    value: 1,
  },
];

const byDefault = defaultPageKinds.map(({ pattern }) => new RegExp(pattern));

/** Returns the kind of a normal URL; undefined: no pattern matches. */
export type PageKindOf = (url: string) => Pick<PageKindRule, 'name' | 'value'> | undefined;

/** `own` precede the default kinds. Throws INVALID_ARGUMENT for a pattern that does not compile. */
export function compilePageKinds(own: readonly PageKindRule[], compile: CompilePatterns): PageKindOf {
  const patterns = compile(own.map(({ pattern }) => pattern));
  return (url) => {
    let first = own.length;
    if (first > 0) patterns.each(url, (index) => (first = Math.min(first, index)));
    return own[first] ?? defaultPageKinds.find((_, index) => byDefault[index]!.test(url));
  };
}
