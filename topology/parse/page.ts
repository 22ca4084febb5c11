/**
 * One HTML page, read in a single pass: links, title, description, text, canonical, base, refresh, robots directives.
 *
 * Pure and bounded: `byteBudget` cuts the input, the scanner calls `expired` between slices, and the work is linear
 * in the input, whatever the markup. If a page is cut or runs out of time, the result has what was found so far.
 *
 * Links are `a` and `area` (except rel=nofollow, ugc, sponsored), `iframe` and `frame`, and the `link` elements that
 * lead to pages (link-element.ts). The first `<base href>` applies to the whole page, before and after it. A page
 * with nofollow has no links. A meta refresh is reported, and the caller may follow it like a redirect.
 */

import type { FoundIn } from '../../schemas/types.ts';
import { isRobotsName, lowerTokens, type ProductTokens } from '../robots/product-token.ts';
import { namesUsage, saysUsage, type UsageMeta, UsageMetas } from '../usage/response-usage.ts';
import { charsetParameter, decodePage, metaCharset } from './charset.ts';
import { bothDirectives, type Directives, headerDirectives, metaDirectives } from './directives.ts';
import { type Element, element, isShownRaw } from './elements.ts';
import { decodeText } from './entities.ts';
import { createHrefs, type HrefCollector, type Resolved, resolveHttp } from './hrefs.ts';
import { Landmarks } from './landmarks.ts';
import { type LinkSpelling, linkSpelling } from './legacy-encodings.ts';
import { meaningOf } from './link-element.ts';
import { parseRefresh, type Refresh } from './meta-refresh.ts';
import { parseLimits } from './parse-limits.ts';
import { richLimits } from './rich/rich-limits.ts';
import { type Attribute, attribute, type HtmlEvents, scanHtml } from './scan.ts';
import { collapseBlanks, createText, cut, type TextCollector } from './text.ts';

export interface ParseOptions {
  /** URL of the page. */
  readonly url: string;
  /** Content-Type header; null: not sent. */
  readonly contentType: string | null;
  /** Each X-Robots-Tag header. */
  readonly robotsTags: readonly string[];
  /** Our token in robots.txt, for statements addressed to us. */
  readonly productToken: ProductTokens;
  readonly linksMax: number;
  readonly textCharsMax: number;
  /** Bytes that are read (characters, if the body is a string). */
  readonly byteBudget: number;
  /** Is the time for this page up? */
  readonly expired: () => boolean;
}

export interface ParsedPage {
  /**
   * Absolute, without fragments, in document order, each once; if there are too many, those to the page's host come
   * first.
   */
  readonly links: readonly string[];
  /** Positions of links on the page, for links with a known position. Absent: all unknown. */
  readonly places?: ReadonlyMap<string, FoundIn>;
  /** Distinct links beyond `linksMax`. */
  readonly linksDropped: number;
  /**
   * Absolute: links that are not followed because they, or the page, say nofollow; the first `nofollowedMax` of them.
   */
  readonly nofollowed: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly text: string;
  /** Absolute; empty: none. */
  readonly canonical: string;
  /** Base URL of hrefs. */
  readonly base: string;
  /** `url` is absolute. */
  readonly metaRefresh: { readonly url: string; readonly delaySeconds: number } | null;
  readonly robots: Directives;
  /** Meta elements about how the page may be used. Absent: none. */
  readonly usageMetas?: readonly UsageMeta[];
  /** Value of `<html lang>` (BCP 47), in lower case; empty: none. */
  readonly declaredLanguage: string;
  /** WHATWG name of the encoding the body was read in. */
  readonly charset: string;
  /** False if the budget or the deadline cut the page. */
  readonly complete: boolean;
}

/** The statements of a page about itself: title, meta, link and base elements, and the headers about robots. */
class PageHead {
  readonly #tokens: readonly string[];
  readonly #isTentative: boolean;
  readonly usageMetas = new UsageMetas();
  robots: Directives;
  title = '';
  description = '';
  /** As written; empty: none. */
  canonicalHref = '';
  /** As written; empty: none. */
  baseHref = '';
  declaredLanguage = '';
  refresh: Refresh | null = null;
  /** The encoding that a meta element declares, if the page was decoded in another one by guess. */
  lateCharset: string | null = null;
  #feedSeen = false;

  /** `isTentative`: the encoding is a guess, and a meta element may declare another one. */
  constructor({ robotsTags, productToken }: ParseOptions, isTentative: boolean) {
    this.#tokens = lowerTokens(productToken);
    this.#isTentative = isTentative;
    this.robots = headerDirectives(robotsTags, productToken);
  }

  readMeta(value: (name: Attribute) => string): void {
    if (this.#isTentative) this.lateCharset ??= declaredIn(value);
    const name = value(attribute.name);
    if (name !== '') {
      this.#readUsage(name, value);
      if (isRobotsName(name, this.#tokens)) {
        this.robots = bothDirectives(this.robots, metaDirectives(value(attribute.content)));
      } else if (this.description === '' && name.trim().toLowerCase() === 'description') {
        this.description = cut(collapseBlanks(value(attribute.content)), parseLimits.descriptionCharsMax);
      }
    } else {
      const equivalent = value(attribute.httpEquiv);
      if (equivalent !== '') this.#readUsage(equivalent, value);
      if (this.refresh === null && equivalent.trim().toLowerCase() === 'refresh') {
        this.refresh = parseRefresh(value(attribute.content));
      }
    }
  }

  #readUsage(name: string, value: (name: Attribute) => string): void {
    const lower = name.trim().toLowerCase();
    if (!namesUsage(lower, this.#tokens)) return;
    const content = value(attribute.content);
    if (saysUsage(lower, content)) this.usageMetas.add({ name: lower, content });
  }

  /** Returns the href of a link element, as written, if a crawl follows it; otherwise an empty string. */
  readLink(value: (name: Attribute) => string): string {
    const rel = value(attribute.rel).trim().toLowerCase().split(/\s+/);
    const href = value(attribute.href);
    if (href === '' || rel.includes('stylesheet') || isNofollow(value(attribute.rel))) return '';
    if (rel.includes('canonical') && this.canonicalHref === '') this.canonicalHref = href;
    const meaning = meaningOf(rel, value(attribute.type));
    if (meaning === 'none' || (meaning === 'feed' && this.#feedSeen)) return '';
    this.#feedSeen ||= meaning === 'feed';
    return href;
  }

  readTitle(written: string): void {
    this.title = cut(collapseBlanks(decodeText(written.replaceAll('\0', '\ufffd'))), parseLimits.titleCharsMax);
  }
}

/** Reads a page as the scanner goes over it: its links, its text, and its head. */
class PageReader implements HtmlEvents {
  readonly #html: string;
  readonly #shownText: TextCollector;
  readonly #landmarks = new Landmarks();
  readonly head: PageHead;
  readonly hrefs: HrefCollector;
  readonly nofollowed = createHrefs(richLimits.nofollowedMax);
  /** Inside raw text: its element. */
  #raw: Element | null = null;
  #hiddenDepth = 0;
  #svgDepth = 0;
  #titleSeen = false;

  constructor(html: string, head: PageHead, shownText: TextCollector, linksMax: number) {
    this.#html = html;
    this.head = head;
    this.#shownText = shownText;
    this.hrefs = createHrefs(linksMax);
  }

  open(kind: Element, value: (name: Attribute) => string, isRaw: boolean): void {
    if (kind === element.inline) return;
    if (kind === element.a || kind === element.area) {
      const href = value(attribute.href) || (this.#svgDepth > 0 ? value(attribute.xlinkHref) : '');
      if (href === '') return;
      (isNofollow(value(attribute.rel)) ? this.nofollowed : this.hrefs).add(href, this.#landmarks.here);
      return;
    }
    this.#shownText.breakHere();
    if (kind === element.block) return;
    if (kind >= element.main) return this.#landmarks.pass(kind, 1);
    this.#openRare(kind, value);
    if (isRaw) this.#raw = kind;
  }

  /** Reads the elements that a page has few of. */
  #openRare(kind: Element, value: (name: Attribute) => string): void {
    const { head } = this;
    if (kind === element.html) head.declaredLanguage ||= languageTag(value(attribute.lang));
    else if (kind === element.meta) head.readMeta(value);
    else if (kind === element.link) this.#follow(head.readLink(value));
    else if (kind === element.base) {
      // Inside a template or noscript, a browser's user does not see it.
      if (this.#hiddenDepth === 0) head.baseHref ||= value(attribute.href);
    } else if (kind === element.hidden) this.#hiddenDepth += 1;
    else if (kind === element.svg) this.#svgDepth += 1;
    else if (kind === element.frame || kind === element.iframe) this.#follow(value(attribute.src));
  }

  /** `href`: empty if there is no link. */
  #follow(href: string): void {
    if (href !== '') this.hrefs.add(href);
  }

  close(kind: Element): void {
    if (kind === element.inline || kind === element.a) return;
    this.#shownText.breakHere();
    if (kind >= element.main) return this.#landmarks.pass(kind, -1);
    // The tokeniser ends raw text at its own end tag only, so this is it.
    if (this.#raw === element.title && this.#svgDepth === 0) this.#titleSeen = true;
    this.#raw = null;
    if (kind === element.hidden && this.#hiddenDepth > 0) this.#hiddenDepth -= 1;
    else if (kind === element.svg && this.#svgDepth > 0) this.#svgDepth -= 1;
  }

  text(start: number, end: number): void {
    if (this.#raw === null || isShownRaw(this.#raw)) {
      if (this.#hiddenDepth === 0) this.#shownText.add(this.#html, start, end);
    } else if (this.#raw === element.title && !this.#titleSeen && this.#svgDepth === 0) {
      this.head.readTitle(this.#html.slice(start, Math.min(end, start + parseLimits.titleCharsMax * 33)));
    }
  }
}

export function parsePage(body: Uint8Array | string, options: ParseOptions): ParsedPage {
  const { text: html, charset, tentative } = decoded(body, options);
  const text = createText(options.textCharsMax, asAscii(body, html, charset));
  const head = new PageHead(options, tentative);
  const reader = new PageReader(html, head, text, options.linksMax);
  const isWhole = scanHtml(html, reader, options.expired);
  const { lateCharset, robots, canonicalHref, baseHref, usageMetas } = head;
  // The first declaration counts, wherever it is. If the page was decoded in another encoding, it is parsed again.
  if (lateCharset !== null && lateCharset !== charset) {
    return parsePage(body, { ...options, contentType: `text/html;charset=${lateCharset}` });
  }
  const spell = linkSpelling(charset);
  const base = (baseHref !== '' && resolveHttp(spell(baseHref), options.url)) || options.url;
  const { hrefs } = reader;
  const { links, places, dropped } = robots.nofollow ? noLinks : hrefs.resolve(base, options.url, spell);
  const nofollowed = reader.nofollowed.resolve(base, options.url, spell).links;
  if (robots.nofollow) {
    nofollowed.push(...hrefs.resolve(base, options.url, spell).links.slice(0, richLimits.nofollowedMax));
  }
  return {
    links,
    ...(places.size > 0 && { places }),
    linksDropped: dropped,
    nofollowed: nofollowed.slice(0, richLimits.nofollowedMax),
    title: head.title,
    description: head.description,
    text: text.finish(),
    canonical: (canonicalHref !== '' && resolveHttp(spell(canonicalHref), base)) || '',
    base,
    metaRefresh: resolveRefresh(head.refresh, base, spell),
    robots,
    ...(usageMetas.all.length > 0 && { usageMetas: usageMetas.all }),
    declaredLanguage: head.declaredLanguage,
    charset,
    complete: isWhole && body.length <= options.byteBudget,
  };
}

const noLinks: Resolved = { links: [], places: new Map(), dropped: 0 };
const nofollow = /(?:^|\s)(?:nofollow|ugc|sponsored)(?:\s|$)/i;

function isNofollow(rel: string): boolean {
  return rel !== '' && nofollow.test(rel);
}

/**
 * The body as bytes, if each character of the page is one byte. A malformed byte would also be one character: U+FFFD.
 */
function asAscii(body: Uint8Array | string, html: string, charset: string): Uint8Array | null {
  if (typeof body === 'string' || charset !== 'utf-8' || body.length !== html.length) return null;
  return html.includes('\ufffd') ? null : body;
}

/** Anything longer is not a language tag (RFC 5646 §4.4.1). */
function languageTag(value: string): string {
  return cut(value.trim().toLowerCase(), 35);
}

/** The encoding that a meta element declares; null: it declares none. */
function declaredIn(value: (name: Attribute) => string): string | null {
  const label =
    value(attribute.charset) ||
    (value(attribute.httpEquiv).toLowerCase() === 'content-type' && charsetParameter(value(attribute.content))) ||
    '';
  return label === '' ? null : metaCharset(label);
}

function decoded(body: Uint8Array | string, { byteBudget, contentType }: ParseOptions) {
  if (typeof body === 'string') return { text: cut(body, byteBudget), charset: 'utf-8', tentative: false };
  return decodePage(body.length > byteBudget ? body.subarray(0, byteBudget) : body, contentType);
}

function resolveRefresh(refresh: Refresh | null, base: string, spell: LinkSpelling) {
  const url = refresh === null ? null : resolveHttp(spell(refresh.href), base);
  return refresh === null || url === null ? null : { url, delaySeconds: refresh.delaySeconds };
}
