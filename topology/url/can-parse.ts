import { withoutEnds } from './without-ends.ts';

/**
 * Is it a URL (WHATWG URL Standard, §4.4), by itself or beside `base`? Costs some tenth of a microsecond also where it is none,
 * as `new URL` takes three to throw, and a sitemap may have a million such lines.
 *
 * Not by `URL.canParse` alone: that of Node 20.20 takes characters from U+0080 to U+00FF for broken UTF-8, and says no, once V8
 * has compiled its caller, after some thousand calls. Only strings of one byte a character go that way, so a URL with others is
 * asked for with a fragment of two. (Not beside a base: the parser resolves fragments beside `mailto:` that it should not;
 * such a URL that is none costs what throwing does.)
 */
export function canParse(url: string, base?: string): boolean {
  if (ascii.test(url) && (base === undefined || ascii.test(base))) return URL.canParse(url, base);
  if (base === undefined) return URL.canParse(`${withoutEnds(url)}#\u0100`);
  try {
    return new URL(url, base).href !== '';
  } catch {
    return false;
  }
}

const ascii = /^[\0-\x7f]*$/;
