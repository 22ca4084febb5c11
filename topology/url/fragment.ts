/**
 * Fragments that may be part of an address: `#!…`, from the AJAX crawling scheme. The crawl's policy decides
 * (`normalize.fragment`). So link extraction keeps these fragments, and the normaliser drops or escapes them.
 */

/** Removes the fragment of a URL or reference, unless it is `#!…`. */
export function withoutPlainFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash < 0 || isHashbang(url, hash) ? url : url.slice(0, hash);
}

/** Returns whether the fragment is `#!…`. `hash` is the index of the `#`. */
export function isHashbang(url: string, hash: number): boolean {
  return url.charCodeAt(hash + 1) === exclamation;
}

const exclamation = 33;
