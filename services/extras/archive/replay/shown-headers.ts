/**
 * The headers of a capture that go with it when it is shown: those that say what the bytes are, and nothing else. Those that
 * govern a connection, a browser or its memory (hop by hop, Set-Cookie, CSP, HSTS, Link, Refresh, CORS, …) were of another
 * server and stay in the archive.
 */

/**
 * Archived content runs no script, opens no connection, and loads from this server alone. It is `sandbox`ed, so that it
 * starts no plugins, dialogs or windows and goes nowhere by itself. It keeps an origin, for its fonts and frames, in which no
 * script of anybody ever runs.
 */
export const capturePolicy = [
  'sandbox allow-same-origin allow-forms allow-downloads',
  "default-src 'self' data:",
  "script-src 'none'",
  "connect-src 'none'",
  "worker-src 'none'",
  "manifest-src 'none'",
  "style-src 'self' data: 'unsafe-inline'",
  "frame-src 'self'",
  "object-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

/**
 * Of the page around an archived page: what is in the frame may go only to this server (`frame-src`), whatever link is
 * followed and whatever the rewriting of links has overlooked.
 */
export const framePolicy = (styleHash: string) =>
  [
    'sandbox allow-same-origin allow-forms allow-downloads',
    "default-src 'none'",
    `style-src '${styleHash}'`,
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

/** Of the server's own pages: they are in no origin at all, and hold no script. */
export const ownPolicy = (styleHash: string) =>
  [
    'sandbox allow-forms',
    "default-src 'none'",
    `style-src '${styleHash}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');

export const everywhere: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'same-origin',
};

/** Type, subtype, and a charset; other parameters are not passed on. */
const typePattern = /^([\w.+-]+\/[\w.+-]+)\s*(?:;.*)?$/;

export interface ContentType {
  /** Lower case. Empty: none is given that could be one. */
  readonly media: string;
  /** The value that is passed on. */
  readonly header: string;
}

/** `charset`: of the header as it came; null: it names none. */
export function contentTypeOf(value: string, charset: string | null): ContentType {
  const media = typePattern.exec(value.trim())?.[1]?.toLowerCase() ?? '';
  const charsetText = charset !== null && /^[\w.:-]{1,40}$/.test(charset) ? `; charset=${charset}` : '';
  return { media, header: media === '' ? '' : `${media}${charsetText}` };
}

/** `value`: of Content-Language. */
export function languageOf(value: string): string | undefined {
  return /^[\w-]{1,35}(?:\s*,\s*[\w-]{1,35}){0,10}$/.test(value) ? value : undefined;
}

/** The name under which a browser keeps it; undefined: it is shown. */
export function dispositionOf(value: string): string | undefined {
  if (!/^attachment\b/i.test(value)) return undefined;
  const name = /filename="?([\w()+-][\w .()+-]{0,149})"?/i.exec(value)?.[1];
  return name === undefined ? 'attachment' : `attachment; filename="${name.trim()}"`;
}
