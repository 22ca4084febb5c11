/**
 * Finds a topic's hub, and the URL that the topic uses for itself: WebSub discovery (W3C Recommendation 2018, §4). Link
 * headers come first, then link elements of a feed or of an HTML page. Pure text in, URLs out; one pass for any text.
 */
import { canParse } from '../../url/can-parse.ts';

export interface HubLinks {
  /** Absolute. */
  readonly hubs: readonly string[];
  /** The URL that the topic uses for itself; if it has none, the requested URL. */
  readonly self: string;
}

/** `linkHeaders`: values of all Link fields. `url`: the requested URL of the topic. */
export function hubLinks(linkHeaders: readonly string[], text: string, url: string): HubLinks {
  const fromHeaders = collect(linkHeaders.flatMap(headerLinks), url);
  const fromText = fromHeaders.hubs.length > 0 ? { hubs: [], self: undefined } : collect(elementLinks(text), url);
  const hubs = [...new Set([...fromHeaders.hubs, ...fromText.hubs])];
  return { hubs, self: fromHeaders.self ?? fromText.self ?? url };
}

interface RelLink {
  readonly rel: string;
  readonly href: string;
}

function collect(
  links: readonly RelLink[],
  base: string,
): { readonly hubs: string[]; readonly self: string | undefined } {
  const hubs: string[] = [];
  let self: string | undefined;
  for (const { rel, href } of links) {
    const names = rel.toLowerCase().split(/\s+/);
    if (!canParse(href, base)) continue;
    const { href: absolute, protocol } = new URL(href, base);
    if (protocol !== 'http:' && protocol !== 'https:') continue;
    if (names.includes('hub')) hubs.push(absolute);
    if (names.includes('self')) self ??= absolute;
  }
  return { hubs, self };
}

/** RFC 8288 §3: `<URL>; rel="hub", <URL>; rel=self`. */
function headerLinks(value: string): RelLink[] {
  const links: RelLink[] = [];
  for (let at = value.indexOf('<'); at >= 0; ) {
    const end = value.indexOf('>', at);
    if (end < 0) break;
    const next = value.indexOf('<', end);
    const parameters = value.slice(end + 1, next < 0 ? undefined : next);
    const rel = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i.exec(parameters);
    if (rel !== null) links.push({ rel: rel[1] ?? rel[2] ?? '', href: value.slice(at + 1, end) });
    at = next;
  }
  return links;
}

/** `<link …>`, `<atom:link …>`: no more of markup matters here. */
function elementLinks(text: string): RelLink[] {
  const links: RelLink[] = [];
  for (let at = text.indexOf('<'); at >= 0; ) {
    const end = text.indexOf('>', at);
    if (end < 0) break;
    const tag = text.slice(at, Math.min(end, at + tagCharsMax));
    if (/^<(?:\w{1,20}:)?link\s/i.test(tag)) {
      const rel = attribute(tag, 'rel');
      const href = attribute(tag, 'href');
      if (rel !== undefined && href !== undefined) links.push({ rel, href });
    }
    at = text.indexOf('<', end);
  }
  return links;
}

const tagCharsMax = 4_096;
const patterns = { rel: attributePattern('rel'), href: attributePattern('href') };

function attribute(tag: string, name: 'rel' | 'href'): string | undefined {
  const match = patterns[name].exec(tag);
  return (match?.[1] ?? match?.[2])?.replaceAll('&amp;', '&');
}

function attributePattern(name: string): RegExp {
  return new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i');
}
