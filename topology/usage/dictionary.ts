/**
 * Parses dictionaries of structured fields (RFC 9651 §4.2.2), as far as preferences need them: the tokens of each key.
 *
 * The whole dictionary is parsed as in the RFC, since one with a single mistake has no effect; values that are not
 * tokens become the empty string.
 */

/** The values of each key in their order; tokens unchanged. Null: not a dictionary. */
export type TokenDictionary = ReadonlyMap<string, readonly string[]>;

const key = /[a-z*][a-z0-9_.*-]*/y;
const token = /[A-Za-z*][!#$%&'*+\-.^_`|~0-9A-Za-z:/]*/y;
/** Integer, Decimal or Date; String; Byte Sequence; Boolean; Display String. */
const otherItem =
  /(?:@?-?\d{1,15}(?:\.\d{1,3})?|"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"|:[A-Za-z0-9+/=]*:|\?[01]|%"(?:[\x20\x21\x23\x24\x26-\x7e]|%[0-9a-f]{2})*")/y;

export function parseTokens(text: string): TokenDictionary | null {
  const reader = new Reader(text);
  const found = new Map<string, string[]>();
  reader.skip(/ */y);
  while (!reader.done) {
    const name = reader.take(key);
    if (name === null) return null;
    const value = reader.takeSign('=') ? item(reader) : '';
    if (value === null || !parameters(reader)) return null;
    const values = found.get(name);
    if (values === undefined) found.set(name, [value]);
    else values.push(value);
    reader.skip(/[ \t]*/y);
    if (reader.done) return found;
    if (!reader.takeSign(',')) return null;
    reader.skip(/[ \t]*/y);
    // A comma at the end is one mistake, too.
    if (reader.done) return null;
  }
  return found;
}

function item(reader: Reader): string | null {
  if (reader.takeSign('(')) return innerList(reader) ? '' : null;
  return reader.take(otherItem) === null ? reader.take(token) : '';
}

function innerList(reader: Reader): boolean {
  for (;;) {
    const blanks = reader.skip(/ */y);
    if (reader.takeSign(')')) return true;
    if (reader.done || (!blanks && !reader.after('('))) return false;
    if (reader.take(otherItem) === null && reader.take(token) === null) return false;
    if (!parameters(reader)) return false;
  }
}

function parameters(reader: Reader): boolean {
  while (reader.takeSign(';')) {
    reader.skip(/ */y);
    if (reader.take(key) === null) return false;
    if (reader.takeSign('=') && reader.take(otherItem) === null && reader.take(token) === null) return false;
  }
  return true;
}

class Reader {
  #at = 0;
  readonly #text: string;

  constructor(text: string) {
    // §4.2: blanks at the end are discarded. By hand: `/ +$/` is quadratic on runs of blanks that end elsewhere.
    let end = text.length;
    while (end > 0 && text.charCodeAt(end - 1) === 0x20) end--;
    this.#text = text.slice(0, end);
  }

  get done(): boolean {
    return this.#at >= this.#text.length;
  }

  after(sign: string): boolean {
    return this.#text[this.#at - 1] === sign;
  }

  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#text)?.[0] ?? null;
    if (taken !== null) this.#at += taken.length;
    return taken;
  }

  takeSign(sign: string): boolean {
    if (this.#text[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }

  /** `pattern` may match nothing. Was there anything to skip? */
  skip(pattern: RegExp): boolean {
    return this.take(pattern) !== '';
  }
}
