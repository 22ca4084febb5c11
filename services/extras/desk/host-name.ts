/**
 * Reads the host that a visitor names, as a host key. Two spellings of a host give the same key, as in the frontier. A
 * text that other software could read as another host is refused.
 */
import { CrawlstreamError } from '../../../topology/errors.ts';
import { hostKeyOf, hostnameOf } from '../../../topology/url/host-key.ts';
import { compileNormalizer } from '../../../topology/url/normalize.ts';
import { deskLimits } from './desk-limits.ts';

/**
 * Characters that are not part of `name:port`: those of a path, a user, an encoded character, or the path of the proof
 * file.
 */
const foreign = /[\s/\\@?#%]/;
const normalize = compileNormalizer();

/** Throws INVALID_ARGUMENT. */
export function hostKeyOfVisitor(given: string): string {
  const typed = given.trim();
  // One host key covers both schemes at their default ports.
  const url = typed === '' || typed.length > deskLimits.hostCharsMax || foreign.test(typed) ? null : urlOf(typed);
  if (url !== null) return hostKeyOf(url);
  const shown = JSON.stringify(typed.slice(0, deskLimits.hostCharsMax));
  throw new CrawlstreamError('INVALID_ARGUMENT', `host ${shown}: enter only the host name, as in www.example.org`);
}

function urlOf(typed: string): string | null {
  const scheme = /:0*80$/.test(typed) && !typed.endsWith(']') ? 'http' : 'https';
  const url = normalize(`${scheme}://${typed}/`);
  return url !== null && new URL(url).pathname === '/' ? url : null;
}

/** Without a port. */
export function nameOfHost(hostKey: string): string {
  return hostnameOf(`https://${hostKey}/`);
}
