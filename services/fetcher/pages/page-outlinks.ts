/** The links of a page as its record has them: normalised, each once, and no more than a record bears. */
import { richLimits } from '../../../topology/rich-page-limits.ts';

export function pageOutlinks(links: readonly string[], normalize: (url: string) => string | null): string[] {
  const urls = new Set<string>();
  let charsLeft: number = richLimits.outlinkCharsMax;
  for (const raw of links) {
    const url = normalize(raw);
    if (url === null || urls.has(url)) continue;
    charsLeft -= url.length;
    if (charsLeft < 0) break;
    urls.add(url);
  }
  return [...urls];
}
