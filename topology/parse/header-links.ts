/**
 * Link and Refresh header fields, which say what `link` elements and a meta refresh would (RFC 8288; HTML standard, "The
 * Refresh header" and "Processing Link headers"), on answers of any type.
 */

import { resolveHttp } from './hrefs.ts';
import { meaningOf } from './link-element.ts';
import { parseRefresh } from './meta-refresh.ts';
import type { ParsedPage } from './page.ts';

interface HeaderLink {
  /** As written, not yet resolved. */
  readonly href: string;
  /** Value by lower-case name; of repeated names, the first (RFC 8288 §3.3). */
  readonly parameters: ReadonlyMap<string, string>;
}

/**
 * Adds links from header fields to the page. The page's canonical takes precedence; a Refresh field takes precedence
 * over the page's.
 */
export function withHeaderLinks(
  page: ParsedPage,
  url: string,
  {
    link,
    refresh,
    linksMax,
  }: { readonly link: readonly string[]; readonly refresh: string; readonly linksMax: number },
): ParsedPage {
  if (link.length === 0 && refresh === '') return page;
  const found = new Set(page.links);
  let { canonical, linksDropped } = page;
  for (const { href, parameters } of link.flatMap(parseLinkField)) {
    const target = resolveHttp(href, url);
    const rel = (parameters.get('rel') ?? '').trim().toLowerCase().split(/\s+/);
    // A link with another context than the page does not concern the page.
    const anchor = parameters.get('anchor');
    if (target === null || (anchor !== undefined && resolveHttp(anchor, url) !== resolveHttp('', url))) continue;
    if (rel.includes('nofollow') || rel.includes('stylesheet')) continue;
    if (rel.includes('canonical') && canonical === '') canonical = target;
    if (page.robots.nofollow || meaningOf(rel, parameters.get('type') ?? '') === 'none' || found.has(target)) continue;
    if (found.size < linksMax) found.add(target);
    else linksDropped += 1;
  }
  const said = refresh === '' ? null : parseRefresh(refresh);
  const to = said === null ? null : resolveHttp(said.href, url);
  const metaRefresh = said === null || to === null ? page.metaRefresh : { url: to, delaySeconds: said.delaySeconds };
  return { ...page, links: [...found], linksDropped, canonical, metaRefresh };
}

/**
 * Parses a Link field leniently, by Appendix B.2 of RFC 8288. Malformed text ends the field; the links before it
 * count.
 */
function parseLinkField(field: string): HeaderLink[] {
  const links: HeaderLink[] = [];
  let at = 0;
  const skip = (chars: string) => {
    while (at < field.length && chars.includes(field[at]!)) at++;
  };
  for (;;) {
    skip(' \t,');
    if (field[at] !== '<') return links;
    const end = field.indexOf('>', at);
    if (end < 0) return links;
    const href = field.slice(at + 1, end).trim();
    const parameters = new Map<string, string>();
    at = end + 1;
    for (;;) {
      skip(' \t');
      if (field[at] !== ';') break;
      skip(' \t;');
      const [name, value] = parameter();
      if (name !== '' && !parameters.has(name)) parameters.set(name, value);
    }
    links.push({ href, parameters });
  }

  function parameter(): [name: string, value: string] {
    const name = until('=;, \t').toLowerCase();
    skip(' \t');
    if (field[at] !== '=') return [name, ''];
    at += 1;
    skip(' \t');
    if (field[at] !== '"') return [name, until(';,').trim()];
    let value = '';
    for (at += 1; at < field.length && field[at] !== '"'; at++) {
      if (field[at] === '\\') at += 1;
      value += field[at] ?? '';
    }
    at += 1;
    return [name, value];
  }

  function until(ends: string): string {
    const start = at;
    while (at < field.length && !ends.includes(field[at]!)) at++;
    return field.slice(start, at);
  }
}
