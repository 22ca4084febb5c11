/**
 * Is it a URL (WHATWG URL Standard, §4.4), by itself or beside `base`?
 *
 * Not by `URL.canParse`: that of Node 20.20 says no to every URL with a character from U+0080 to U+00FF once V8 has compiled its
 * caller, after some thousand calls.
 */
export function canParse(url: string, base?: string): boolean {
  try {
    return new URL(url, base).href !== '';
  } catch {
    return false;
  }
}
