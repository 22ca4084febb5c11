/**
 * A million texts and more as one sorted block of bytes: exact, about the texts' own length plus 4 bytes each.
 *
 * Texts are Latin-1 (normal URLs, host names). Made for prefixes: a text that begins with another of the set is left
 * out, for the shorter holds it already; then no member begins another, and the member that begins a text, if there is
 * one, is the last that does not come after it: one binary search, no chain to follow.
 */
export interface SortedTexts {
  readonly size: number;
  readonly bytes: number;
  /** The length of the member that `length` characters read by `at` begin with, or -1. */
  prefixOf(at: (index: number) => number, length: number): number;
}

/** A normal URL has no characters beyond Latin-1: texts with such characters are left out, and match nothing. */
export function sortTexts(texts: readonly string[]): SortedTexts {
  const sorted = texts.filter((text) => text !== '' && !beyondLatin1.test(text)).sort(byCodeUnits);
  const kept: string[] = [];
  let length = 0;
  for (const text of sorted) {
    const last = kept[kept.length - 1];
    if (last !== undefined && text.startsWith(last)) continue;
    kept.push(text);
    length += text.length;
  }
  const block = new Uint8Array(length);
  const starts = new Uint32Array(kept.length + 1);
  let end = 0;
  for (const [i, text] of kept.entries()) {
    starts[i] = end;
    for (let at = 0; at < text.length; at++) block[end++] = text.charCodeAt(at);
  }
  starts[kept.length] = end;
  return { size: kept.length, bytes: block.length + starts.byteLength, prefixOf: finder(block, starts) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is meant from its very start.
const beyondLatin1 = /[^\x00-\xff]/;

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function finder(block: Uint8Array, starts: Uint32Array): SortedTexts['prefixOf'] {
  const count = starts.length - 1;
  return (at, length) => {
    let low = 0;
    let high = count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = starts[middle]!;
      const size = starts[middle + 1]! - start;
      const most = size < length ? size : length;
      let i = 0;
      while (i < most && block[start + i] === at(i)) i++;
      if (i === size) return size;
      // The text ends inside the member, or goes on below or above it.
      if (i < most && block[start + i]! < at(i)) low = middle + 1;
      else high = middle;
    }
    return -1;
  };
}
