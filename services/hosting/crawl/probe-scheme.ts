/**
 * Finds out which scheme a host speaks that was typed without one: https if a TLS handshake succeeds, or if neither
 * works; http if TLS is refused and a plain connection is accepted. It only connects and makes no request: robots.txt
 * is fetched first, as always.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Resolver } from '../../fetcher/connect/resolver.ts';

const patienceMs = 5_000;

export interface Probed {
  /** `https:` or `http:`. */
  readonly protocol: 'https:' | 'http:';
  /** The reason why it is not https; empty: it is. */
  readonly why: string;
}

/** `seed`: with `https:`, a guess. */
export async function probeScheme(seed: string, resolver: Resolver): Promise<Probed> {
  const { hostname, port } = new URL(seed);
  const secure = await reach(hostname, Number(port || 443), resolver, true);
  if (secure === '') return { protocol: 'https:', why: '' };
  const plain = await reach(hostname, Number(port || 80), resolver, false);
  // If the host cannot be reached, the crawl itself will report what is wrong.
  return plain === '' ? { protocol: 'http:', why: secure } : { protocol: 'https:', why: '' };
}

/**
 * Returns an empty text if the host was reached, else the problem. The crawl checks the certificate, not this probe.
 */
async function reach(hostname: string, port: number, resolver: Resolver, secure: boolean): Promise<string> {
  const found = await resolver.resolve(hostname, port);
  if (!found.ok) return found.detail;
  const host = found.addresses[0]!;
  const name = hostname.startsWith('[') || /^[\d.]+$/.test(hostname) ? {} : { servername: hostname };
  return new Promise((resolve) => {
    const socket: Socket = secure
      ? connectTls({ host, port, rejectUnauthorized: false, ...name })
      : connect({ host, port });
    const end = (why: string) => {
      clearTimeout(patience);
      socket.destroy();
      resolve(why);
    };
    const patience = setTimeout(() => end('no answer in time'), patienceMs);
    socket.once(secure ? 'secureConnect' : 'connect', () => end(''));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
    socket.once('close', () => end('the connection was closed'));
  });
}
