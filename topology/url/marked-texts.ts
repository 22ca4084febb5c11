/**
 * A set of a million names as one block of bytes with a hash table over it. It is exact, and costs the length of the
 * names plus 12–20 bytes each, with no object per name.
 *
 * Each text ends in a mark. The mark appears elsewhere in a text only where a shorter member could end (host names
 * backwards, with dots: `gro.elpmaxe.`). So one pass over a longer text finds every member that it begins with, with
 * one table lookup at each mark: 3 for a host of 3 labels, whatever the size of the set. Names in the same table slot
 * are compared by their bytes, so a hash collision costs time and never causes an error.
 */
export interface MarkedTexts {
  readonly size: number;
  readonly bytes: number;
  /** The length of the shortest member that `length` characters read by `at` begin with, or -1. */
  beginningOf(at: (index: number) => number, length: number): number;
}

const fnvStart = 0x811c9dc5;
const fnvPrime = 0x01000193;

/**
 * Builds the set. Texts that do not end in the mark, or have characters beyond Latin-1, are left out: no host name
 * has such characters.
 */
export function markTexts(texts: readonly string[], mark: number): MarkedTexts {
  let length = 0;
  for (const text of texts) length += text.length;
  const block = new Uint8Array(length);
  const starts = new Uint32Array(texts.length + 1);
  // At most half full: a walk along taken places is then two long.
  const table = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(4, 2 * texts.length))));
  let count = 0;
  let end = 0;
  for (const text of texts) {
    const hash = writeText(text, block, end);
    if (text.length === 0 || text.charCodeAt(text.length - 1) !== mark || hash === null) continue;
    const at = (index: number) => block[end + index]!;
    const place = find(table, block, starts, hash, at, text.length);
    if (table[place] !== 0) continue;
    table[place] = ++count;
    end += text.length;
    starts[count] = end;
  }
  const kept = block.slice(0, end);
  const ends = starts.slice(0, count + 1);
  return {
    size: count,
    bytes: kept.byteLength + ends.byteLength + table.byteLength,
    beginningOf(at, most) {
      let hash = fnvStart;
      for (let i = 0; i < most; i++) {
        const code = at(i);
        hash = Math.imul(hash ^ code, fnvPrime);
        if (code === mark && table[find(table, kept, ends, hash, at, i + 1)] !== 0) return i + 1;
      }
      return -1;
    },
  };
}

/** Its hash; null: a character is beyond Latin-1. */
function writeText(text: string, block: Uint8Array, start: number): number | null {
  let hash = fnvStart;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255) return null;
    block[start + i] = code;
    hash = Math.imul(hash ^ code, fnvPrime);
  }
  return hash;
}

/** The text's place in the table, or the empty place for it. Places hold numbers from 1; 0 is empty. */
function find(
  table: Uint32Array,
  block: Uint8Array,
  starts: Uint32Array,
  hash: number,
  at: (index: number) => number,
  length: number,
): number {
  const mask = table.length - 1;
  // The high bits of FNV are the better ones.
  let place = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> 0;
  for (place = (place ^ (place >>> 12)) & mask; ; place = (place + 1) & mask) {
    const number = table[place]!;
    if (number === 0) return place;
    const start = starts[number - 1]!;
    if (starts[number]! - start !== length) continue;
    let i = 0;
    while (i < length && block[start + i] === at(i)) i++;
    if (i === length) return place;
  }
}
