/**
 * Pages of generated sites with known near-duplicates: copies of a page, with a share of the words of its content
 * edited. All other pages are different, however much of their text comes from the site's template.
 */

import { numbers } from '../web/random.ts';
import { editedText, proseOf } from './prose.ts';

export interface LabelledPage {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  /** Absent: no main text was extracted. */
  readonly mainText?: string;
  /** The page that it is a copy of, or itself. */
  readonly family: string;
  readonly isCopy: boolean;
}

interface Site {
  readonly host: string;
  /** Words of menus, banners and footers on each page. */
  readonly template: number;
  /** Words of each page's own, least and most. */
  readonly own: readonly [number, number];
  /**
   * Words that a page shares with others of its kind, as with inherited methods in a reference; and the number of kinds
   * on the site.
   */
  readonly section: number;
  readonly kinds: number;
  readonly title: (n: number) => string;
}

const sites: readonly Site[] = [
  { host: 'news.test', template: 300, own: [200, 800], section: 0, kinds: 1, title: (n) => `Story ${n} - The News` },
  { host: 'api.test', template: 150, own: [40, 300], section: 400, kinds: 6, title: (n) => `Class${n} (API 17)` },
  { host: 'forum.test', template: 500, own: [60, 400], section: 0, kinds: 1, title: (n) => `Thread ${n} | Forum` },
  { host: 'shop.test', template: 600, own: [40, 80], section: 50, kinds: 8, title: (n) => `Item ${n}: Shop` },
  { host: 'untitled.test', template: 400, own: [100, 500], section: 0, kinds: 1, title: () => '' },
  { host: 'same-title.test', template: 400, own: [80, 300], section: 0, kinds: 1, title: () => 'Welcome' },
];

/**
 * `pages` of each site. A quarter of them are copied, with the share `edited` of their words replaced, moved or left
 * out.
 */
export function labelledPages(pages: number, edited: number, seed: number): LabelledPage[] {
  const next = numbers(seed);
  const all: LabelledPage[] = [];
  for (const [s, site] of sites.entries()) {
    const words = (n: number, count: number) => proseOf(seed * 1_000_003 + s * 50_021 + n, count);
    const [menu, footer] = [words(1, site.template >> 1), words(2, site.template >> 1)];
    const sections = Array.from({ length: site.kinds }, (_, kind) => words(10 + kind, site.section));
    for (let n = 0; n < pages; n++) {
      const [least, most] = site.own;
      const own = words(1_000 + n, least + (next() % (most - least)));
      const section = sections[n % site.kinds]!;
      const title = site.title(n);
      const family = `http://${site.host}/${n}`;
      all.push({ url: family, title, text: `${menu} ${title} ${own} ${section} ${footer}`, family, isCopy: false });
      if (n % 4 !== 3) continue;
      const copy = editedText(own, edited, next);
      const text = `${menu} ${title} ${copy} ${section} ${footer}`;
      all.push({ url: `${family}?print=1`, title, text, family, isCopy: true });
    }
  }
  return all;
}
