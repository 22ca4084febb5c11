/**
 * Checks whether a host publishes the challenge of its visitor.
 *
 * Only the host controls the two places: a TXT record in the DNS at a name with an underscore, which registries and
 * hosting services do not give away (RFC 8552), or a well-known file (RFC 8615). Redirects are not followed: an open
 * redirect would let its target speak for the host. The challenge is not part of the request, so a page that echoes
 * requests proves nothing.
 */
import { isIP } from 'node:net';
import type { GuardedRequest } from '../../runtime/http/guarded-request.ts';
import { challengePrefix } from './challenge.ts';
import { deskLimits } from './desk-limits.ts';
import { nameOfHost } from './host-name.ts';
import type { TxtLookup } from './txt-lookup.ts';

export const filePath = '/.well-known/crawlstream-desk.txt';

export interface Places {
  readonly txt: TxtLookup;
  readonly request: GuardedRequest;
  /** Headers of each request: the identity of the crawler. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Null: the host has no name. */
export function txtNameOf(hostKey: string): string | null {
  const name = nameOfHost(hostKey);
  return isIP(name.replace(/^\[|\]$/g, '')) > 0 ? null : `_crawlstream-desk.${name}`;
}

/** `problem` null: it is shown. */
export interface Look {
  readonly problem: string | null;
  /** The place that was checked. */
  readonly at: string;
}

export async function lookAtDns(places: Places, hostKey: string, isIt: (text: string) => boolean): Promise<Look> {
  const name = txtNameOf(hostKey);
  if (name === null) return { at: hostKey, problem: 'an IP address has no DNS name: use the file instead' };
  const at = `TXT ${name}`;
  try {
    return verdict(at, await places.txt(name), isIt);
  } catch {
    return { at, problem: 'the DNS servers did not answer: try again in a moment' };
  }
}

/** Requests the file by https, or by http if the host cannot be reached by https. */
export async function lookAtFile(places: Places, hostKey: string, isIt: (text: string) => boolean): Promise<Look> {
  for (const scheme of ['https', 'http']) {
    const at = `${scheme}://${hostKey}${filePath}`;
    try {
      const { status, text } = await places.request(at, places.headers);
      if (status >= 300 && status < 400)
        return {
          at,
          problem: `it answered with status ${status}; redirects are not followed: serve the file at this URL`,
        };
      if (status !== 200) return { at, problem: `it answered with status ${status}; 200 is needed` };
      return verdict(at, text.split('\n'), isIt);
    } catch {
      if (scheme === 'http') return { at, problem: 'it could not be reached by https or http' };
    }
  }
  throw new Error('unreachable');
}

function verdict(at: string, texts: readonly string[], isIt: (text: string) => boolean): Look {
  const proofs = texts.map((text) => text.trim()).filter((text) => text.startsWith(challengePrefix));
  if (proofs.length === 0) return { at, problem: `no line there starts with ${challengePrefix}` };
  if (proofs.slice(0, deskLimits.proofsReadMax).some(isIt)) return { at, problem: null };
  return { at, problem: 'the published line is for another host or visitor, or has expired: publish the line above' };
}
