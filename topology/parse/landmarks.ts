/**
 * Where on its page a link stands, by the elements around it (HTML standard §4.3, "Sections"): in what the page is about, in
 * its navigation, or in its footer. The scanner builds no tree, so open elements are counted; a page that closes none of them
 * gives what its first ones say, which costs an order and nothing else.
 *
 * `<nav>` is navigation wherever it stands. Inside `<main>` and `<article>` all else is content, headers and footers of their
 * own too; outside, `<footer>` is footer, `<header>` and `<aside>` are navigation. Elsewhere nothing is known.
 */
import type { FoundIn } from '../../schemas/types.ts';
import { type Element, element } from './elements.ts';

export class Landmarks {
  #main = 0;
  #nav = 0;
  #footer = 0;
  #aside = 0;

  /** `by`: 1 where the element begins, -1 where it ends. */
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

/** A link that stands in several places counts by the one that says most for it. */
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
