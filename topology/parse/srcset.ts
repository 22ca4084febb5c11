/**
 * The URLs of a `srcset` (HTML standard §4.8.4.2, "parse a srcset attribute"): split at commas after a URL or after
 * its descriptors, not at commas inside a URL, so that `data:` and `…,w_300/…` stay whole.
 */
export function srcsetUrls(srcset: string, urlsMax: number): readonly string[] {
  const urls: string[] = [];
  let at = 0;
  while (at < srcset.length && urls.length < urlsMax) {
    while (at < srcset.length && (isSpace(srcset, at) || srcset[at] === ',')) at += 1;
    const start = at;
    while (at < srcset.length && !isSpace(srcset, at)) at += 1;
    if (start === at) break;
    let end = at;
    while (end > start && srcset[end - 1] === ',') end -= 1;
    if (end > start) urls.push(srcset.slice(start, end));
    if (end < at) continue;
    // Descriptors, up to a comma outside of parentheses.
    for (let depth = 0; at < srcset.length; at++) {
      if (srcset[at] === '(') depth += 1;
      else if (srcset[at] === ')') depth = Math.max(depth - 1, 0);
      else if (srcset[at] === ',' && depth === 0) break;
    }
  }
  return urls;
}

function isSpace(text: string, at: number): boolean {
  const c = text.charCodeAt(at);
  return c === 0x20 || (c >= 0x09 && c <= 0x0d && c !== 0x0b);
}
