/** Links beyond those that a crawl follows by default: images and their `srcset` candidates, and URLs in scripts. */

import { srcsetUrls } from '../srcset.ts';
import type { Attributes } from './markup.ts';
import { richLimits } from './rich-limits.ts';

export interface MediaLinksWanted {
  /** `src` and `srcset` of images and their sources. */
  readonly images: boolean;
  /** `src` of scripts, and absolute http and https URLs in quotes inside of them. */
  readonly scripts: boolean;
  /** Addresses in `data-*` attributes of any element, where scripts find them: absolute ones, and paths. */
  readonly data?: boolean;
}

export interface MediaLinks {
  open(name: string, attributes: Attributes): void;
  rawText(text: string): void;
  /** As the page wrote them, each once, in document order. */
  finish(): readonly string[];
}

/** With a scheme, or a path that begins with a slash or with dots: anything else may be a word. */
const address = /^(?:https?:\/\/|\.{0,2}\/)[^\s<>"'{}]+$/;
const quotedUrl = /(["'`])(https?:(?:\\?\/){2}[^"'`\s<>]{1,2000})\1/g;

export function createMediaLinks(wanted: MediaLinksWanted): MediaLinks {
  const hrefs = new Set<string>();
  let inScript = false;
  const add = (href: string | undefined) => {
    const trimmed = href?.trim() ?? '';
    if (trimmed !== '' && hrefs.size < richLimits.mediaLinksMax) hrefs.add(trimmed);
  };
  return {
    open(name, attributes) {
      inScript = name === 'script';
      if (wanted.data === true)
        for (const [key, value] of attributes) {
          if (!key.startsWith('data-')) continue;
          const hrefs = key.endsWith('srcset') ? srcsetUrls(value, richLimits.srcsetMax) : [value.trim()];
          for (const href of hrefs) if (address.test(href)) add(href);
        }
      if (wanted.images && (name === 'img' || name === 'source' || name === 'image')) {
        add(attributes.get('src'));
        for (const candidate of srcsetUrls(attributes.get('srcset') ?? '', richLimits.srcsetMax)) add(candidate);
      } else if (wanted.images && name === 'link' && attributes.has('imagesrcset')) {
        for (const candidate of srcsetUrls(attributes.get('imagesrcset')!, richLimits.srcsetMax)) add(candidate);
      } else if (wanted.scripts && name === 'script') add(attributes.get('src'));
    },
    rawText(text) {
      if (!wanted.scripts || !inScript) return;
      for (const [, , url] of text.matchAll(quotedUrl)) add(url!.replaceAll('\\/', '/'));
    },
    finish: () => [...hrefs],
  };
}
