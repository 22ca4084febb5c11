/**
 * Is a body a feed or a sitemap? Told by its root, for half of all feeds come as HTML or plain text.
 *
 * It costs nothing for a page: HTML begins with `<!DOCTYPE` or `<html`, and is recognised at its second character.
 */
const headBytes = 2_048;
const root = /^<(?:\w{1,20}:)?(?:rss|rdf|feed|urlset|sitemapindex)[\s>]/i;
const jsonFeed = /"version"\s*:\s*"https?:\\?\/\\?\/(?:www\.)?jsonfeed\.org\\?\/version\\?\//;

export function looksLikeFeed(body: Uint8Array): boolean {
  let at = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0;
  while (at < body.length && isBlank(body[at]!)) at += 1;
  if (body[at] === 0x7b) return jsonFeed.test(headOf(body, at));
  // `<!` begins a page, so it does not count here; `<?xml` may be either.
  if (body[at] !== 0x3c || body[at + 1] === 0x21 || (body[at + 1]! | 0x20) === 0x68) return false;
  const head = headOf(body, at);
  return root.test(head.slice(behindProlog(head)));
}

/** Where the first element begins: behind declarations, comments and a doctype. */
function behindProlog(head: string): number {
  let at = 0;
  for (;;) {
    while (isBlank(head.charCodeAt(at))) at += 1;
    const ending = head.startsWith('<!--', at) ? '-->' : /[?!]/.test(head[at + 1] ?? '') ? '>' : null;
    if (ending === null) return at;
    const end = head.indexOf(ending, at);
    if (end < 0) return head.length;
    at = end + ending.length;
  }
}

function headOf(body: Uint8Array, from: number): string {
  return String.fromCharCode(...body.subarray(from, from + headBytes));
}

function isBlank(c: number): boolean {
  return c === 0x20 || (c >= 0x09 && c <= 0x0d);
}
