/**
 * Opens a connection to a host through a proxy: HTTP CONNECT (RFC 9110 §9.3.6), SOCKS5 (RFC 1928, 1929) or SOCKS4a.
 *
 * This is the only file that speaks to proxies. A proxy that is away, refuses us, throttles or is broken has failed
 * itself (`proxyFailed`), which says nothing of the host. If it says that it can't reach the host, the host's
 * connection failed. Some answers may mean either, and so may silence after the target was named: those are
 * `maybeHost`, and other requests through the proxy decide.
 */
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector, Client } from 'undici';
import { ConnectError } from './connect-error.ts';

export interface ProxyServer {
  readonly kind: 'http' | 'https' | 'socks4' | 'socks5';
  readonly hostname: string;
  readonly port: number;
  /** Empty: none. */
  readonly user: string;
  readonly password: string;
  /** True: the proxy looks names up, and refuses private addresses. Otherwise we do both, and it is given addresses. */
  readonly resolves: boolean;
  /** The proxy's address for messages, without credentials: `http://proxy.example:3128`. */
  readonly label: string;
}

export interface ThroughOptions {
  readonly proxy: ProxyServer;
  /** Opens a connection to the proxy, or TLS to the host on a tunnel that is open. */
  readonly connect: buildConnector.connector;
  readonly timeoutMs: number;
  /** Authorities to trust for a proxy behind TLS. Absent: those that Node trusts. */
  readonly secureContext?: SecureContext;
}

interface Tunnel {
  /** Name or address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * `host`: the name or address for the proxy; `target` is the URL's. Rejects with a ConnectError, or a TLS handshake's
 * error.
 */
export async function connectThrough(
  options: ThroughOptions,
  target: buildConnector.Options,
  host: string,
): Promise<Socket> {
  const { proxy, connect } = options;
  if (takesWholeUrls(proxy, target.protocol)) {
    const { hostname, kind, port } = proxy;
    return connected(connect, { hostname, host: hostname, protocol: `${kind}:`, port: String(port) }).catch((error) => {
      throw proxyFailed(proxy, error);
    });
  }
  const to = { host, port: Number(target.port) };
  const tunnel = await (proxy.kind.startsWith('socks') ? socksTunnel(options, to) : connectTunnel(options, to));
  return target.protocol === 'https:' ? connected(connect, { ...target, httpSocket: tunnel }) : tunnel;
}

function connected(connect: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connect(target, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

/**
 * Plain HTTP through a plain HTTP proxy needs no tunnel: the request names the whole URL (RFC 9112 §3.2.2), and the
 * proxy looks its host up. A proxy that does not filter private addresses gets no names; the error message says that
 * many refuse to tunnel to port 80.
 */
export function takesWholeUrls(proxy: ProxyServer, protocol: string): boolean {
  return protocol === 'http:' && proxy.kind === 'http' && proxy.resolves;
}

/** `Basic …` for Proxy-Authorization. Empty: none is needed. */
export function proxyAuthorization({ user, password }: ProxyServer): string {
  return user === '' ? '' : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/**
 * Statuses of CONNECT that concern its target: not allowed, not found, not reached (RFC 9110 §15.6.3, §15.6.5). A 503
 * may concern it too, as with Squid. All others concern the proxy.
 */
const ofTargets: ReadonlySet<number> = new Set([403, 404, 410, 421, 451, 502, 504]);

async function connectTunnel(
  { proxy, timeoutMs, secureContext }: ThroughOptions,
  { host, port }: Tunnel,
): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  let isSpoken = false;
  const connect = buildConnector({ timeout: timeoutMs, ...(secureContext === undefined ? {} : { secureContext }) });
  const client = new Client(`${proxy.kind}://${proxy.hostname}:${proxy.port}`, {
    connect(options, callback) {
      connect(options, (...result) => {
        isSpoken = result[0] === null;
        callback(...result);
      });
    },
    headersTimeout: 0,
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error('no answer in time')), timeoutMs);
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: { host: target, ...(authorization !== '' && { 'proxy-authorization': authorization }) },
      signal: late.signal,
    });
    if (statusCode >= 200 && statusCode < 300) return socket as Socket;
    socket.destroy();
    const kind = ofTargets.has(statusCode) ? 'connectionFailed' : 'proxyFailed';
    const hint = kind === 'connectionFailed' && port === 80 ? ': if it tunnels to no port 80, see filters' : '';
    const what = `proxy ${proxy.label} answered ${statusCode} for ${target}${hint}`;
    throw new ConnectError(kind, what, undefined, '', statusCode === 503);
  } catch (error) {
    throw error instanceof ConnectError ? error : proxyFailed(proxy, error, isSpoken && late.signal.aborted);
  } finally {
    clearTimeout(timer);
    // The socket of a tunnel is no longer the client's.
    void client.destroy();
  }
}

/** The library's error if the proxy works, but refuses this target (RFC 1928 §6). */
const rejected = /rejected connection/i;
/** Among those: the proxy does not support the request, whatever its target. */
const unable = /CommandNotSupported|AddressNotSupported/;
/** Among those: no reason is given. */
const unsaid = /rejected connection - \(?(Failure|Failed)/i;

async function socksTunnel({ proxy, timeoutMs }: ThroughOptions, { host, port }: Tunnel): Promise<Socket> {
  // Loaded on first use: few crawls have a SOCKS proxy.
  const { SocksClient } = await import('./socks-client.ts');
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: {
        host: proxy.hostname,
        port: proxy.port,
        type: proxy.kind === 'socks4' ? 4 : 5,
        ...(proxy.user !== '' && { userId: proxy.user, password: proxy.password }),
      },
      command: 'connect',
      destination: { host, port },
      timeout: timeoutMs,
      set_tcp_nodelay: true,
    });
    return socket;
  } catch (error) {
    const { message } = error as Error;
    if (!rejected.test(message)) throw proxyFailed(proxy, error, /timed out/.test(message));
    if (unable.test(message) || unsaid.test(message)) throw proxyFailed(proxy, error, unsaid.test(message));
    throw new ConnectError('connectionFailed', `proxy ${proxy.label} can't reach ${host} port ${port}: ${message}`);
  }
}

function proxyFailed(proxy: ProxyServer, error: unknown, maybeHost = false): ConnectError {
  return new ConnectError(
    'proxyFailed',
    `proxy ${proxy.label}: ${(error as Error).message}`,
    error,
    undefined,
    maybeHost,
  );
}
