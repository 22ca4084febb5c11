/**
 * The headers of a capture that are sent when it is shown: only those that describe the bytes. Headers that control a
 * connection, a browser or its storage (hop by hop, Set-Cookie, CSP, HSTS, Link, Refresh, CORS, …) came from another
 * server and are not sent.
 */

/**
 * Policy for archived content: no scripts, no connections, and resources from this server alone. It is `sandbox`ed,
 * so that it starts no plugins, dialogs or windows and does not navigate. It keeps an origin, for its fonts and
 * frames, but no script ever runs in that origin.
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
 * Policy for the page around an archived page: the content of the frame can only load from this server (`frame-src`),
 * whatever link is followed, and even if a link was not rewritten.
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

/** Policy for the server's own pages: they have no origin and no scripts. */
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

/** `charset`: of the original header; null: none. */
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
