/**
 * The position of a link on its page, by the elements around it (HTML standard §4.3, "Sections"): content,
 * navigation, or footer. The scanner builds no tree, so it counts open elements. If a page never closes them, the
 * first elements decide for the whole page; that affects only the order of its links.
 *
 * Inside `<main>` and `<article>`, `<nav>` is navigation and everything else is content, including headers and footers
 * there. Outside of them, everything in `<footer>` is footer, and `<nav>`, `<header>` and `<aside>` are navigation.
 * Elsewhere the position is unknown.
 */
import type { FoundIn } from '../../schemas/types.ts';
import { type Element, element } from './elements.ts';

export class Landmarks {
  #main = 0;
  #nav = 0;
  #footer = 0;
  #aside = 0;

  /** Counts an element. `by`: 1 at its start, -1 at its end. */
  pass(kind: Element, by: 1 | -1): void {
    if (kind === element.main) this.#main = Math.max(0, this.#main + by);
    else if (kind === element.nav) this.#nav = Math.max(0, this.#nav + by);
    else if (kind === element.footer) this.#footer = Math.max(0, this.#footer + by);
    else if (kind === element.aside) this.#aside = Math.max(0, this.#aside + by);
  }

  get here(): FoundIn {
    if (this.#main > 0) return this.#nav > 0 ? 'navigation' : 'content';
    if (this.#footer > 0) return 'footer';
    return this.#nav > 0 || this.#aside > 0 ? 'navigation' : 'unknown';
  }
}

/** The position that counts for a link with several positions: the one of higher rank. */
export function betterPlace(a: FoundIn | undefined, b: FoundIn): FoundIn {
  return a === undefined || rank[b] > rank[a] ? b : a;
}

const rank: Readonly<Record<FoundIn, number>> = {
  footer: 0,
  navigation: 1,
  unknown: 2,
  sitemap: 2,
  feed: 2,
  content: 3,
};
