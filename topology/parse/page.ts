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
import { createHrefs, type Resolved, resolveHttp } from './hrefs.ts';
import { Landmarks } from './landmarks.ts';
import { type LinkSpelling, linkSpelling } from './legacy-encodings.ts';
import { meaningOf } from './link-element.ts';
import { parseRefresh, type Refresh } from './meta-refresh.ts';
import { parseLimits } from './parse-limits.ts';
import { richLimits } from './rich/rich-limits.ts';
import { type Attribute, attribute, scanHtml } from './scan.ts';
import { collapseBlanks, createText, cut } from './text.ts';

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

export function parsePage(body: Uint8Array | string, options: ParseOptions): ParsedPage {
  const cutShort = body.length > options.byteBudget;
  const { text: html, charset, tentative } = decoded(body, options);
  const tokens = lowerTokens(options.productToken);
  const hrefs = createHrefs(options.linksMax);
  const nofollowed = createHrefs(richLimits.nofollowedMax);
  const text = createText(options.textCharsMax, asAscii(body, html, charset));
  let robots = headerDirectives(options.robotsTags, options.productToken);
  let title = '';
  let titleSeen = false;
  let description = '';
  let canonicalHref = '';
  let baseHref = '';
  let declaredLanguage = '';
  let refresh: Refresh | null = null;
  const usageMetas = new UsageMetas();
  let lateCharset: string | null = null;
  /** Inside raw text: its element. */
  let raw: Element | null = null;
  let hiddenDepth = 0;
  let svgDepth = 0;
  let feedSeen = false;
  const landmarks = new Landmarks();

  const readUsage = (name: string, value: (name: Attribute) => string) => {
    const lower = name.trim().toLowerCase();
    if (!namesUsage(lower, tokens)) return;
    const content = value(attribute.content);
    if (saysUsage(lower, content)) usageMetas.add({ name: lower, content });
  };
  const readMeta = (value: (name: Attribute) => string) => {
    if (tentative) lateCharset ??= declaredIn(value);
    const name = value(attribute.name);
    if (name !== '') {
      readUsage(name, value);
      if (isRobotsName(name, tokens)) robots = bothDirectives(robots, metaDirectives(value(attribute.content)));
      else if (description === '' && name.trim().toLowerCase() === 'description') {
        description = cut(collapseBlanks(value(attribute.content)), parseLimits.descriptionCharsMax);
      }
    } else {
      const equivalent = value(attribute.httpEquiv);
      if (equivalent !== '') readUsage(equivalent, value);
      if (refresh === null && equivalent.trim().toLowerCase() === 'refresh') {
        refresh = parseRefresh(value(attribute.content));
      }
    }
  };
  const readLink = (value: (name: Attribute) => string) => {
    const rel = value(attribute.rel).trim().toLowerCase().split(/\s+/);
    const href = value(attribute.href);
    if (href === '' || rel.includes('stylesheet') || isNofollow(value(attribute.rel))) return;
    if (rel.includes('canonical') && canonicalHref === '') canonicalHref = href;
    const meaning = meaningOf(rel, value(attribute.type));
    if (meaning === 'none' || (meaning === 'feed' && feedSeen)) return;
    feedSeen ||= meaning === 'feed';
    hrefs.add(href);
  };

  const readBase = (href: string) => {
    // Inside a template or noscript, a browser's user does not see it.
    if (hiddenDepth === 0) baseHref ||= href;
  };

  const complete = scanHtml(
    html,
    {
      open(kind, value, isRaw) {
        if (kind === element.inline) return;
        if (kind === element.a || kind === element.area) {
          const href = value(attribute.href);
          if (href !== '') (isNofollow(value(attribute.rel)) ? nofollowed : hrefs).add(href, landmarks.here);
          return;
        }
        text.breakHere();
        if (kind === element.block) return;
        if (kind >= element.main) return landmarks.pass(kind, 1);
        if (kind === element.html) declaredLanguage ||= languageTag(value(attribute.lang));
        else if (kind === element.meta) readMeta(value);
        else if (kind === element.link) readLink(value);
        else if (kind === element.base) readBase(value(attribute.href));
        else if (kind === element.hidden) hiddenDepth += 1;
        else if (kind === element.svg) svgDepth += 1;
        else if (kind === element.frame || kind === element.iframe) {
          const src = value(attribute.src);
          if (src !== '') hrefs.add(src);
        }
        if (isRaw) raw = kind;
      },
      close(kind) {
        if (kind === element.inline || kind === element.a) return;
        text.breakHere();
        if (kind >= element.main) return landmarks.pass(kind, -1);
        // The tokeniser ends raw text at its own end tag only, so this is it.
        if (raw === element.title && svgDepth === 0) titleSeen = true;
        raw = null;
        if (kind === element.hidden && hiddenDepth > 0) hiddenDepth -= 1;
        else if (kind === element.svg && svgDepth > 0) svgDepth -= 1;
      },
      text(start, end) {
        if (raw === null || isShownRaw(raw)) {
          if (hiddenDepth === 0) text.add(html, start, end);
        } else if (raw === element.title && !titleSeen && svgDepth === 0) {
          const written = html.slice(start, Math.min(end, start + parseLimits.titleCharsMax * 33));
          title = cut(collapseBlanks(decodeText(written.replaceAll('\0', '\ufffd'))), parseLimits.titleCharsMax);
        }
      },
    },
    options.expired,
  );

  // The first declaration counts, wherever it is. If the page was decoded in another encoding, it is parsed again.
  if (lateCharset !== null && lateCharset !== charset) {
    return parsePage(body, { ...options, contentType: `text/html;charset=${lateCharset}` });
  }
  const spell = linkSpelling(charset);
  const base = (baseHref !== '' && resolveHttp(spell(baseHref), options.url)) || options.url;
  const { links, places, dropped } = robots.nofollow ? noLinks : hrefs.resolve(base, options.url, spell);
  const left = nofollowed.resolve(base, options.url, spell).links;
  if (robots.nofollow) left.push(...hrefs.resolve(base, options.url, spell).links.slice(0, richLimits.nofollowedMax));
  return {
    links,
    ...(places.size > 0 && { places }),
    linksDropped: dropped,
    nofollowed: left.slice(0, richLimits.nofollowedMax),
    title,
    description,
    text: text.finish(),
    canonical: (canonicalHref !== '' && resolveHttp(spell(canonicalHref), base)) || '',
    base,
    metaRefresh: resolveRefresh(refresh, base, spell),
    robots,
    ...(usageMetas.all.length > 0 && { usageMetas: usageMetas.all }),
    declaredLanguage,
    charset,
    complete: complete && !cutShort,
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
