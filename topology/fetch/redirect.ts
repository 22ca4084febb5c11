/**
 * The target of a redirect (RFC 9110 §10.2.2, §15.4; Fetch standard, "location URL").
 *
 * Only 301, 302, 303, 307 and 308 redirect; 300, 304, 305 and 306 do not. The caller detects loops and limits the
 * redirect count.
 */
import { canParse } from '../url/can-parse.ts';
import { withoutPlainFragment } from '../url/fragment.ts';

export function isRedirectStatus(status: number): boolean {
  return status === 301 || status === 302 || status === 303 || status === 307 || status === 308;
}

/**
 * The http(s) URL to go to, without fragment (except `#!…`); null if the response is no redirect, or its target is
 * not http(s). `location`: as received, one character per byte (latin1). Bytes beyond ASCII are decoded as UTF-8 if
 * they are valid UTF-8; otherwise they are escaped byte by byte, as browsers do.
 */
export function redirectTarget(url: string, status: number, location: string | null): string | null {
  if (!isRedirectStatus(status) || location === null) return null;
  const reference = fromBytes(location);
  if (!canParse(reference, url)) return null;
  const target = new URL(reference, url);
  if (target.protocol !== 'http:' && target.protocol !== 'https:') return null;
  return withoutPlainFragment(target.href);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

function fromBytes(value: string): string {
  // Characters beyond a byte mean that the value was decoded already.
  if (!/[\x80-\xff]/.test(value) || /[^\0-\xff]/.test(value)) return value;
  try {
    return strictUtf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`);
  }
}
