/** The candidates of a `srcset` (HTML standard §4.8.4.2), with other URLs. Linear. */
export function rewriteSrcset(srcset: string, lead: (url: string) => string | null): string {
  const candidates: string[] = [];
  for (let at = 0; at < srcset.length; ) {
    const start = skip(srcset, at, (one) => blank(one) || one === ',');
    if (start >= srcset.length) break;
    const end = skip(srcset, start, (one) => !blank(one));
    const word = srcset.slice(start, end);
    const url = withoutCommas(word);
    at = end;
    let descriptors = '';
    if (url === word) {
      const from = at;
      let depth = 0;
      while (at < srcset.length && (depth > 0 || srcset[at] !== ',')) {
        if (srcset[at] === '(') depth += 1;
        else if (srcset[at] === ')') depth = Math.max(0, depth - 1);
        at += 1;
      }
      descriptors = srcset.slice(from, at).trim();
    }
    candidates.push([lead(url) ?? url, descriptors].filter((part) => part !== '').join(' '));
  }
  return candidates.join(', ');
}

function skip(text: string, from: number, while_: (one: string) => boolean): number {
  let at = from;
  while (at < text.length && while_(text[at]!)) at += 1;
  return at;
}

function blank(one: string): boolean {
  return one === ' ' || one === '\t' || one === '\n' || one === '\f' || one === '\r';
}

function withoutCommas(word: string): string {
  let end = word.length;
  while (end > 0 && word[end - 1] === ',') end -= 1;
  return word.slice(0, end);
}
