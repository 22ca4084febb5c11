/**
 * Opens connections for undici: resolves the name under the address guard, then connects to the checked address itself.
 *
 * Invariant: the socket's peer is an address the resolver gave out for this connection. A request that got a permit for
 * one address is connected to that one or not at all; otherwise addresses are tried one after another, within one
 * connect timeout. The certificate is checked against the name, not the address.
 */
import { isIP, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { tlsDetail } from '../../../topology/fetch/tls-failure.ts';
import { ConnectError } from './connect-error.ts';
import { connectThrough, type ProxyServer } from './proxy-tunnel.ts';
import type { Resolution, Resolver } from './resolver.ts';
import { trustBeside } from './trust.ts';

export interface ConnectorOptions {
  readonly resolver: Resolver;
  /** Timeout for all addresses of a name together, ms. */
  readonly timeoutMs: number;
  /** Certificates trusted beside the system's, PEM. */
  readonly ca?: string;
  /** Names and addresses, in lower case, without certificate checks. */
  readonly insecureHosts?: ReadonlySet<string>;
}

/**
 * Makes one connector per origin and proxy; all share TLS sessions. If a proxy resolves names, the address is unknown,
 * and empty.
 */
export type ConnectorFor = (
  onConnected: (address: string, socket: Socket) => void,
  proxy: ProxyServer | null,
  /** The address to connect to, from the resolver's permit for this request. Empty: any that answers. */
  address: string,
  /** Offer HTTP/2 in the TLS handshake. */
  http2: boolean,
) => buildConnector.connector;

/** Share of the connection time in which a proxy must open its tunnel. */
const proxyShare = 0.7;

/** Addresses of one name that are tried: a working host answers on one of three, and a retry may try again. */
const triesMax = 3;

export function createConnectors({ resolver, timeoutMs, ca, insecureHosts }: ConnectorOptions): ConnectorFor {
  const timeout = timeoutMs;
  const trust = ca === undefined ? {} : { secureContext: trustBeside(ca) };
  const offering = (allowH2: boolean) => ({
    checked: buildConnector({ timeout, allowH2, ...trust }),
    unchecked: buildConnector({ timeout, allowH2, ...trust, rejectUnauthorized: false }),
  });
  const [both, http1] = [offering(true), offering(false)];

  return (onConnected, proxy, pinned, http2) => (target, callback) => {
    const { checked, unchecked } = http2 ? both : http1;
    const connect = insecureHosts?.has(plainHost(target.hostname)) === true ? unchecked : checked;
    const defaultPort = target.protocol === 'https:' ? '443' : '80';
    const port = target.port === '' ? defaultPort : target.port;
    const named = isIP(target.hostname) === 0 ? { servername: target.servername || target.hostname } : {};

    const connectTo = (addresses: readonly string[], index: number) => {
      const address = addresses[index]!;
      const tries = Math.min(addresses.length, triesMax);
      const to = { ...target, ...named, hostname: address, port };
      // Each address gets its part of the time; a single one gets all of it.
      const opened = connect(to, (...[error, socket]) => {
        clearTimeout(timer);
        if (error === null) {
          onConnected(address, socket);
          callback(null, socket);
        } else if (index + 1 < tries) {
          connectTo(addresses, index + 1);
        } else {
          callback(asConnectError(error, address, port), null);
        }
      }) as unknown as Socket | undefined;
      const late = () => opened?.destroy(new Error('no connection in time'));
      const timer = tries > 1 ? setTimeout(late, timeoutMs / tries) : undefined;
    };

    /** If the proxy resolves names, the address is unknown here. */
    const through = (proxy: ProxyServer, address: string) => {
      const name = address === '' ? plainHost(target.hostname) : address;
      // Less than the exchange's time limit: after that, the error could not say which side was silent.
      const options = { proxy, connect, timeoutMs: Math.ceil(timeoutMs * proxyShare), ...trust };
      connectThrough(options, { ...target, ...named, port }, name).then(
        (socket) => {
          onConnected(address, socket);
          callback(null, socket);
        },
        (error) => callback(asConnectError(error, `${name} through ${proxy.label}`, port), null),
      );
    };

    const proceed = (resolution: Resolution) => {
      // A proxy that looks names up may know names that we don't; the addresses that we do know must pass the guard.
      const goesOn = resolution.ok || (proxy?.resolves === true && resolution.kind === 'dnsFailed');
      if (proxy !== null && goesOn) through(proxy, resolution.ok && !proxy.resolves ? resolution.addresses[0]! : '');
      else if (resolution.ok) connectTo(resolution.addresses, 0);
      else callback(new ConnectError(resolution.kind, resolution.detail, undefined, resolution.code), null);
    };

    const resolution: ReturnType<Resolver['resolve']> =
      pinned === ''
        ? resolver.resolve(target.hostname, Number(port))
        : { ok: true, addresses: [pinned], overridden: false };
    if (resolution instanceof Promise) void resolution.then(proceed);
    else proceed(resolution);
  };
}

/** A host name, or an address without its brackets. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** Codes of OpenSSL and Node for failed handshakes and certificates. */
const tlsCode = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_MISMATCH|EPROTO|INVALID_CA)/;

function asConnectError(error: Error, address: string, port: string): ConnectError {
  if (error instanceof ConnectError) return error;
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const where = `connecting to ${address} port ${port}`;
  return tlsCode.test(code)
    ? new ConnectError('tlsFailed', `${where}: ${tlsDetail(error.message)}`, error)
    : new ConnectError('connectionFailed', `${where}: ${error.message}`, error);
}
