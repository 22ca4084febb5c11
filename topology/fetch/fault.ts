/**
 * The side at fault for a failed request: each failure has one owner, from which back-off, death and dead letters follow.
 *
 * | what happened | owner | what follows |
 * | --- | --- | --- |
 * | we gave up ourselves, at shutdown | `us` | as if it had not been requested |
 * | no name server could be asked | `resolver` | says nothing of the host, unless it alone cannot be looked up |
 * | the system refused to send: no route, no network, no socket left | `network` | the same |
 * | the proxy is away, does not let us in, or does not answer | `proxy` | the host was not asked |
 * | the name does not exist, nobody accepts a connection, TLS fails | `host` | what fails for this URL would fail for its neighbours |
 * | the connection was there and ended before any answer | `unclear` | another request to the host decides (RFC 9112 §8): `url` if it is answered, else `host` |
 * | an answer began and broke off, or was none | `url` | its own attempts count (RFC 9112 §8, RFC 9113 §5.4.2), and the host goes on |
 */
import type { OutcomeKind } from '../../schemas/types.ts';

export type Fault = 'us' | 'resolver' | 'network' | 'proxy' | 'host' | 'unclear' | 'url';

export interface Failed {
  readonly kind: OutcomeKind | 'aborted' | 'proxyFailed';
  /** HTTP status. 0: no answer began. */
  readonly status: number;
  /** No connection came about. */
  readonly unreached: boolean;
  /** Error code of the system, as in ENETUNREACH. Empty: none is known. */
  readonly code: string;
}

/** Our own end of the way: no route or no network, no address or no socket left. */
const ownNetwork = new Set([
  ...['ENETUNREACH', 'ENETDOWN', 'ENONET', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EPERM'],
]);

/** Resolver codes that mean that the name does not exist. */
const noName = new Set(['', 'ENOTFOUND', 'ENODATA']);

export function faultOf({ kind, status, unreached, code }: Failed): Fault {
  if (kind === 'aborted') return 'us';
  if (kind === 'proxyFailed') return 'proxy';
  if (kind === 'dnsFailed') return noName.has(code) ? 'host' : 'resolver';
  if (status > 0) return 'url';
  if (ownNetwork.has(code)) return 'network';
  if (kind !== 'connectionFailed' && kind !== 'tlsFailed') return 'url';
  return unreached ? 'host' : 'unclear';
}
