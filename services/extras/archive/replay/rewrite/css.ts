/**
 * Rewrites the links of a style sheet into the archive: `url()` (CSS Values 4 §4.5) and `@import` (CSS Cascade 5 §2).
 * One pass, linear. Links that it misses stay unchanged; the policy of every answer blocks their requests.
 */
import type { Linker } from './linker.ts';

const links =
  /(url\(\s{0,20})(?:"([^"\n]{0,4096})"|'([^'\n]{0,4096})'|([^)"'\s(]{1,4096}))(?=\s{0,20}\))|(@import\s{1,20})(?:"([^"\n]{0,4096})"|'([^'\n]{0,4096})')/gi;

export function rewriteCss(css: string, linker: Linker): string {
  return css.replaceAll(links, (whole, open, double, single, bare, at, doubleAt, singleAt) => {
    const written = double ?? single ?? bare ?? doubleAt ?? singleAt ?? '';
    const led = linker.lead(unescaped(written));
    return led === null ? whole : `${open ?? at}${quoted(led)}`;
  });
}

/** CSS Syntax 3 §4.3.7. */
function unescaped(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    /\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi,
    (_, hex: string | undefined, one: string | undefined) => {
      if (hex === undefined) return one ?? '';
      const code = Number.parseInt(hex, 16);
      return code === 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code);
    },
  );
}

/** A style sheet may be in an attribute, or in an element of a page. */
function quoted(link: string): string {
  return `"${link.replaceAll(/["\\\n<>]/g, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}
