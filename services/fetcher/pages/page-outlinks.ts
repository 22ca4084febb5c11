/** The links of a page as its record has them: normalised, each once, and no more characters than a record bears. */
import { richLimits } from '../../../topology/parse/rich/rich-limits.ts';

export function pageOutlinks(
  links: readonly string[],
  normalize: (url: string) => string | null,
  charsMax: number = richLimits.outlinkCharsMax,
): string[] {
  const urls = new Set<string>();
  let charsLeft = charsMax;
  for (const raw of links) {
    const url = normalize(raw);
    if (url === null || urls.has(url)) continue;
    charsLeft -= url.length;
    if (charsLeft < 0) break;
    urls.add(url);
  }
  return [...urls];
}
