/**
 * Checks a client's URL: an http or https URL with a host, kept in its spelling. The client may name the queue.
 * Otherwise, all spellings of a host share one queue: lower-case, IDNA, no trailing dot, whatever the port.
 */

import { pullLimits } from '../../../topology/frontier/pull/pull-limits.ts';
import { canParse } from '../../../topology/url/can-parse.ts';

export type Checked = { readonly ok: true; readonly key: string } | { readonly ok: false; readonly reason: string };

/**
 * Matches nearly all URLs: a plain host, and no characters after it that need escapes. Ports of five digits are
 * excluded, because not all of them are valid.
 */
const plain = /^https?:\/\/([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)(?::\d{1,4})?(?:[/?#][!-~]*)?$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const spaced = /^\s|\s$|[\x00-\x1f\x7f]/;

/** `key`: as received; empty: none. */
export function checkUrl(url: string, key: string): Checked {
  if (url.length > pullLimits.urlCharsMax) {
    return { ok: false, reason: `the URL has ${url.length} characters; at most ${pullLimits.urlCharsMax} are allowed` };
  }
  if (key !== '' && Buffer.byteLength(key) > pullLimits.keyBytesMax) {
    return { ok: false, reason: `the key is longer than ${pullLimits.keyBytesMax} bytes` };
  }
  const host = plain.exec(url)?.[1];
  // A last label of digits may be an address in another spelling.
  if (host !== undefined && !/(?:^|\.)(?:\d+|0x[0-9a-f]*)$/.test(host)) return { ok: true, key: key || host };
  if (spaced.test(url))
    return { ok: false, reason: 'the URL has white space around it, or contains control characters' };
  const parsed = canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return { ok: false, reason: url === '' ? 'the URL is empty' : 'the URL is not absolute' };
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    return { ok: false, reason: `scheme ${parsed.protocol.slice(0, -1)} is not supported; use http or https` };
  }
  return { ok: true, key: key || parsed.hostname.replace(/\.$/, '') };
}
