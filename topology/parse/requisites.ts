/**
 * What a page is built of: styles, scripts, pictures, fonts; of a page's HTML, and of a style sheet.
 *
 * One pass, linear in the input, that looks only at the elements which load something; for those who keep pages to show
 * them again. What scripts load is not seen. Sources: HTML standard §4.2.4, §4.8 (`link`, `img`, `srcset`); CSS Values 4
 * §4.5 (`url()`), CSS Cascade 5 §2 (`@import`).
 */
import { decodeAttribute } from './entities.ts';
import { resolveHttp } from './hrefs.ts';
import { parseLimits } from './parse-limits.ts';

/** `rel` words of links that a page loads. */
const loadedRels = /(?:^|\s)(?:stylesheet|icon|apple-touch-icon|mask-icon|preload|modulepreload|manifest)(?:\s|$)/i;
const tagNames =
  /(?:link|script|img|image|source|video|audio|track|input|embed|object|use|style|body|table|td|base)\b/iy;
const attributePattern = /([^\s"'<>/=]+)(?:\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'=<>`]+)))?/g;
const cssPattern =
  /url\(\s{0,20}(?:"([^"\n]{0,4096})"|'([^'\n]{0,4096})'|([^)"'\s]{1,4096}))|@import\s{1,20}(?:"([^"\n]{0,4096})"|'([^'\n]{0,4096})')/gi;
/** Attributes by which elements name what they load, by their rules below. */
const plainAttributes = ['src', 'poster', 'data', 'background'];

/** Absolute URLs, each once, in the order of the document; `requisitesMax` at most. */
export function htmlRequisites(html: string, url: string): string[] {
  const found: string[] = [];
  let base = url;
  for (let at = html.indexOf('<'); at >= 0 && found.length < parseLimits.requisitesMax; at = html.indexOf('<', at)) {
    if (html.startsWith('<!--', at)) {
      // `<!-->` is one as well (HTML standard §13.2.5.43).
      const end = html.indexOf('-->', at + 2);
      if (end < 0) break;
      at = end + 3;
      continue;
    }
    at += 1;
    tagNames.lastIndex = at;
    const name = tagNames.exec(html)?.[0]?.toLowerCase();
    const start = at;
    at = tagEnd(html, at);
    const tag = html.slice(start + (name?.length ?? 0), Math.min(at, start + parseLimits.requisiteTagChars));
    if (name === undefined) {
      if (tag.includes('style')) found.push(...cssUrls(attributesOf(tag).get('style') ?? ''));
      continue;
    }
    const attributes = attributesOf(tag);
    if (name === 'base') {
      if (base === url) base = resolveHttp(attributes.get('href') ?? '', url) ?? url;
    } else found.push(...namedBy(name, attributes).filter((one) => one !== ''));
    if (name === 'style' || name === 'script') {
      const end = endOfRaw(html, name, at);
      if (name === 'style') found.push(...cssUrls(html.slice(at, end)));
      at = end;
    }
  }
  return absolute(found, base);
}

export function cssRequisites(css: string, url: string): string[] {
  return absolute(cssUrls(css), url);
}

function namedBy(name: string, attributes: ReadonlyMap<string, string>): string[] {
  const named = cssUrls(attributes.get('style') ?? '');
  if (name === 'link') {
    if (loadedRels.test(attributes.get('rel') ?? '')) {
      named.push(attributes.get('href') ?? '', ...candidates(attributes.get('imagesrcset') ?? ''));
    }
    return named;
  }
  for (const attribute of plainAttributes) named.push(attributes.get(attribute) ?? '');
  if (name === 'image' || name === 'use') named.push(attributes.get('href') ?? attributes.get('xlink:href') ?? '');
  return [...named, ...candidates(attributes.get('srcset') ?? '')];
}

/** Behind the `>` of the tag that is under way; a `>` in quotes does not end it. */
function tagEnd(html: string, from: number): number {
  let quote = 0;
  for (let at = from; at < html.length; at++) {
    const code = html.charCodeAt(at);
    if (quote !== 0) {
      if (code === quote) quote = 0;
    } else if (code === 0x3e) return at + 1;
    else if ((code === 0x22 || code === 0x27) && html.charCodeAt(at - 1) === 0x3d) quote = code;
  }
  return html.length;
}

function endOfRaw(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi');
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

/** The URLs of a `srcset`: the first word of each candidate. */
function candidates(srcset: string): string[] {
  return srcset.split(/,\s+|,$/).map((candidate) => candidate.trim().split(/\s/, 1)[0]!);
}

function cssUrls(css: string): string[] {
  const urls: string[] = [];
  for (const [, ...groups] of css.matchAll(cssPattern)) {
    if (urls.length >= parseLimits.requisitesMax) break;
    urls.push(groups.find((group) => group !== undefined) ?? '');
  }
  return urls;
}

function absolute(found: readonly string[], base: string): string[] {
  const urls = new Set<string>();
  for (const written of found) {
    const href = written.trim();
    if (href === '' || href.startsWith('#') || href.length > parseLimits.hrefCharsMax) continue;
    const link = resolveHttp(href, base);
    if (link !== null) urls.add(link.split('#', 1)[0]!);
    if (urls.size >= parseLimits.requisitesMax) break;
  }
  return [...urls];
}
