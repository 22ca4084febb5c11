/**
 * Page requisites: the styles, scripts, pictures and fonts that HTML or a style sheet loads. They serve users who
 * keep pages to display them again.
 *
 * One pass, linear in the input, that reads only elements that load something. Files that scripts load are not found.
 * Sources: HTML standard §4.2.4, §4.8 (`link`, `img`, `srcset`); CSS Values 4 §4.5 (`url()`), CSS Cascade 5 §2
 * (`@import`).
 */
import { decodeAttribute } from './entities.ts';
import { resolveHttp, stripped } from './hrefs.ts';
import type { LinkSpelling } from './legacy-encodings.ts';
import { parseLimits } from './parse-limits.ts';
import { srcsetUrls } from './srcset.ts';

/** `rel` words of links that a page loads. */
const loadedRels = /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
const tagNames =
  /(?:link|script|img|image|source|video|audio|track|input|embed|object|use|style|body|table|td|base|textarea|title|xmp|iframe|noembed|noframes)(?=[\s/>]|$)/iy;
/** Elements with text content up to their own end tag (HTML standard §13.2.6.4.7). */
const rawNames = /^(?:style|script|textarea|title|xmp|iframe|noembed|noframes)$/;
/** An unquoted value ends at white space or at the tag's end, and at nothing else (§13.2.5.38). */
const attributePattern = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"'][^\s>]*)))?/g;
/** An escape stands for one character, which may be the one that would end the value (CSS Syntax 3 §4.3.7). */
const cssPattern =
  /url\(\s*(?:"((?:[^"\\\n]|\\.){0,4096})"|'((?:[^'\\\n]|\\.){0,4096})'|((?:[^)"'\s\\]|\\.){1,4096}))|@import\s*(?:"((?:[^"\\\n]|\\.){0,4096})"|'((?:[^'\\\n]|\\.){0,4096})')/gis;
const cssEscape = /\\(?:([0-9a-f]{1,6})\s?|\r?\n|(.))/gis;
/** Attributes with one URL that the element loads. */
const plainAttributes = ['src', 'poster', 'data', 'background'];

/**
 * Absolute URLs of requisites, each once, in document order; at most `requisitesMax`. `spell`: escapes a link in the
 * page's encoding.
 */
export function htmlRequisites(html: string, url: string, spell: LinkSpelling = (href) => href): string[] {
  const found = new Written();
  let base = url;
  for (let at = html.indexOf('<'); at >= 0 && !found.full; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      at = commentEnd(html, at);
      continue;
    }
    at += 1;
    tagNames.lastIndex = at;
    const name = tagNames.exec(html)?.[0]?.toLowerCase();
    const start = at;
    at = tagEnd(html, at);
    const tag = html.slice(start + (name?.length ?? 0), Math.min(at, start + parseLimits.requisiteTagChars));
    if (name === undefined) {
      if (/style/i.test(tag)) found.addCss(attributesOf(tag).get('style') ?? '');
      continue;
    }
    const attributes = attributesOf(tag);
    if (name === 'base') {
      if (base === url) base = resolveHttp(spell(attributes.get('href') ?? ''), url) ?? url;
    } else {
      found.addCss(attributes.get('style') ?? '');
      for (const one of namedBy(name, attributes)) found.add(one);
    }
    if (rawNames.test(name)) {
      const end = endOfRaw(html, name, at);
      if (name === 'style') found.addCss(html.slice(at, end));
      at = end;
    }
  }
  return absolute(found.hrefs, base, spell);
}

/** Distinct URLs as written: pages may repeat a picture hundreds of times. */
class Written {
  readonly hrefs = new Set<string>();

  get full(): boolean {
    return this.hrefs.size >= parseLimits.requisitesMax * parseLimits.hrefsPerLink;
  }

  add(written: string): void {
    const href = stripped(written);
    if (href === '' || this.full || href.startsWith('#') || /^data:/i.test(href)) return;
    if (href.length <= parseLimits.hrefCharsMax) this.hrefs.add(href);
  }

  addCss(css: string): void {
    if (css === '') return;
    for (const [, ...groups] of css.matchAll(cssPattern)) {
      if (this.full) return;
      this.add(unescaped(groups.find((group) => group !== undefined) ?? ''));
    }
  }
}

function unescaped(css: string): string {
  if (!css.includes('\\')) return css;
  return css.replace(cssEscape, (_, hex?: string, char = '') => (hex === undefined ? char : characterOf(hex)));
}

function characterOf(hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? '\ufffd' : String.fromCodePoint(code);
}

/** Index after a comment that begins at `at`; the end of the input if nothing ends it (HTML standard §13.2.5.43–52). */
function commentEnd(html: string, at: number): number {
  const short = /^<!--(?:>|->)/.exec(html.slice(at, at + 6));
  if (short !== null) return at + short[0].length;
  const end = /--!?>/g;
  end.lastIndex = at + 4;
  return end.exec(html) === null ? html.length : end.lastIndex;
}

export function cssRequisites(css: string, url: string): string[] {
  const found = new Written();
  found.addCss(css);
  return absolute(found.hrefs, url);
}

function namedBy(name: string, attributes: ReadonlyMap<string, string>): string[] {
  const named: string[] = [];
  if (name === 'link') {
    if (loadedRels.test(attributes.get('rel') ?? '')) {
      named.push(
        attributes.get('href') ?? '',
        ...srcsetUrls(attributes.get('imagesrcset') ?? '', parseLimits.requisitesMax),
      );
    }
    return named;
  }
  for (const attribute of plainAttributes) named.push(attributes.get(attribute) ?? '');
  if (name === 'image' || name === 'use') named.push(attributes.get('href') ?? attributes.get('xlink:href') ?? '');
  return [...named, ...srcsetUrls(attributes.get('srcset') ?? '', parseLimits.requisitesMax)];
}

/** Index after the `>` of the current tag; a `>` in a quoted value does not end it. */
function tagEnd(html: string, from: number): number {
  let quote = 0;
  /** True after an equals sign, as long as only white space follows. */
  let atValue = false;
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x3e) return at + 1;
    else if (code === 0x3d) atValue = true;
    else if (code > 0x20) {
      if (atValue && (code === 0x22 || code === 0x27)) quote = code;
      atValue = false;
    }
  }
  return html.length;
}

function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}[\\s/>]`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? html.length;
}

/** The first of a name counts. */
function attributesOf(tag: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name, double, single, bare] of tag.matchAll(attributePattern)) {
    const key = name!.toLowerCase();
    if (!attributes.has(key)) attributes.set(key, decodeAttribute(double ?? single ?? bare ?? ''));
  }
  return attributes;
}

function absolute(found: Iterable<string>, base: string, spell: LinkSpelling = (href) => href): string[] {
  const urls = new Set<string>();
  for (const written of found) {
    const link = resolveHttp(spell(written), base);
    if (link !== null) urls.add(link.split('#', 1)[0]!);
    if (urls.size >= parseLimits.requisitesMax) break;
  }
  return [...urls];
}
